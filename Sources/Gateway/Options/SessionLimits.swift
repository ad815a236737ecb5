/// What one session, and all of them, may take.
public struct SessionLimits: Equatable, Sendable {
  /// Sessions at once; each has a thread and a socket, and memory for one message while one comes.
  public var sessionCount = 256
  /// Bytes of one message; a longer one ends the session with 1009.
  public var messageByteCount = 16 << 20
  /// Bytes of one message before the hello is taken: a stranger gets no more memory than this.
  public var helloByteCount = 64 << 10
  /// Bytes of one medium.
  public var mediaByteCount: Int64 = 512 << 20
  /// Media that one device has begun to send and not yet completed.
  public var openMediaCount = 16
  /// The same of all devices together; each holds a file open.
  public var openMediaCountOfAll = 128
  /// Bytes of all media that are not yet complete.
  public var openMediaByteCount: Int64 = 2 << 30
  /// After so long without a part a medium is given up.
  public var openMediaIdle = Duration.seconds(600)
  /// Completed media that are remembered, so that a repeated id makes no second file.
  public var rememberedMediaCount = 10_000
  /// From the upgrade to the hello.
  public var hello = Duration.seconds(15)
  /// A ping goes out after so long without a byte.
  public var pingAfter = Duration.seconds(25)
  /// A client is dead after so long without a byte.
  public var deadAfter = Duration.seconds(60)
  /// For the other side to answer a close frame.
  public var close = Duration.seconds(3)
  /// A card that nobody answers is taken back.
  public var prompt = Duration.seconds(300)
  /// Announcements and texts that wait for a client who does not read; the oldest go first.
  public var waitingCount = 1024

  /// The limits of the protocol.
  public init() {}
}

extension Duration {
  /// Whole nanoseconds, as clocks count.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
