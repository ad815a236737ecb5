import TestKit
import Testing

@testable import Core

@Suite struct ReconnectTests {
  @Test func `T20 the delays are 1, 2, 4, 8, 15, 15 seconds at most, and no first one is 0`() {
    let policy = ReconnectPolicy()
    #expect((1...7).map { policy.ceilingSeconds(before: $0) } == [1, 2, 4, 8, 15, 15, 15])
    #expect(policy.ceilingSeconds(before: 1_000_000) == 15)
  }

  @Test func `jitter only shortens, and to no less than half`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      var policy = ReconnectPolicy()
      for ceiling in [1.0, 2, 4, 8, 15, 15] {
        let delay = policy.nextDelay(using: &random)
        #expect(delay >= ceiling / 2 && delay <= ceiling)
      }
    }
  }

  @Test func `W29 a hundred clients cut at once come back spread over half the window`() {
    let delays = (0..<100).map { seed -> Double in
      var settings = SessionMachine.Settings()
      settings.jitterSeed = UInt64(seed)
      var machine = SessionMachine(settings)
      _ = machine.connect(now: .zero)
      _ = machine.lost(1, .transient(TransferFailure(.connectionFailed, "reset")), now: .zero)
      guard case .reconnecting(let until, _) = machine.state else { return -1 }
      return until.seconds(since: .zero)
    }
    #expect(delays.allSatisfy { (0.5...1).contains($0) })
    #expect(delays.min()! < 0.55 && delays.max()! > 0.95)
    #expect(Set(delays).count == 100)
  }

  @Test func `a server's wait is kept, a little spread, and never longer than an hour`() {
    var random = SeededRandom(seed: 1)
    var policy = ReconnectPolicy()
    #expect((30...31.7).contains(policy.nextDelay(atLeast: 30, using: &random)))
    #expect((1...2).contains(policy.nextDelay(atLeast: 0, using: &random)))
    #expect(policy.nextDelay(atLeast: 1e12, using: &random) <= 3_780.2)
  }

  @Test func `T19 W25 the counter starts over only after ready and ten seconds of life`() {
    var random = SeededRandom(seed: 1)
    var policy = ReconnectPolicy()
    var now = Instant.zero
    for _ in 0..<3 { _ = policy.nextDelay(using: &random) }
    // An upgrade without ready, however long.
    now = now + 100
    policy.connectionEnded(now: now)
    #expect(policy.attempts == 3)
    policy.connectionReady(now: now)
    now = now + 9.9
    policy.connectionEnded(now: now)
    #expect(policy.attempts == 3)
    policy.connectionReady(now: now)
    policy.connectionEnded(now: now + 10)
    #expect(policy.attempts == 0)
  }
}

@Suite struct KeepAliveTests {
  private let start = Instant.zero

  @Test func `a ping goes out after 25 seconds of silence, and once`() {
    var keepAlive = KeepAlive(now: start)
    #expect(keepAlive.deadline == start + 25)
    #expect(keepAlive.timerFired(now: start + 24.9) == .alive)
    #expect(keepAlive.timerFired(now: start + 25) == .ping)
    #expect(keepAlive.timerFired(now: start + 26) == .alive)
  }

  @Test func `W19 nobody is there 60 seconds after the last byte`() {
    var keepAlive = KeepAlive(now: start)
    #expect(keepAlive.timerFired(now: start + 25) == .ping)
    keepAlive.pingSent(now: start + 25)
    #expect(keepAlive.deadline == start + 60)
    #expect(keepAlive.timerFired(now: start + 59.9) == .alive)
    #expect(keepAlive.timerFired(now: start + 60) == .dead(silentSeconds: 60))
  }

  @Test func `W17 any byte that comes is life, also in the middle of a message`() {
    var keepAlive = KeepAlive(now: start)
    for second in 1...200 {
      keepAlive.bytesReceived(now: start + Double(second))
      #expect(keepAlive.timerFired(now: start + Double(second) + 0.5) == .alive)
    }
    #expect(keepAlive.timerFired(now: start + 225) == .ping)
  }

  @Test func `W16 our ping is waited for from when it is on the wire`() {
    var keepAlive = KeepAlive(now: start)
    #expect(keepAlive.timerFired(now: start + 25) == .ping)
    // A large message is still going out in front of it.
    for second in 26...90 { keepAlive.bytesSent(now: start + Double(second)) }
    #expect(keepAlive.timerFired(now: start + 90) == .alive)
    keepAlive.pingSent(now: start + 90)
    #expect(keepAlive.timerFired(now: start + 124) == .alive)
    #expect(keepAlive.timerFired(now: start + 125) == .dead(silentSeconds: 125))
  }

  @Test func `W44 slowness is no death, a line that takes no byte for a minute is`() {
    var keepAlive = KeepAlive(now: start)
    #expect(keepAlive.timerFired(now: start + 25) == .ping)
    keepAlive.bytesSent(now: start + 50)
    #expect(keepAlive.timerFired(now: start + 109) == .alive)
    #expect(keepAlive.timerFired(now: start + 110) == .dead(silentSeconds: 110))
  }

  @Test func `the next silence is asked into again`() {
    var keepAlive = KeepAlive(now: start)
    #expect(keepAlive.timerFired(now: start + 25) == .ping)
    keepAlive.pingSent(now: start + 25)
    keepAlive.bytesReceived(now: start + 26)
    #expect(keepAlive.deadline == start + 51)
    #expect(keepAlive.timerFired(now: start + 51) == .ping)
  }
}

@Suite struct PingLedgerTests {
  @Test func `a pong speaks for the pings before it`() {
    var ledger = PingLedger()
    let first = ledger.ping(barrier: 1)
    let second = ledger.ping(barrier: 2)
    let plain = ledger.ping()
    #expect(Set([first, second, plain]).count == 3)
    #expect(ledger.pongReceived(plain) == 2)
    #expect(ledger.pongReceived(first) == nil)
    #expect(ledger.pongReceived(plain) == nil)
  }

  @Test func `pongs nobody asked for prove nothing`() {
    var ledger = PingLedger()
    _ = ledger.ping(barrier: 1)
    for payload in [
      [], [1], [UInt8](repeating: 0, count: 8), [UInt8](repeating: 255, count: 8), [0, 0, 0, 0, 0, 0, 0, 1, 0],
    ] {
      #expect(ledger.pongReceived(payload) == nil)
    }
    #expect(ledger.pongReceived([0, 0, 0, 0, 0, 0, 0, 1]) == 1)
  }

  @Test func `a peer that answers nothing costs no memory, and no barrier`() {
    var ledger = PingLedger()
    _ = ledger.ping(barrier: 9)
    var last: [UInt8] = []
    for _ in 0..<10_000 { last = ledger.ping() }
    #expect(ledger.pongReceived(last) == 9)
  }
}
