/// Why a WebSocket connection ends (RFC 6455 §7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let normal = CloseCode(rawValue: 1000)
  public static let goingAway = CloseCode(rawValue: 1001)
  public static let protocolError = CloseCode(rawValue: 1002)
  public static let unsupportedData = CloseCode(rawValue: 1003)
  /// What is told where a close frame held no code; never sent.
  public static let noStatus = CloseCode(rawValue: 1005)
  /// What is told where the connection ended without a close frame; never sent.
  public static let abnormal = CloseCode(rawValue: 1006)
  public static let invalidPayload = CloseCode(rawValue: 1007)
  public static let policyViolation = CloseCode(rawValue: 1008)
  public static let messageTooBig = CloseCode(rawValue: 1009)
  public static let missingExtension = CloseCode(rawValue: 1010)
  public static let internalError = CloseCode(rawValue: 1011)

  /// Whether a close frame may carry it: the registered ones that are not for local use, and those of libraries,
  /// frameworks and applications (3000 to 4999).
  public var isValidOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

extension CloseCode: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
