/// Where a gateway listens: `ws://host:8787/ws`, or `wss`; libcurl is given the http URL that the upgrade begins with.
public struct GatewayURL: Hashable, Sendable {
  /// The same place as an http or https URL; its query may be a secret.
  public let web: WebURL

  /// Takes ws, wss, http and https.
  public init(_ text: String) throws(WebURL.Invalid) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard let name = ["ws": "http", "wss": "https", "http": "http", "https": "https"][scheme] else {
      // What is no URL at all is said to be none, and another scheme is named.
      _ = try WebURL(text)
      throw .notURL
    }
    web = try WebURL(name + text.dropFirst(scheme.utf8.count))
  }

  public var isSecure: Bool { web.isSecure }

  /// What tells one gateway from another, free of secrets: `ws://host:8787/ws`.
  public var key: String { "\(isSecure ? "wss" : "ws")://\(web.host):\(web.port)\(web.path)" }

  /// As far as the URL tells; a name may stand for any address.
  public var scope: HostScope { HostScope(host: web.host) }

  /// The upgrade request's URL; the query item `token` is added to what is there, or replaces the one that is.
  public func upgradeURL(token: Secret?) -> WebURL {
    guard let token else { return web }
    var url = web
    let item = "token=\(Self.encoded(token.exposed))"
    var items: [Substring] = []
    var isPlaced = false
    for old in (web.query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
      let isToken = PercentText.decoded(old.prefix { $0 != "=" }) == Array("token".utf8)
      if !isToken { items.append(old) } else if !isPlaced { items.append(item[...]) }
      isPlaced = isPlaced || isToken
    }
    if !isPlaced { items.append(item[...]) }
    url.query = items.joined(separator: "&")
    return url
  }

  /// Why the token must not go there in the clear; nil when it may.
  ///
  /// - Parameter scope: of the address that is really connected to, where it is known.
  public func plaintextRefusal(scope: HostScope? = nil, isAllowed: Bool) -> TransferFailure? {
    guard !isSecure, !isAllowed else { return nil }
    switch scope ?? self.scope {
    case .loopback, .privateNetwork: return nil
    case .publicNetwork, .name:
      return TransferFailure(
        .usage, "\(key) is not encrypted, and \(web.host) is no loopback or private address",
        hint: "wss:// is; --allow-plaintext sends the token in the clear")
    }
  }

  /// All but what RFC 3986 §2.3 calls unreserved: a `+` would be read as a space.
  static func encoded(_ text: String) -> String {
    PercentText.encoded(text[...]) { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
      default: false
      }
    }
  }
}

extension GatewayURL: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { key }
  public var debugDescription: String { key }
}
