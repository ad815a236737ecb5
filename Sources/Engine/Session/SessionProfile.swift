public import Core
public import State

/// A gateway as a user has set it up: where it is, who we are to it, how we prove it.
public struct SessionProfile: Hashable, Sendable {
  /// How the token gets to the gateway.
  public enum Authorization: String, Hashable, Sendable, CaseIterable {
    /// In the upgrade request's query and in the first frame, as every gateway knows it.
    case queryAndHello = "query+hello"
    /// As `Authorization: Bearer` of the upgrade request only: URLs end up in the logs of servers and proxies.
    case header
    /// In the first frame only.
    case hello
  }

  public var name: String
  public var url: GatewayURL
  public var authorization = Authorization.queryAndHello
  /// Nil for a gateway that asks for none.
  public var token: Secret?
  public var device: DeviceIdentity
  /// Where media are saved; nil when the command says.
  public var mediaFolder: String?
  /// Whether the token may go to a public host in the clear.
  public var allowsPlaintext = false

  public init(name: String, url: GatewayURL, token: Secret?, device: DeviceIdentity) {
    self.name = name
    self.url = url
    self.token = token
    self.device = device
  }

  /// What the state knows this session by.
  public var key: SessionKey { SessionKey(gateway: url.key, device: device.id) }

  /// The URL of the upgrade request; a secret where the token is in it.
  public var upgradeURL: WebURL { url.upgradeURL(token: authorization == .queryAndHello ? token : nil) }

  /// Headers of the upgrade request, secrets each.
  public var upgradeHeaders: [String] {
    guard authorization == .header, let token else { return [] }
    return ["Authorization: Bearer \(token.exposed)"]
  }

  /// The first frame.
  public var hello: HelloFrame { HelloFrame(token: authorization == .header ? nil : token, device: device) }

  /// Why the token must not go there in the clear, as far as the URL tells; nil when it may.
  public var plaintextRefusal: TransferFailure? { url.plaintextRefusal(isAllowed: allowsPlaintext) }
}
