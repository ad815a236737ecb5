import Core
import HermesTransfer
import Posix
import TestKit
import Testing
import WebSocket

/// A `ReconnectingWebSocket` whose connections break, stall or are refused.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketLossTests {
  @Test func `W19 a server that falls silent is left, and the next connection serves`() async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      if session.number == 0 { return session.idle() }
      session.send("here")
      session.waitForEnd()
    }
    defer { peer.stop() }
    let socket = try socket(peer) {
      $0.pingAfterSeconds = 0.05
      $0.deadAfterSeconds = 0.2
    }
    await socket.connect()
    #expect(await losses(socket, 1).first?.failure.code == .stalled)
    #expect(await texts(socket, 1) == ["here"])
    await socket.disconnect()
  }

  @Test func `W20 the reason tells whether the connection or the upgrade took too long`() async throws {
    let peer = ScriptedPeer { session in while session.receive() != nil {} }
    defer { peer.stop() }
    for (url, stage) in [(peer.url(), "timeout-upgrade"), ("wss" + peer.url().dropFirst(2), "timeout-connect")] {
      let socket = try socket(url) { $0.connectSeconds = 0.1 }
      await socket.connect()
      let failure = try #require(await losses(socket, 1).first?.failure)
      #expect(failure.code == .timedOut && failure.message.hasPrefix(stage), "\(failure.message)")
      await socket.disconnect()
    }
  }

  @Test func `W22 stopping takes three seconds where nothing comes back any more`() async throws {
    let peer = ScriptedPeer { session in if session.accept() { session.idle() } }
    defer { peer.stop() }
    let socket = try socket(peer)
    await socket.connect()
    for await event in socket.events { if case .stateChanged(.connected) = event { break } }
    try await socket.send(data: [UInt8](repeating: 0, count: 64 << 20))
    let begin = Clocks.monotonic()
    await socket.disconnect()
    // However slow the machine: the connection itself would count as dead after a minute.
    #expect(Clocks.monotonic() - begin < 30_000_000_000)
    #expect(await socket.state == .idle)
  }

  @Test func `W25 a server that flaps meets growing delays`() async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      session.send("here")
    }
    defer { peer.stop() }
    let socket = try socket(peer) {
      $0.policy.firstSeconds = 0.004
      $0.policy.maxSeconds = 0.128
    }
    await socket.connect()
    let delays = await losses(socket, 5).map(\.afterSeconds)
    await socket.disconnect()
    for (delay, ceiling) in zip(delays, [0.008, 0.016, 0.032, 0.064, 0.128]) { #expect(delay <= ceiling) }
    #expect(delays.count == 5 && delays[4] > 0.03, "\(delays)")
  }

  @Test func `W26 W27 it never gives up on what may pass, and never says connected without a connection`() async throws
  {
    let port = FreePort.next()
    let socket = try socket("ws://127.0.0.1:\(port)/") { $0.policy.maxSeconds = 0.002 }
    await socket.connect()
    var states: [ReconnectingWebSocket.ConnectionState] = []
    for await event in socket.events {
      if case .stateChanged(let state) = event { states.append(state) }
      if states.count == 50 { break }
    }
    for state in states {
      switch state {
      case .connecting, .reconnecting: break
      default: Issue.record("\(state)")
      }
    }
    let peer = ScriptedPeer(port: port) { session in
      guard session.accept() else { return }
      session.send("here")
      session.waitForEnd()
    }
    #expect(await texts(socket, 1) == ["here"])
    #expect(await socket.state == .connected(subprotocol: nil))
    peer.stop()
    #expect(await losses(socket, 1).count == 1)
    #expect(await socket.state != .connected(subprotocol: nil))
    await socket.disconnect()
  }

  @Test(arguments: [1008, 4401, 4403, 4409] as [UInt16])
  func `W30 W28 a close that will not pass ends it after one attempt`(_ code: UInt16) async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      session.close(CloseCode(rawValue: code), "go away")
      // The code counts, not the reset behind it.
      session.reset()
    }
    defer { peer.stop() }
    let socket = try socket(peer)
    await socket.connect()
    let failure = try #require(await failure(socket))
    #expect(failure.message.contains("\(code): go away"), "\(failure.message)")
    #expect(peer.connectionCount == 1)
  }

  @Test func `a connect that comes before the end of a disconnect opens the next, and both return`() async throws {
    let isAsked = Guarded(false)
    let isAgain = Guarded(false)
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      session.send("\(session.number)")
      guard session.number == 0 else { return session.waitForEnd() }
      _ = session.receive()
      isAsked.withLock { $0 = true }
      while !isAgain.withLock({ $0 }), session.isThere {}
    }
    defer { peer.stop() }
    let socket = try socket(peer)
    await socket.connect()
    #expect(await texts(socket, 1) == ["0"])
    let ending = Task { await socket.disconnect() }
    #expect(await eventually { isAsked.withLock { $0 } })
    await socket.connect()
    isAgain.withLock { $0 = true }
    await ending.value
    #expect(await texts(socket, 1) == ["1"])
    await socket.disconnect()
  }
}
