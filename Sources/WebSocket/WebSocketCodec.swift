import CKernels

/// One side of an open WebSocket connection (RFC 6455), without its socket: bytes in, events out; messages in, bytes out.
///
/// What came from the socket goes to `receive`. What is to be written stands in `output`; tell `outputConsumed` how much
/// of it was. Belongs to one thread.
@safe public final class WebSocketCodec {
  public enum Role: Sendable {
    /// Masks what it sends.
    case client
    /// Takes only what is masked.
    case server
  }

  public let role: Role
  /// False for drills only: RFC 6455 §5.5.2 demands an answer.
  public var answersPings = true
  let limits: WebSocketLimits
  private var nextMask: () -> UInt32

  // Receiving.
  var header: [UInt8] = []
  var frame: FrameHeader?
  var frameByteCount = 0
  var message: MessageKind?
  var messageByteCount = 0
  var textState: UInt32 = 0
  var control: [UInt8] = []
  /// What the other side did wrong; nothing more is received then.
  public internal(set) var failure: ProtocolFailure?
  /// What the other side's close frame said; nothing more is received then.
  public internal(set) var closeReceived: CloseCode?
  /// The words beside it; empty when there were none.
  public internal(set) var closeReason = ""

  /// While true a ping waits for its answer: whoever answers says that it has dealt with all that came before.
  public var holdsPongs = false {
    didSet { if oldValue, !holdsPongs { flushControls() } }
  }

  // Sending.
  var buffer = OutputBuffer(byteCount: WebSocketLimits.outputByteCount)
  /// Whether a message that we send has begun and not ended.
  public private(set) var isMessageOpen = false
  /// Whether our close frame stands in the output, or went out.
  public private(set) var isCloseSent = false
  private var waitingControls: [[UInt8]] = []
  private var waitingPong: [UInt8]?

  /// - Parameter masks: gives a number that nobody can foresee for each frame; only a client asks for them.
  public init(role: Role, limits: WebSocketLimits = WebSocketLimits(), masks: @escaping () -> UInt32) {
    self.role = role
    self.limits = limits
    nextMask = masks
  }

  // MARK: Output

  /// The bytes to be written next; empty when there are none. They stay where they are until they are consumed.
  public var output: UnsafeRawBufferPointer { unsafe buffer.waiting }

  /// So many bytes of the output were written.
  public func outputConsumed(_ byteCount: Int) {
    buffer.consume(byteCount)
    flushControls()
  }

  /// Bytes of payload that the next fragment may have; 0 while the output is too full for one worth sending, after a
  /// close, and after a failure. Once full, the output has room again only when all of it was written, so that what is
  /// sent can't grow old in a queue.
  public var fragmentRoom: Int {
    guard !isCloseSent, failure == nil, waitingControls.isEmpty else { return 0 }
    let room = buffer.roomByteCount - WebSocketLimits.controlByteCount - FrameHeader.maxByteCount
    return room >= min(WebSocketLimits.fragmentByteCount, WebSocketLimits.outputByteCount / 4)
      ? min(room, WebSocketLimits.fragmentByteCount) : 0
  }

  /// Writes the next frame of a message: its first when none is open. `fill` writes the payload and answers whether the
  /// message ends with it. Control frames may pass before the next one.
  public func sendFragment(_ kind: MessageKind, _ fill: (inout FragmentWriter) -> Bool) {
    let limit = fragmentRoom
    precondition(limit > 0, "a fragment is sent where there is no room for one")
    let mask = role == .client ? Mask(key: nextMask()) : nil
    // `fill` must not call back into this object: the room is the output's. The payload stands behind the longest header that it may need.
    let headerByteCount = 4 + (mask == nil ? 0 : 4)
    let room = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer.room[headerByteCount..<headerByteCount + limit])
    var writer = unsafe FragmentWriter(room: room, mask: mask ?? .none)
    let isFinal = fill(&writer)
    let opcode: FrameHeader.Opcode = isMessageOpen ? .continuation : kind == .text ? .text : .binary
    let header = FrameHeader(opcode, isFinal: isFinal, byteCount: writer.byteCount, mask: mask).bytes
    let gap = headerByteCount - header.count
    if gap > 0 { unsafe closeGap(gap, room, writer.byteCount) }
    unsafe buffer.room.copyBytes(from: header)
    buffer.filled(header.count + writer.byteCount)
    isMessageOpen = !isFinal
  }

  /// A payload of up to 125 bytes moves up to its shorter header.
  private func closeGap(_ gap: Int, _ payload: UnsafeMutableRawBufferPointer, _ byteCount: Int) {
    guard byteCount > 0, let start = payload.baseAddress else { return }
    unsafe start.advanced(by: -gap).copyMemory(from: start, byteCount: byteCount)
  }

  /// Sends a whole short message at once. False when the output has no room for it now.
  public func send(_ kind: MessageKind, _ bytes: [UInt8]) -> Bool {
    precondition(!isMessageOpen, "a message is sent within another")
    guard fragmentRoom >= bytes.count else { return false }
    sendFragment(kind) { writer in
      _ = writer.append(bytes)
      return true
    }
    return true
  }

  // MARK: Control frames

  /// Sends a ping of at most 125 bytes, between two fragments if need be.
  public func ping(_ payload: [UInt8]) {
    guard !isCloseSent, failure == nil else { return }
    sendControl(.ping, payload)
  }

  /// Sends our close frame, after which nothing else may be sent.
  public func close(_ code: CloseCode?, reason: String = "") {
    guard !isCloseSent else { return }
    var payload: [UInt8] = []
    if let code, code.isValidOnWire {
      payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xff)]
      // Cut where a scalar ends.
      var text = Substring(reason)
      while text.utf8.count > FrameHeader.maxControlByteCount - 2 { text = Substring(text.unicodeScalars.dropLast()) }
      payload += text.utf8
    }
    waitingPong = nil
    sendControl(.close, payload)
    isCloseSent = true
  }

  func pong(_ payload: [UInt8]) {
    guard !isCloseSent, answersPings else { return }
    // Where the other side does not read, only the newest ping is worth an answer (RFC 6455 §5.5.3).
    waitingPong = payload
    flushControls()
  }

  private func sendControl(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
    precondition(payload.count <= FrameHeader.maxControlByteCount, "a control frame has at most 125 bytes")
    let mask = role == .client ? Mask(key: nextMask()) : nil
    var bytes = FrameHeader(opcode, isFinal: true, byteCount: payload.count, mask: mask).bytes
    let offset = bytes.count
    bytes += payload
    unsafe bytes.withUnsafeMutableBytes { whole in
      unsafe (mask ?? .none).apply(to: UnsafeMutableRawBufferPointer(rebasing: whole[offset...]), offset: 0)
    }
    waitingControls.append(bytes)
    flushControls()
  }

  private func flushControls() {
    while let next = waitingControls.first, buffer.roomByteCount >= next.count {
      buffer.append(next)
      waitingControls.removeFirst()
    }
    guard waitingControls.isEmpty, !holdsPongs, let payload = waitingPong, !isCloseSent else { return }
    guard buffer.roomByteCount >= FrameHeader.maxByteCount + FrameHeader.maxControlByteCount else { return }
    waitingPong = nil
    sendControl(.pong, payload)
  }
}
