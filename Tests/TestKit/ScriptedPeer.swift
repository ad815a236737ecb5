import Glibc
import Testing
import WebSocket

/// A WebSocket server on 127.0.0.1 that does what a test says: each connection runs `script` on a thread of its own.
public final class ScriptedPeer: Sendable {
  struct State {
    var sessions: [PeerSession] = []
    var runningThreadCount = 0
    var isStopping = false
  }

  /// The port of 127.0.0.1 that it listens on.
  public let port: UInt16
  private let listener: Int32
  private let state = Guarded(State())
  private let script: @Sendable (PeerSession) -> Void

  public init(port: UInt16 = 0, _ script: @escaping @Sendable (PeerSession) -> Void) {
    self.script = script
    (listener, self.port) = LoopbackSocket.bound(port)
    precondition(listen(listener, 64) == 0, "cannot listen: \(String(cString: strerror(errno)))")
    run { [self] in acceptConnections() }
  }

  public func url(_ path: String = "/ws") -> String { "ws://127.0.0.1:\(port)\(path)" }

  /// Connections accepted in all.
  public var connectionCount: Int { state.withLock { $0.sessions.count } }

  /// Waits for so many connections; false when they did not come in time.
  public func waitForConnections(_ count: Int, seconds: Double = 120) -> Bool {
    state.wait(seconds: seconds) { $0.sessions.count >= count }
  }

  /// Ends every connection and waits for the threads.
  public func stop() {
    state.withLock { state in
      state.isStopping = true
      for session in state.sessions { session.shut() }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    if !state.wait(seconds: 10, until: { $0.runningThreadCount == 0 }) {
      Issue.record("the peer's threads did not end")
    }
    close(listener)
  }

  private func run(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.runningThreadCount += 1 }
    startThread { [state] in
      body()
      state.withLock { $0.runningThreadCount -= 1 }
    }
  }

  private func acceptConnections() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let session = state.withLock { state -> PeerSession? in
        guard !state.isStopping else { return nil }
        let session = PeerSession(descriptor: descriptor, number: state.sessions.count)
        state.sessions.append(session)
        return session
      }
      guard let session else {
        close(descriptor)
        return
      }
      run { [script] in
        script(session)
        session.end()
      }
    }
  }
}

/// One connection of a `ScriptedPeer`. On its thread only, but for `shut`.
public final class PeerSession: WebSocketSink, @unchecked Sendable {
  public enum Event: Equatable, Sendable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseCode, String)
  }

  /// How many connections there were before.
  public let number: Int
  /// The request's first line and its fields, names in lower case.
  public private(set) var request = ""
  public private(set) var fields: [String: String] = [:]
  private let descriptor: Int32
  private let isOpen = Guarded(true)
  private let codec = WebSocketCodec(role: .server, limits: WebSocketLimits(maxMessageByteCount: 64 << 20)) { 0 }
  private var held: [UInt8] = []
  private var events: [Event] = []
  private var kind = MessageKind.text
  private var message: [UInt8] = []

  init(descriptor: Int32, number: Int) {
    self.descriptor = descriptor
    self.number = number
  }

  // MARK: The handshake

  /// Reads the request's head; false when the client left before its end.
  public func readRequest() -> Bool {
    while true {
      if let end = held.indices.first(where: { held[$0...].starts(with: Array("\r\n\r\n".utf8)) }) {
        let lines = String(decoding: held[..<end], as: UTF8.self).split(separator: "\r\n")
        held.removeFirst(end + 4)
        request = lines.first.map(String.init) ?? ""
        for line in lines.dropFirst() {
          let pieces = line.split(separator: ":", maxSplits: 1)
          if pieces.count == 2 { fields[pieces[0].lowercased()] = String(pieces[1].drop { $0 == " " }) }
        }
        return true
      }
      guard let bytes = receive() else { return false }
      held += bytes
    }
  }

  /// Reads the request and agrees to it; false when there was none that it could agree to.
  public func accept(subprotocols: [String] = []) -> Bool {
    guard readRequest() else { return false }
    let answer = ServerHandshake.answer(method: "GET", subprotocols: subprotocols) { fields[$0] }
    guard case .accept(let answered, _) = answer else { return false }
    let text = "HTTP/1.1 101 Switching Protocols\r\n" + answered.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    return sendRaw(Array(text.utf8))
  }

  /// Reads the request and answers with another status.
  public func refuse(_ status: String, fields: String = "", body: String = "") {
    guard readRequest() else { return }
    sendRaw(Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)".utf8))
  }

  // MARK: Messages

  /// What came next; nil at the end of the connection.
  public func next() -> Event? {
    while events.isEmpty {
      if held.isEmpty {
        // A server ends the connection when both have said so (RFC 6455 §7.1.1).
        guard codec.failure == nil, codec.closeReceived == nil, let bytes = receive() else { return nil }
        held = bytes
      }
      var bytes = held
      held = []
      bytes.withUnsafeMutableBytes { codec.receive($0, self) }
      flush()
    }
    return events.removeFirst()
  }

  /// The next message that is text; everything else is passed over.
  public func nextText() -> String? {
    while let event = next() { if case .text(let text) = event { return text } }
    return nil
  }

  @discardableResult
  public func send(_ text: String) -> Bool { send(.text, Array(text.utf8)) }

  /// In as many fragments as it takes.
  @discardableResult
  public func send(_ kind: MessageKind, _ bytes: [UInt8]) -> Bool {
    var offset = 0
    repeat {
      // Nothing is written any more once the connection has broken.
      guard codec.fragmentRoom > 0 else { return false }
      codec.sendFragment(kind) { writer in
        offset += writer.append(bytes, from: offset)
        return offset == bytes.count
      }
      guard flush() else { return false }
    } while offset < bytes.count
    return true
  }

  public func ping(_ payload: [UInt8]) {
    codec.ping(payload)
    flush()
  }

  public func close(_ code: CloseCode, _ reason: String = "") {
    codec.close(code, reason: reason)
    flush()
  }

  /// Waits until the client ends; what it sends is looked at as far as answers go.
  public func waitForEnd() { while next() != nil {} }

  // MARK: Bytes

  @discardableResult
  public func sendRaw(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// The next bytes as they come; nil at the end.
  public func receive() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    return count > 0 ? Array(chunk[..<count]) : nil
  }

  /// Whether the client, and the test, have not ended the connection; waits a moment.
  public var isThere: Bool {
    var entry = pollfd(fd: descriptor, events: 0x2000 /* POLLRDHUP */, revents: 0)
    return poll(&entry, 1, 1) == 0
  }

  /// Reads nothing until the client, or the test, has ended the connection.
  public func idle() {
    var entry = pollfd(fd: descriptor, events: 0x2000 /* POLLRDHUP, which Swift does not see */, revents: 0)
    while poll(&entry, 1, -1) < 0 {}
  }

  /// Ends with a reset instead of a close.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    end()
  }

  /// Ends the connection without a close frame.
  public func end() {
    isOpen.withLock { isOpen in
      if isOpen { Glibc.close(descriptor) }
      isOpen = false
    }
  }

  func shut() { isOpen.withLock { if $0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) } } }

  @discardableResult
  private func flush() -> Bool {
    while !codec.output.isEmpty {
      let bytes = Array(codec.output)
      guard sendRaw(bytes) else { return false }
      codec.outputConsumed(bytes.count)
    }
    return true
  }

  public func messageBegan(_ kind: MessageKind) {
    self.kind = kind
    message = []
  }
  public func messageReceived(_ bytes: UnsafeRawBufferPointer) { message += bytes }
  public func messageEnded() {
    events.append(kind == .text ? .text(String(decoding: message, as: UTF8.self)) : .binary(message))
  }
  public func pingReceived(_ payload: [UInt8]) { events.append(.ping(payload)) }
  public func pongReceived(_ payload: [UInt8]) { events.append(.pong(payload)) }
  public func closeReceived(_ code: CloseCode, reason: String) { events.append(.close(code, reason)) }
}
