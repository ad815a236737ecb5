import Core
import Posix
import WebSocket

extension Session: WebSocketSink {
  /// Takes bytes that came with the request.
  func receive(_ bytes: [UInt8]) {
    var bytes = bytes
    unsafe bytes.withUnsafeMutableBytes { unsafe received($0) }
  }

  /// Takes bytes from the socket.
  func received(_ bytes: UnsafeMutableRawBufferPointer) {
    lastByteAt = Clocks.monotonic()
    isPinged = false
    let before = receivedByteCount
    receivedByteCount += Int64(bytes.count)
    if hall.faults.withLock({ $0.drops(from: before, to: receivedByteCount) }) { return drop() }
    unsafe codec.receive(bytes, self)
    guard phase == .greeting || phase == .open else { return }
    if let failure = codec.failure {
      log("closes with \(failure.code): \(failure.message)")
      phase = .closing(until: lastByteAt + limits.close.nanoseconds)
    }
  }

  func messageBegan(_ kind: MessageKind) {
    reader.messageBegan()
    decoder.begin()
  }

  func messageReceived(_ bytes: UnsafeRawBufferPointer) {
    guard phase == .greeting || phase == .open else { return }
    if phase == .greeting, codec.receivedByteCount > limits.helloByteCount {
      return close(.messageTooBig, "the hello is longer than \(limits.helloByteCount) bytes")
    }
    unsafe reader.read(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self))) { decoder.append($0) }
  }

  func messageEnded() {
    guard phase == .greeting || phase == .open else { return }
    let delay = hall.faults.withLock { $0.nextDelay() }
    replyDue = delay.map { Clocks.monotonic() + $0.nanoseconds } ?? 0
    switch ClientFrame.decode(reader.messageEnded()) {
    case .frame(.hello(let hello)) where phase == .greeting: greet(hello)
    case _ where phase == .greeting: refuse("the first message is not a hello")
    case .frame(let frame): answer(frame)
    case .rejected(let rejection): reject(rejection)
    case .ignored(let reason):
      ignoredCount += 1
      log("ignores \(reason.message), \(ignoredCount) in all")
    }
  }

  func pingReceived(_ payload: [UInt8]) {}

  func closeReceived(_ code: CloseCode, reason: String) {
    guard phase == .greeting || phase == .open else { return }
    log("ends with \(code) \(reason)")
    phase = .closing(until: Clocks.monotonic() + limits.close.nanoseconds)
  }
}
