import State

/// Over which session a link came that a download follows.
struct MediaOrigin: Hashable, Codable, Sendable {
  var gateway: String
  var device: String
  /// Whether it leads to the gateway itself, which wants to know who asks. The token is the session's: it is never kept
  /// with the download.
  var needsToken: Bool

  var session: SessionKey { SessionKey(gateway: gateway, device: device) }
}
