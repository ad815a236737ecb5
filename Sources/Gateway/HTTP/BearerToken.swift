import Posix

/// The secret that clients show; printing it shows nothing.
public struct BearerToken: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
  private let bytes: [UInt8]

  /// Nil when the text is empty or can't stand in a header.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else { return nil }
    bytes = Array(text.utf8)
  }

  /// Reads the first line of a file.
  init(file path: String) throws(GatewayError) {
    let text: String
    do {
      text = String(decoding: try Files.readAll(path, maxByteCount: 4096), as: UTF8.self)
    } catch {
      throw .tokenFile(path, cause: error.description)
    }
    let line = text.split(whereSeparator: \.isNewline).first.map(\.withoutOuterSpace) ?? ""
    guard let token = BearerToken(line) else { throw .tokenFile(path, cause: "its first line is not a token") }
    self = token
  }

  /// Shows nothing.
  public var description: String { "…" }
  /// Shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

  /// What an Authorization value shows (RFC 6750 §2.1); nil for another scheme.
  static func shown(in authorization: String) -> String? {
    let words = authorization.split(separator: " ", omittingEmptySubsequences: true)
    return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
  }

  /// The time taken tells nothing about where they differ.
  func equals(_ text: String) -> Bool {
    let shown = Array(text.utf8)
    var difference = shown.count ^ bytes.count
    for index in bytes.indices {
      difference |= Int(bytes[index] ^ (index < shown.count ? shown[index] : 0))
    }
    return difference == 0
  }
}

extension ResponsePlan {
  /// The answer to a request without the token.
  static var unauthorized: ResponsePlan {
    .line(401, "a bearer token is needed", [HeaderField("WWW-Authenticate", "Bearer realm=\"hermes-gateway\"")])
  }
}
