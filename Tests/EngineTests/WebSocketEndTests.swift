import Core
import Curl
import Posix
import TestKit
import Testing
import WebSocket

@testable import HermesTransfer

/// Connections that end badly, or while one side does not listen.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketEndTests {
  @Test func `W8 a message that is read in seven pieces is one`() async {
    let user = ConnectionUser()
    let text = String(repeating: "ü", count: 10_000)
    await withPeer({ session in
      guard session.accept() else { return }
      // The answer to the handshake is the first that is heard.
      for (index, piece) in Self.pieces(of: text).enumerated() {
        while user.heardCount.withLock({ $0 }) < index + 1, session.isThere {}
        session.sendRaw(piece)
      }
      session.waitForEnd()
    }) { loop, peer in
      user.onEvent = { user, event in if case .message = event { user.close() } }
      #expect(await user.run(peer.url(), on: loop) == .closed)
      #expect(user.messages == [text])
    }
  }

  /// One text frame of 20,000 bytes (RFC 6455 §5.2), cut into seven.
  private static func pieces(of text: String) -> [[UInt8]] {
    let frame = [0x81, 126, UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xff)] + Array(text.utf8)
    let step = frame.count / 7 + 1
    return stride(from: 0, to: frame.count, by: step).map { Array(frame[$0..<min($0 + step, frame.count)]) }
  }

  @Test func `W15 a ping is answered within a long message`() async {
    let seen = Guarded<[PeerSession.Event]>([])
    await withPeer({ session in
      guard session.accept() else { return }
      session.ping([9])
      while let event = session.next() {
        if case .text(let text) = event {
          seen.withLock { $0.append(.text("\(text.utf8.count)")) }
        } else {
          seen.withLock { $0.append(event) }
        }
        if case .text = event { return session.close(.normal) }
      }
    }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in
        if case .opened = event { user.send([UInt8](repeating: 0x61, count: 32 << 20)) }
      }
      _ = await user.run(peer.url(), on: loop)
    }
    #expect(seen.withLock { $0 } == [.pong([9]), .text("\(32 << 20)")])
  }

  @Test func `W1 W45 what the server said before it reset the connection counts, though we were writing`() async {
    let isFull = Guarded(false)
    let isReset = Guarded(false)
    await withPeer({ session in
      guard session.accept() else { return }
      while !isFull.withLock({ $0 }), session.isThere {}
      session.close(.messageTooBig, "no more than 1 MiB")
      session.reset()
      isReset.withLock { $0 = true }
    }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in
        guard case .opened = event else { return }
        user.send([UInt8](repeating: 1, count: 64 << 20))
        onceFull(user, loop) {
          isFull.withLock { $0 = true }
          // The loop sees both at once: that it may write, and what there is to read.
          let end = Clocks.monotonic() + 10_000_000_000
          while !isReset.withLock({ $0 }), Clocks.monotonic() < end {}
        }
      }
      let end = await user.run(peer.url(), on: loop)
      #expect(end == .closedByPeer(.messageTooBig, reason: "no more than 1 MiB"))
    }
  }

  @Test func `W45 a refusal counts though a reset cut off its words`() async {
    await withPeer({ session in
      guard session.readRequest() else { return }
      session.sendRaw(Array("HTTP/1.1 403 No\r\nContent-Length: 1000\r\n\r\nnot you\nnever".utf8))
      session.reset()
    }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop)
      #expect(end == .refused(.init(status: 403, message: "not you")))
    }
  }

  @Test func `a refusal is not waited for to its last word`() async {
    await withPeer({ session in
      guard session.readRequest() else { return }
      session.sendRaw(Array("HTTP/1.1 401 No\r\nContent-Length: 1000\r\n\r\nwho".utf8))
      session.idle()
    }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop, connectSeconds: 50)
      #expect(end == .refused(.init(status: 401, message: "who")))
    }
  }

  @Test func `while reading is paused both handshakes go on, and messages wait or are dropped`() async {
    let seen = Guarded<PeerSession.Event?>(nil)
    await withPeer({ session in
      guard session.accept() else { return }
      // More than the kernels hold: our close frame is read behind it only.
      for _ in 0..<200 { session.send(.binary, [UInt8](repeating: 1, count: 100_000)) }
      let event = session.next()
      seen.withLock { $0 = event }
    }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in
        if case .opened = event { onceHeard(user, loop) { user.close() } }
      }
      #expect(await user.run(peer.url(), on: loop, isPaused: true) == .closed)
      #expect(user.messages.count < 200)
    }
    #expect(seen.withLock { $0 } == .close(.normal, ""))
  }

  @Test func `W22 a close that nobody answers ends after its limit`() async {
    await withPeer({ session in if session.accept() { session.idle() } }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in if case .opened = event { user.close() } }
      let begin = Clocks.monotonic()
      let end = await user.run(peer.url(), on: loop)
      #expect(end == .closed)
      #expect(Double(Clocks.monotonic() - begin) / 1e9 >= 2.9)
    }
  }

  @Test(.enabled(if: ForeignPeer.Kind.caddy.isInstalled, "Caddy is not installed"))
  func `through TLS long messages go both ways, and the end is in order`() async throws {
    let long = String(repeating: "0123456789abcdef", count: 1 << 20)
    try await withPeer({ session in
      guard session.accept() else { return }
      while let text = session.nextText() { session.send(text) }
    }) { loop, peer in
      let caddy = try await ForeignPeer(.caddy, forwardingTo: peer.port)
      var options = CurlOptions()
      options.caFile = caddy.authorityFile
      // Caddy listens before its certificate is made.
      var (user, end) = (ConnectionUser(), ConnectionEnd.closed)
      for _ in 0..<200 {
        // One forgets what to do when its connection has ended.
        user = ConnectionUser()
        user.onEvent = { user, event in
          switch event {
          case .opened: for _ in 0..<2 { user.send(long) }
          case .message: if user.messages.count == 2 { user.close() }
          default: break
          }
        }
        end = await user.run("wss" + caddy.url("/ws").dropFirst(5), on: loop, options: options)
        guard case .unreachable = end else { break }
      }
      #expect(end == .closed)
      #expect(user.messages == [long, long])
      await caddy.stop()
    }
  }
}

/// Does something on the loop's thread once nothing more can be sent.
private func onceFull(_ user: ConnectionUser, _ loop: CurlLoop, _ work: @escaping @Sendable () -> Void) {
  loop.post {
    guard let connection = user.connection else { return }
    if connection.fragmentRoom == 0 { work() } else { onceFull(user, loop, work) }
  }
}

/// Does something on the loop's thread some turns later, when there is something to be heard.
private func onceHeard(
  _ user: ConnectionUser, _ loop: CurlLoop, turns: Int = 20, _ work: @escaping @Sendable () -> Void
) {
  loop.post { if turns == 0 { work() } else { onceHeard(user, loop, turns: turns - 1, work) } }
}
