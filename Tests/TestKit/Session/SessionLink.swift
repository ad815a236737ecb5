import Core
import Glibc
import WebSocket

/// A client's socket and codec, and the thread that reads.
///
/// `@unchecked Sendable`: the codec is touched inside `codec` only, the sink by the reading thread only.
final class SessionLink: @unchecked Sendable {
  let events = Guarded<[SessionClient.Event]>([])
  private let descriptor: Int32
  private let codec: Guarded<WebSocketCodec>
  private let sink: SessionSink
  /// A reset is told once only, to whichever call is next: it may be one that sends.
  private let wasReset = Guarded(false)

  private init(_ descriptor: Int32, answersPings: Bool) {
    self.descriptor = descriptor
    var random = SeededRandom(seed: UInt64(descriptor))
    let codec = WebSocketCodec(role: .client) { UInt32(truncatingIfNeeded: random.next()) }
    codec.answersPings = answersPings
    self.codec = Guarded(codec)
    sink = SessionSink(events)
  }

  deinit { Glibc.close(descriptor) }

  static func connected(
    port: UInt16, _ target: String, _ headers: [String], readsNothing: Bool, answersPings: Bool
  ) -> Result<SessionLink, SessionClient.NotConnected> {
    guard let descriptor = LoopbackSocket.connected(port: port) else { return .failure(.init(reason: "no connection")) }
    let link = SessionLink(descriptor, answersPings: answersPings)
    // Not the system's generator: the thread sanitizer stumbles over generators without bytes.
    var handshake = ClientHandshake(
      host: "127.0.0.1:\(port)", target: target, headerLines: headers)
    link.write(handshake.request)
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      switch handshake.receive(chunk[..<max(0, count)], isEnd: count <= 0) {
      case .accepted(_, let rest)?:
        if !readsNothing { startThread { link.read(rest) } }
        return .success(link)
      case .some(let outcome): return .failure(.init(reason: "\(outcome)"))
      case nil: if count <= 0 { return .failure(.init(reason: "no answer")) }
      }
    }
  }

  func shutDown() { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func read(_ rest: [UInt8]) {
    var chunk = rest
    var count = rest.count
    if count == 0 {
      chunk = [UInt8](repeating: 0, count: 1 << 16)
      count = recv(descriptor, &chunk, chunk.count, 0)
    }
    while count > 0 {
      codec.withLock { codec in
        chunk.withUnsafeMutableBytes { codec.receive(UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), sink) }
        flush(codec)
      }
      if chunk.count < 1 << 16 { chunk = [UInt8](repeating: 0, count: 1 << 16) }
      count = recv(descriptor, &chunk, chunk.count, 0)
    }
    let isReset = count < 0 || wasReset.withLock { $0 }
    events.withLock { $0.append(.ended(isReset: isReset)) }
    shutDown()
  }

  func sendMessage(_ bytes: [UInt8]) {
    var offset = 0
    codec.withLock { codec in
      repeat {
        flush(codec)
        guard codec.fragmentRoom > 0 else { return }
        codec.sendFragment(.text) { writer in
          offset += writer.append(bytes, from: offset)
          return offset == bytes.count
        }
      } while offset < bytes.count
      flush(codec)
    }
  }

  func ping(_ payload: [UInt8]) {
    codec.withLock {
      $0.ping(payload)
      flush($0)
    }
  }

  func close(_ code: CloseCode) {
    codec.withLock {
      $0.close(code)
      flush($0)
    }
  }

  private func flush(_ codec: WebSocketCodec) {
    while !codec.output.isEmpty {
      let count = Glibc.send(descriptor, codec.output.baseAddress, codec.output.count, Int32(MSG_NOSIGNAL))
      if count < 0 { noteFailure() }
      // Who has been dropped is told so by the reading thread.
      codec.outputConsumed(count > 0 ? count : codec.output.count)
    }
  }

  func write(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return noteFailure() }
      done += count
    }
  }

  private func noteFailure() {
    let isReset = errno == ECONNRESET
    wasReset.withLock { $0 = $0 || isReset }
  }
}

/// Makes events of what the codec tells.
private final class SessionSink: WebSocketSink {
  private let events: Guarded<[SessionClient.Event]>
  private var reader = FrameReader()
  private var decoder = Base64Decoder()

  init(_ events: Guarded<[SessionClient.Event]>) { self.events = events }

  private func append(_ event: SessionClient.Event) { events.withLock { $0.append(event) } }

  func messageBegan(_ kind: MessageKind) {
    reader.messageBegan()
    decoder.begin()
  }

  func messageReceived(_ bytes: UnsafeRawBufferPointer) {
    reader.read(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self))) { decoder.append($0) }
  }

  func messageEnded() {
    switch ServerFrame.decode(reader.messageEnded()) {
    case .frame(let frame): append(decoder.finish() ? .frame(frame, data: decoder.bytes) : .ignored("bad base64"))
    case .rejected(let rejection): append(.ignored(rejection.message))
    case .ignored(let reason): append(.ignored(reason.message))
    }
  }

  func pingReceived(_ payload: [UInt8]) { append(.ping) }
  func pongReceived(_ payload: [UInt8]) { append(.pong(payload)) }
  func closeReceived(_ code: CloseCode, reason: String) { append(.closed(code.rawValue, reason)) }
}
