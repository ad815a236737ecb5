import Core
import Curl
import Posix
import TestKit
import WebSocket

@testable import HermesTransfer

/// Keeps what a connection tells, and sends what a test gives it. Lives on the loop's thread.
final class ConnectionUser: WebSocketConnectionOwner, @unchecked Sendable {
  // Sendable by hand: on the loop's thread only, and read after the end was told.
  enum Event: Equatable {
    case opened(String?)
    case message(MessageKind, [UInt8])
    case pingLeft
    case pong([UInt8])
    case ended(ConnectionEnd)
  }

  private(set) var events: [Event] = []
  private(set) var connection: WebSocketConnection?
  private var kind = MessageKind.text
  private var message: [UInt8] = []
  private var outgoing: [[UInt8]] = []
  private var offset = 0
  var onEvent: (ConnectionUser, Event) -> Void = { _, _ in }
  /// Reads so far; from any thread.
  let heardCount = Guarded(0)
  private var done: (@Sendable (ConnectionEnd) -> Void)?

  var messages: [String] {
    events.compactMap { if case .message(_, let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }

  /// Connects, and waits for the end.
  func run(
    _ url: String, on loop: CurlLoop, subprotocols: [String] = [], lines: [String] = [], connectSeconds: Double = 15,
    options: CurlOptions = CurlOptions(), isPaused: Bool = false
  ) async -> ConnectionEnd {
    await withCheckedContinuation { continuation in
      loop.post {
        self.done = { continuation.resume(returning: $0) }
        loop.tick = { now in
          self.connection?.turn(now)
          return self.connection?.nextMoment
        }
        guard let web = try? WebURL(url.replacing("ws://", with: "http://").replacing("wss://", with: "https://"))
        else {
          return
        }
        var target = WebSocketConnection.Target(url: web)
        target.subprotocols = subprotocols
        target.headerLines = lines
        target.connectSeconds = connectSeconds
        target.options = options
        self.connection = WebSocketConnection(loop: loop, owner: self, target: target, now: loop.now)
        self.connection?.isReadingPaused = isPaused
      }
    }
  }

  var unsentByteCount: Int { outgoing.reduce(0) { $0 + $1.count } - offset }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    outgoing.append(bytes)
    connection?.wake()
  }

  func pause() { connection?.isReadingPaused = true }

  func close(_ code: CloseCode = .normal) { connection?.close(code, now: Instant(nanoseconds: Clocks.monotonic())) }

  private func tell(_ event: Event) {
    events.append(event)
    onEvent(self, event)
  }

  func connectionReachedServer() {}
  func connectionOpened(subprotocol: String?) { tell(.opened(subprotocol)) }

  func connectionHasRoom() -> Bool {
    guard let connection, let next = outgoing.first else { return false }
    connection.sendFragment(.text) { writer in
      offset += writer.append(next, from: offset)
      return offset == next.count
    }
    if offset == next.count {
      outgoing.removeFirst()
      offset = 0
    }
    return true
  }

  func connectionHeard() { heardCount.withLock { $0 += 1 } }
  func connectionWrote() {}
  func connectionPingLeft() { tell(.pingLeft) }

  func connectionEnded(_ end: ConnectionEnd) {
    tell(.ended(end))
    connection = nil
    onEvent = { _, _ in }
    done?(end)
    done = nil
  }

  func messageBegan(_ kind: MessageKind) {
    self.kind = kind
    message = []
  }
  func messageReceived(_ bytes: UnsafeRawBufferPointer) { message += bytes }
  func messageEnded() { tell(.message(kind, message)) }
  func pingReceived(_ payload: [UInt8]) {}
  func pongReceived(_ payload: [UInt8]) { tell(.pong(payload)) }
  func closeReceived(_ code: CloseCode, reason: String) {}
}

/// A loop and a peer for one test.
func withPeer(
  _ script: @escaping @Sendable (PeerSession) -> Void, _ body: (CurlLoop, ScriptedPeer) async throws -> Void
) async rethrows {
  let peer = ScriptedPeer(script)
  let loop = CurlLoop(maxConnections: 4)
  loop.start()
  defer {
    loop.stop()
    peer.stop()
  }
  try await body(loop, peer)
}
