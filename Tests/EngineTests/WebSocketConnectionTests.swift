import Core
import Curl
import Posix
import TestKit
import Testing
import WebSocket

@testable import HermesTransfer

@Suite(.timeLimit(.minutes(5)))
struct WebSocketConnectionTests {
  @Test func `W9 messages go both ways without the WebSocket of libcurl, and the end is in order`() async {
    await withPeer({ session in
      guard session.accept(subprotocols: ["v1"]) else { return }
      while let text = session.nextText() { session.send(text) }
    }) { loop, peer in
      let user = ConnectionUser()
      let long = String(repeating: "x", count: 3_000_000)
      user.onEvent = { user, event in
        switch event {
        case .opened:
          user.send("a")
          user.send(long)
        case .message: if user.messages.count == 2 { user.close() }
        default: break
        }
      }
      let end = await user.run(peer.url(), on: loop, subprotocols: ["v2", "v1"])
      #expect(user.events.first == .opened("v1"))
      #expect(user.messages == ["a", long])
      #expect(end == .closed)
    }
  }

  @Test func `header lines and the host reach the server`() async {
    await withPeer({ session in
      guard session.accept() else { return }
      session.send("\(session.request) \(session.fields["host"] ?? "") \(session.fields["x-a"] ?? "")")
      session.waitForEnd()
    }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in if case .message = event { user.close() } }
      _ = await user.run(peer.url("/ws?token=a%2Bb"), on: loop, lines: ["X-A: 1"])
      #expect(user.messages == ["GET /ws?token=a%2Bb HTTP/1.1 127.0.0.1:\(peer.port) 1"])
    }
  }

  @Test func `another answer than 101 is told with its words`() async {
    await withPeer({ $0.refuse("429 Slow down", fields: "Retry-After: 9\r\n", body: "too many\nof you") }) {
      loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop)
      #expect(end == .refused(.init(status: 429, retryAfter: "9", message: "too many")))
    }
  }

  @Test func `a server that hangs up in the handshake, and one that speaks something else`() async {
    await withPeer({ session in
      if session.number == 0 { return }
      session.sendRaw(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8))
      _ = session.receive()
    }) { loop, peer in
      let gone = await ConnectionUser().run(peer.url(), on: loop)
      guard case .invalid = gone else { if case .lost = gone { return } else { Issue.record("\(gone)"); return } }
      let odd = await ConnectionUser().run(peer.url(), on: loop)
      #expect(odd == .invalid("the answer is not HTTP"))
    }
  }

  @Test func `W20 a server that accepts and never answers is left after the limit`() async {
    await withPeer({ session in while session.receive() != nil {} }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop, connectSeconds: 0.2)
      #expect(end == .timedOut(seconds: 0.2))
    }
  }

  @Test func `nobody listens`() async {
    await withPeer({ _ in }) { loop, _ in
      let end = await ConnectionUser().run("ws://127.0.0.1:\(FreePort.next())/", on: loop)
      guard case .unreachable(let error) = end else {
        Issue.record("\(end)")
        return
      }
      #expect(error.fault == .connect)
    }
  }

  @Test func `W2 the other side's close is told with its own words`() async {
    await withPeer({ session in
      guard session.accept() else { return }
      session.close(.messageTooBig, "no more than 1 MiB")
      session.waitForEnd()
    }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop)
      #expect(end == .closedByPeer(.messageTooBig, reason: "no more than 1 MiB"))
    }
  }

  @Test func `W21 a lost line is told without anything being sent`() async {
    await withPeer({ session in
      guard session.accept() else { return }
      if session.number == 1 { session.reset() }
    }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop)
      #expect(end == .lost(nil))
      guard case .lost = await ConnectionUser().run(peer.url(), on: loop) else {
        Issue.record("not lost")
        return
      }
    }
  }

  @Test func `what breaks the protocol is answered with its code`() async {
    let codes = Lock()
    nonisolated(unsafe) var seen: PeerSession.Event?
    await withPeer({ session in
      guard session.accept() else { return }
      session.sendRaw([0x83, 0x00])
      let event = session.next()
      codes.withLock { seen = event }
      session.waitForEnd()
    }) { loop, peer in
      let end = await ConnectionUser().run(peer.url(), on: loop)
      guard case .violated(let failure) = end, failure.code == .protocolError else {
        Issue.record("\(end)")
        return
      }
    }
    guard case .close(.protocolError, _) = codes.withLock({ seen }) else {
      Issue.record("\(String(describing: seen))")
      return
    }
  }

  @Test func `W16 a ping is on the wire before its pong comes`() async {
    await withPeer({ session in
      guard session.accept() else { return }
      session.waitForEnd()
    }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in
        switch event {
        case .opened: user.connection?.ping([1, 2])
        case .pong: user.close()
        default: break
        }
      }
      _ = await user.run(peer.url(), on: loop)
      #expect(user.events == [.opened(nil), .pingLeft, .pong([1, 2]), .ended(.closed)])
    }
  }

  @Test func `W13 a peer that does not read makes the sender wait, and ending still works`() async {
    await withPeer({ session in if session.accept() { session.idle() } }) { loop, peer in
      let user = ConnectionUser()
      user.onEvent = { user, event in
        guard case .opened = event else { return }
        user.send([UInt8](repeating: 1, count: 64 << 20))
        Self.endOnceFull(user, loop)
      }
      let end = await user.run(peer.url(), on: loop)
      #expect(end == .closed)
      #expect(user.unsentByteCount > 32 << 20)
    }
  }

  private static func endOnceFull(_ user: ConnectionUser, _ loop: CurlLoop) {
    loop.post {
      guard let connection = user.connection else { return }
      if connection.fragmentRoom == 0 { connection.abort(.closed) } else { endOnceFull(user, loop) }
    }
  }
}
