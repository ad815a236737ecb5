/// Which session a row belongs to: one device of ours at one gateway.
public struct SessionKey: Hashable, Sendable {
  /// `scheme://host:port/path`, without query.
  public var gateway: String
  /// The ID of the device.
  public var device: String

  public init(gateway: String, device: String) {
    self.gateway = gateway
    self.device = device
  }
}

extension Statement {
  /// Two values: `gateway`, `device`.
  func bind(_ key: SessionKey) {
    bind(key.gateway)
    bind(key.device)
  }

  /// Two columns: `gateway`, `device`.
  func sessionKey() -> SessionKey { SessionKey(gateway: text(), device: text()) }
}
