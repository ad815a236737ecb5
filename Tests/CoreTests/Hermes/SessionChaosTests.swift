import TestKit
import Testing

@testable import Core

@Suite struct SessionChaosTests {
  @Test func `W27 whatever happens, one connection at most is open, and each ends once`() {
    for seed in Seeds.fromEnvironment(count: 3_000) {
      var life = SessionChaos(seed: seed)
      life.run(events: 200)
      if let fault = life.fault {
        Issue.record("SEED=\(seed): \(fault)")
        return
      }
    }
  }
}

/// Every event in any order, on the current connection and on old ones.
private struct SessionChaos {
  var fault: String?
  private var random: SeededRandom
  private var machine = SessionMachine()
  private var open: Int?
  private var ended: Set<Int> = []
  private var now = Instant.zero

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func run(events: Int) {
    for _ in 0..<events where fault == nil {
      now = now + Double.random(in: 0...6, using: &random)
      perform(step())
      if machine.state == .connected, open == nil { fault = "connected without a socket" }
      if case .reconnecting = machine.state, machine.deadline == nil { fault = "waits for nothing" }
      if machine.state == .connecting, machine.deadline == nil { fault = "connects without a deadline" }
    }
  }

  private mutating func step() -> [SessionMachine.Action] {
    let connection = random.oneIn(4) ? Int.random(in: 0...(machine.connection + 1), using: &random) : machine.connection
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return machine.connect(now: now)
    case 1: return random.oneIn(3) ? machine.disconnect(now: now) : []
    case 2: return machine.networkUp(now: now)
    case 3: return machine.socketConnected(connection)
    case 4, 5: return machine.upgraded(connection, now: now)
    case 6, 7: return machine.readyReceived(connection, ReadyFrame(), now: now)
    case 8: return machine.lost(connection, .transient(TransferFailure(.connectionFailed, "cut")), now: now)
    case 9:
      let code = random.pick([1000, 1001, 1002, 1008, 1009, 4409] as [UInt16])
      return machine.closed(connection, code: code, reason: "", now: now)
    case 10: return machine.upgradeRefused(connection, status: random.pick([403, 429, 500]), now: now)
    default: return machine.timerFired(now: now)
    }
  }

  private mutating func perform(_ actions: [SessionMachine.Action]) {
    for action in actions {
      switch action {
      case .open(let connection):
        if open != nil { fault = "a second connection" }
        open = connection
      case .release(let connection), .drop(let connection):
        if open != connection { fault = "closes \(connection), open is \(open ?? 0)" }
        open = nil
      case .ended(let connection, _):
        if !ended.insert(connection).inserted { fault = "\(connection) ended twice" }
        if open == connection { fault = "\(connection) ended open" }
      case .greet(let connection), .close(let connection, _):
        if open != connection { fault = "speaks on \(connection)" }
      case .stateChanged: break
      }
    }
  }
}
