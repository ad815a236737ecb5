import Core
import HermesTransfer
import Posix
import TestKit
import Testing
import WebSocket

@testable import struct HermesTransfer.Queue

/// Readers and senders of a `ReconnectingWebSocket` that are slower than the other side.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketPressureTests {
  @Test func `a reader that is slow makes the server wait, and does not lose the connection for it`() async throws {
    let sentCount = Guarded(0)
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      for number in 0..<200 {
        session.send(.binary, [UInt8](repeating: UInt8(number), count: 100_000))
        sentCount.withLock { $0 += 1 }
      }
      session.waitForEnd()
    }
    defer { peer.stop() }
    let socket = try socket(peer) {
      $0.pingAfterSeconds = 0.02
      $0.deadAfterSeconds = 0.05
    }
    await socket.connect()
    // Long enough to be taken for dead, if nobody knew that it is we who do not listen.
    let end = Clocks.monotonic() + 300_000_000
    #expect(await eventually { Clocks.monotonic() > end })
    #expect(sentCount.withLock { $0 } < 200)
    var count = 0
    for await event in socket.events {
      if case .stateChanged(.reconnecting) = event { Issue.record("\(event)") }
      guard case .data(let bytes) = event else { continue }
      #expect(bytes.count == 100_000 && bytes[0] == UInt8(count))
      count += 1
      if count == 200 { break }
    }
    await socket.disconnect()
    #expect(peer.connectionCount == 1)
  }

  @Test func `what was read is there after a loss, and the next connection waits for room as well`() async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      for _ in 0..<20 { session.send(.binary, [UInt8](repeating: UInt8(session.number), count: 100_000)) }
      if session.number > 0 { session.waitForEnd() }
    }
    defer { peer.stop() }
    let socket = try socket(peer)
    await socket.connect()
    var seen: [UInt8] = []
    for await event in socket.events {
      if case .data(let bytes) = event { seen.append(bytes[0]) }
      if seen.count == 40 { break }
    }
    #expect(seen == [UInt8](repeating: 0, count: 20) + [UInt8](repeating: 1, count: 20))
    await socket.disconnect()
  }

  @Test func `a message waits for its place, and a cancelled one is not sent`() async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      while let text = session.nextText() { session.send(text) }
    }
    defer { peer.stop() }
    let socket = try socket(peer)
    for number in 0..<64 { try await socket.send(text: "\(number)") }
    let cancelled = Task { try await socket.send(text: "never") }
    let waiting = Task { try await socket.send(text: "last") }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await socket.connect()
    #expect(await texts(socket, 65) == (0..<64).map(String.init) + ["last"])
    try await waiting.value
    await socket.disconnect()
  }

  @Test func `a cancelled reader takes nothing from the next`() async throws {
    let peer = ScriptedPeer { session in
      guard session.accept() else { return }
      for number in 0..<50 { session.send("\(number)") }
      session.waitForEnd()
    }
    defer { peer.stop() }
    let socket = try socket(peer)
    for _ in 0..<50 {
      let reader = Task { await socket.nextEvent() }
      reader.cancel()
      #expect(await reader.value == nil)
    }
    await socket.connect()
    #expect(await texts(socket, 50) == (0..<50).map(String.init))
    await socket.disconnect()
  }

  @Test(arguments: Seeds.fromEnvironment(count: 10))
  func `a queue gives back in order what it was given`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = Queue<Int>()
    var model: [Int] = []
    for number in 0..<5_000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        queue.append(number)
        model.append(number)
      case 10..<18: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
      case 18 where !model.isEmpty:
        queue.replaceLast(with: number)
        model[model.count - 1] = number
      default:
        let gone = queue.remove { $0 % 7 == 0 }
        #expect(gone == model.filter { $0 % 7 == 0 }, "seed \(seed)")
        model.removeAll { $0 % 7 == 0 }
      }
      #expect(queue.count == model.count && queue.first == model.first && queue.last == model.last, "seed \(seed)")
    }
  }
}
