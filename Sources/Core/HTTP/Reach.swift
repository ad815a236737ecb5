/// How far others than the user may lead a download: by a link that came over a session, and by redirects.
public struct Reach: Hashable, Codable, Sendable {
  /// How many redirects are followed.
  public var maxRedirects = RedirectRule.maxHops
  /// Whether only public addresses are connected to, whatever a name stands for when it is resolved.
  public var isPublicOnly = false
  /// Scheme, host and port that may have any address all the same.
  public var exemptOrigin: String?

  public init() {}

  /// Whether the address that is connected to for the URL must be a public one.
  public func needsPublicAddress(_ url: WebURL) -> Bool { isPublicOnly && url.origin != exemptOrigin }

  /// Why the URL is out of reach, as far as its text tells; nil when it may be asked.
  public func refusal(of url: WebURL) -> TransferFailure? {
    guard needsPublicAddress(url), HostScope(host: url.host).isPrivate else { return nil }
    return Self.refusal(host: url.host, address: nil)
  }

  /// What ends a download whose host turned out to be out of reach.
  public static func refusal(host: String, address: String?) -> TransferFailure {
    let place = address.map { $0 == host ? $0 : "\($0), which \(host) stands for" } ?? host
    return TransferFailure(.redirectRefused, "the link leads to the private address \(place), the gateway is public")
  }
}
