/// What one connection may take of memory, in bytes.
public struct WebSocketLimits: Hashable, Sendable {
  /// A longer message from the other side ends the connection with 1009.
  public var maxMessageByteCount: Int

  /// - Parameter maxMessageByteCount: 16 MiB, as much as a media part of 12 MiB takes as text.
  public init(maxMessageByteCount: Int = 16 << 20) { self.maxMessageByteCount = maxMessageByteCount }

  /// Payload of one frame that we send: more costs nothing to cut, and less would cost headers (measured). Between two
  /// of them a ping is answered.
  public static let fragmentByteCount = 65_520
  /// Bytes on their way to the socket, at most.
  static let outputByteCount = 128 << 10
  /// Of them kept free for control frames.
  static let controlByteCount = 1 << 10
}

/// Whether a message is text, that is UTF-8, or not.
public enum MessageKind: Hashable, Sendable {
  case text, binary
}

/// What the other side did against the protocol, or beyond our limits.
public struct ProtocolFailure: Error, Hashable, Sendable {
  /// What our close frame says.
  public let code: CloseCode
  /// Lower case, with the numbers.
  public let message: String
}

/// What comes in, in order, while `WebSocketCodec.receive` runs.
public protocol WebSocketSink: AnyObject {
  func messageBegan(_ kind: MessageKind)
  /// The next bytes of the message, unmasked and, for text, checked; valid during the call only.
  func messageReceived(_ bytes: UnsafeRawBufferPointer)
  func messageEnded()
  /// The answer is queued already.
  func pingReceived(_ payload: [UInt8])
  func pongReceived(_ payload: [UInt8])
  /// The other side says that it ends; the answer is queued already. Nothing more comes.
  func closeReceived(_ code: CloseCode, reason: String)
}
