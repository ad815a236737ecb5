/// An absolute http or https URL, as far as decisions need to know one (RFC 3986); libcurl parses it anew to use it.
public struct WebURL: Hashable, Sendable {
  public enum Scheme: String, Hashable, Sendable {
    case http, https

    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  public let scheme: Scheme
  /// `user` or `user:password` as written, still percent-encoded; a secret.
  public internal(set) var userInfo: String?
  /// Lower case; an IPv6 address keeps its brackets.
  public let host: String
  public let port: Int
  /// Begins with `/`, without `.` and `..` segments, percent-encoded where RFC 3986 asks for it.
  public let path: String
  /// Without its `?`; may be a secret (signed URLs).
  public internal(set) var query: String?
  /// Without its `#`; never sent.
  public let fragment: String?

  /// Reads what a user or a list gives; white space within is a mistake there, not something to repair.
  public init(_ text: String) throws(Invalid) {
    try self.init(Reference(checking: text, allowsSpace: false))
  }

  init(_ reference: Reference) throws(Invalid) {
    guard let name = reference.scheme else { throw .notURL }
    guard let scheme = Scheme(rawValue: name.lowercased()) else { throw .unsupportedScheme(name.lowercased()) }
    guard let authority = reference.authority else { throw .notURL }
    let place = try Authority(authority, scheme: scheme)
    self.scheme = scheme
    userInfo = place.userInfo
    host = place.host
    port = place.port
    path = Self.withoutDots(reference.path.isEmpty ? "/" : Self.encoded(reference.path))
    query = reference.query.map { Self.encoded($0) }
    fragment = reference.fragment.map(String.init)
  }

  /// What tells one server from another: `https://h:443`.
  public var origin: String { "\(scheme.rawValue)://\(host):\(port)" }

  /// Whether what is sent and received is encrypted.
  public var isSecure: Bool { scheme == .https }

  /// The whole URL without its fragment, as it goes to libcurl; holds every secret that was in it.
  public var text: String {
    let user = userInfo.map { "\($0)@" } ?? ""
    return "\(scheme.rawValue)://\(user)\(place)\(path)\(query.map { "?\($0)" } ?? "")"
  }

  /// What may be shown and logged: no user, password, query or fragment.
  public var redacted: String { "\(scheme.rawValue)://\(place)\(path)" }

  /// The path's last segment, decoded: raw material for a file name, not one; empty when the path ends in `/`.
  public var lastPathName: String {
    let segment = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    return String(decoding: PercentText.decoded(segment), as: UTF8.self)
  }

  /// User and password, decoded; nil when the URL has none.
  public var credentials: (user: String, password: String)? {
    guard let userInfo else { return nil }
    let pieces = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let decoded = pieces.map { String(decoding: PercentText.decoded($0), as: UTF8.self) }
    return (decoded[0], decoded.count > 1 ? decoded[1] : "")
  }

  private var place: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

  /// What RFC 3986 allows in paths and queries, and the brackets and stray percent signs that the web is used to.
  static func encoded(_ text: Substring) -> String {
    PercentText.encoded(text) { byte in
      switch byte {
      case 0...0x20, 0x7f...: false
      case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
        UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
        false
      default: true
      }
    }
  }
}

extension WebURL: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { redacted }
  public var debugDescription: String { redacted }
}

extension WebURL {
  /// Why a text is not a URL that can be fetched; shows nothing of the text but its scheme.
  public enum Invalid: Error, Hashable, Sendable {
    case notURL
    case unsupportedScheme(String)
    case noHost
    case badHost
    case badPort
    case forbiddenCharacter

    public var message: String {
      switch self {
      case .notURL: "not a URL; an absolute http or https URL is needed"
      case .unsupportedScheme(let name): "the scheme \(name) is not supported, only http and https are"
      case .noHost: "the URL has no host"
      case .badHost: "the URL's host is not a host name or address"
      case .badPort: "the URL's port is not a number from 1 to 65535"
      case .forbiddenCharacter: "the URL has a space or control character in it; %20 stands for a space"
      }
    }

    /// The same as what ends a transfer: the command was wrong.
    public var failure: TransferFailure { TransferFailure(.usage, message) }
  }
}
