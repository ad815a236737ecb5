import Testing

@testable import Core

@Suite struct SessionMachineTests {
  private static let reset = TransferFault.transient(TransferFailure(.connectionFailed, "connection reset"))
  private let start = Instant.zero

  /// A session that stands.
  private func standing(now: Instant = .zero) -> SessionMachine {
    var machine = SessionMachine()
    _ = machine.connect(now: now)
    _ = machine.upgraded(machine.connection, now: now)
    _ = machine.readyReceived(machine.connection, ReadyFrame(), now: now)
    return machine
  }

  private func fatal(_ machine: SessionMachine) -> TransferFailure? {
    if case .failed(let failure, _) = machine.state { failure } else { nil }
  }

  private func isWaiting(_ machine: SessionMachine) -> Bool {
    if case .reconnecting = machine.state { true } else { false }
  }

  private func opens(_ actions: [SessionMachine.Action]) -> Int {
    actions.count { if case .open = $0 { true } else { false } }
  }

  // MARK: Connecting

  @Test func `a session is connected at ready, and hello alone goes before it`() {
    var machine = SessionMachine()
    #expect(machine.state == .idle)
    #expect(machine.connect(now: start) == [.open(connection: 1), .stateChanged(.connecting)])
    #expect(machine.socketConnected(1).isEmpty)
    #expect(machine.upgraded(1, now: start) == [.greet(connection: 1)])
    #expect(machine.state == .connecting)
    #expect(!machine.maySend)
    #expect(machine.readyReceived(1, ReadyFrame(avatarURL: "/a"), now: start) == [.stateChanged(.connected)])
    #expect(machine.maySend)
    #expect(machine.ready?.avatarURL == "/a")
    #expect(machine.deadline == nil)
  }

  @Test func `a plain WebSocket that reconnects stands with the upgrade`() {
    var settings = SessionMachine.Settings()
    settings.waitsForReady = false
    var machine = SessionMachine(settings)
    _ = machine.connect(now: start)
    #expect(machine.upgraded(1, now: start) == [.stateChanged(.connected)])
  }

  @Test func `T16 W32 however often connect is called, there is one connection`() {
    var machine = SessionMachine()
    var count = 0
    for _ in 0..<5 { count += opens(machine.connect(now: start)) }
    _ = machine.upgraded(1, now: start)
    for _ in 0..<5 { count += opens(machine.connect(now: start)) }
    _ = machine.readyReceived(1, ReadyFrame(), now: start)
    for _ in 0..<5 { count += opens(machine.connect(now: start)) }
    #expect(count == 1)
  }

  @Test func `W20 connecting and the upgrade have 15 seconds, ready has 15 more`() {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    #expect(machine.timerFired(now: start + 14.9).isEmpty)
    let actions = machine.timerFired(now: start + 15)
    let end = SessionEnd.timedOut(.connect, seconds: 15)
    #expect(actions.prefix(2) == [.drop(connection: 1), .ended(connection: 1, end)])
    #expect(end.failure.message == "timeout-connect: no connection within 15 s")
    #expect(isWaiting(machine))

    var upgrading = SessionMachine()
    _ = upgrading.connect(now: start)
    _ = upgrading.socketConnected(1)
    #expect(upgrading.timerFired(now: start + 15).contains(.ended(connection: 1, .timedOut(.upgrade, seconds: 15))))

    var greeting = SessionMachine()
    _ = greeting.connect(now: start)
    _ = greeting.upgraded(1, now: start + 14)
    #expect(greeting.timerFired(now: start + 28.9).isEmpty)
    #expect(greeting.timerFired(now: start + 29).contains(.ended(connection: 1, .timedOut(.ready, seconds: 15))))
  }

  // MARK: Ends

  static let fatalCodes: [(code: UInt16, reason: String, failure: FailureCode)] = [
    (1008, "", .unauthorized), (4401, "", .unauthorized), (4403, "no", .unauthorized), (4409, "", .inUse),
    (1008, "Replaced by a newer connection", .inUse), (1000, "session replaced", .inUse),
  ]

  @Test(arguments: fatalCodes) func `T15 W28 W30 access denied and replaced end the session`(
    code: UInt16, reason: String, failure: FailureCode
  ) {
    var machine = standing()
    let actions = machine.closed(1, code: code, reason: reason, now: start)
    #expect(actions.first == .release(connection: 1))
    #expect(fatal(machine)?.code == failure)
    #expect(machine.deadline == nil)
    // Before ready as well: the server may refuse our hello.
    var early = SessionMachine()
    _ = early.connect(now: start)
    _ = early.upgraded(1, now: start)
    _ = early.closed(1, code: code, reason: reason, now: start)
    #expect(fatal(early)?.code == failure)
    // Neither the reset behind the close frame nor the network takes it back.
    #expect(early.lost(1, Self.reset, now: start).isEmpty)
    #expect(early.networkUp(now: start).isEmpty)
    #expect(early.timerFired(now: start + 1_000).isEmpty)
  }

  static let passingCodes: [UInt16?] = [
    nil, 1000, 1001, 1005, 1006, 1009, 1011, 1012, 1013, 1014, 1015, 3000, 4000, 4499,
  ]

  @Test(arguments: passingCodes) func `every other close is followed by another try`(code: UInt16?) {
    var machine = standing()
    for round in 0..<50 {
      let now = start + Double(round) * 20
      _ = machine.closed(machine.connection, code: code, reason: "", now: now)
      #expect(isWaiting(machine))
      let actions = machine.timerFired(now: now + 15)
      #expect(opens(actions) == 1)
      _ = machine.upgraded(machine.connection, now: now + 15)
      _ = machine.readyReceived(machine.connection, ReadyFrame(), now: now + 15)
    }
  }

  @Test(arguments: [1002, 1003, 1007, 1010] as [UInt16]) func `a protocol error is fatal the third time in a row`(
    code: UInt16
  ) {
    var machine = standing()
    for round in 1...2 {
      _ = machine.closed(machine.connection, code: code, reason: "", now: start)
      #expect(isWaiting(machine), "round \(round)")
      _ = machine.timerFired(now: start + 20)
      _ = machine.upgraded(machine.connection, now: start + 20)
      _ = machine.readyReceived(machine.connection, ReadyFrame(), now: start + 20)
    }
    var other = machine
    _ = machine.closed(machine.connection, code: 1002, reason: "bad frame", now: start + 20)
    #expect(fatal(machine)?.message == "gateway closed the session with 1002: bad frame")
    #expect(fatal(machine)?.code == .protocolViolation)
    // Any other end in between breaks the row.
    _ = other.lost(other.connection, Self.reset, now: start + 20)
    _ = other.timerFired(now: start + 40)
    _ = other.upgraded(other.connection, now: start + 40)
    _ = other.closed(other.connection, code: code, reason: "", byPeer: false, now: start + 40)
    #expect(isWaiting(other))
  }

  static let refusals: [(status: Int, failure: FailureCode?)] = [
    (401, .unauthorized), (403, .forbidden), (404, .notFound), (301, .redirectRefused), (302, .redirectRefused),
    (307, .redirectRefused), (308, .redirectRefused), (400, nil), (200, nil), (426, nil), (429, nil), (500, nil),
    (502, nil), (503, nil), (504, nil),
  ]

  @Test(arguments: refusals) func `W28 what the upgrade is refused with decides`(status: Int, failure: FailureCode?) {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    _ = machine.upgradeRefused(1, status: status, location: "https://h/login?token=geheim#x", now: start)
    #expect(fatal(machine)?.code == failure)
    #expect(isWaiting(machine) == (failure == nil))
    #expect(!"\(machine.state)".contains("geheim"))
  }

  @Test func `a redirect is shown and not followed, a wrong path is asked about`() {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    _ = machine.upgradeRefused(1, status: 302, location: "https://h/login?a=b", now: start)
    #expect(fatal(machine)?.message == "gateway answered 302 and points to https://h/login")
    var other = SessionMachine()
    _ = other.connect(now: start)
    _ = other.upgradeRefused(1, status: 404, text: "not found\nsecond line", now: start)
    #expect(fatal(other)?.message == "gateway answered 404: not found")
    #expect(fatal(other)?.hint == "wrong path? a gateway usually listens at /ws")
  }

  @Test(arguments: [429, 503]) func `a busy gateway's Retry-After is honoured, also when the network comes back`(
    status: Int
  ) {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    _ = machine.upgradeRefused(1, status: status, retryAfter: 40, now: start)
    guard case .reconnecting(let until, let end) = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(until >= start + 40 && until <= start + 42.2)
    #expect(end.waitReason == .serverBackoff)
    #expect(machine.networkUp(now: start + 1).isEmpty)
    #expect(machine.connect(now: start + 1).isEmpty)
    #expect(opens(machine.timerFired(now: until)) == 1)
  }

  @Test func `a fatal error frame ends the session, another does not`() {
    var machine = standing()
    #expect(machine.errorReceived(1, ErrorFrame(code: "busy", message: "later"), now: start).isEmpty)
    #expect(machine.state == .connected)
    _ = machine.errorReceived(1, ErrorFrame(code: "revoked", message: "token revoked", isFatal: true), now: start)
    #expect(fatal(machine)?.message == "gateway ended the session: revoked: token revoked")
    #expect(fatal(machine)?.exitStatus == .refused)
  }

  @Test func `no retry helps against a bad certificate; what nobody foresaw is tried again`() {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    _ = machine.lost(1, .permanent(TransferFailure(.tls, "certificate expired")), now: start)
    #expect(fatal(machine)?.code == .tls)
    var other = SessionMachine()
    _ = other.connect(now: start)
    _ = other.lost(1, .permanent(TransferFailure(.internalError, "curl said 99")), now: start)
    #expect(isWaiting(other))
  }

  @Test func `W2 a close for size says whose limit it was, and in whose words`() {
    #expect(
      SessionEnd.closed(code: 1009, reason: "over size limit (4194400 > 1048576 bytes)", byPeer: true).failure.message
        == "gateway closed the session with 1009: over size limit (4194400 > 1048576 bytes): a message was over the gateway's limit"
    )
    #expect(
      SessionEnd.closed(code: 1009, reason: "", byPeer: false).failure.message
        == "we closed the session with 1009: a message was over our limit")
  }

  @Test func `W26 W33 a cause that can pass is tried a hundred times and more, and the next try succeeds`() {
    var machine = SessionMachine()
    var now = start
    _ = machine.connect(now: now)
    for _ in 0..<100 {
      _ = machine.lost(machine.connection, Self.reset, now: now)
      guard case .reconnecting(let until, _) = machine.state else {
        Issue.record("\(machine.state)")
        return
      }
      #expect(until.seconds(since: now) <= 15)
      now = until
      #expect(opens(machine.timerFired(now: now)) == 1)
    }
    _ = machine.upgraded(machine.connection, now: now)
    _ = machine.readyReceived(machine.connection, ReadyFrame(), now: now)
    #expect(machine.state == .connected)
  }

  @Test func `W25 a gateway that breaks right after ready meets growing delays`() {
    var machine = standing()
    var now = start
    var delays: [Double] = []
    for _ in 0..<6 {
      now = now + 1
      _ = machine.closed(machine.connection, code: 1011, reason: "", now: now)
      guard case .reconnecting(let until, _) = machine.state else { break }
      delays.append(until.seconds(since: now))
      now = until
      _ = machine.timerFired(now: now)
      _ = machine.upgraded(machine.connection, now: now)
      _ = machine.readyReceived(machine.connection, ReadyFrame(), now: now)
    }
    #expect(delays.count == 6 && delays[5] >= 7.5 && delays[0] <= 1)
    now = now + 10
    _ = machine.closed(machine.connection, code: 1011, reason: "", now: now)
    guard case .reconnecting(let until, _) = machine.state else { return }
    #expect(until.seconds(since: now) <= 1)
  }

  // MARK: One connection, one word

  @Test func `a late failure of an old socket disturbs nothing`() {
    var machine = standing()
    _ = machine.lost(1, Self.reset, now: start)
    _ = machine.timerFired(now: start + 2)
    #expect(machine.connection == 2)
    let before = machine.state
    #expect(machine.lost(1, Self.reset, now: start + 2).isEmpty)
    #expect(machine.closed(1, code: 1008, reason: "", now: start + 2).isEmpty)
    #expect(machine.upgradeRefused(1, status: 403, now: start + 2).isEmpty)
    #expect(machine.upgraded(1, now: start + 2).isEmpty)
    #expect(machine.readyReceived(1, ReadyFrame(), now: start + 2).isEmpty)
    #expect(machine.errorReceived(1, ErrorFrame(code: "x", message: "", isFatal: true), now: start + 2).isEmpty)
    #expect(machine.state == before)
  }

  @Test func `a connection ends once, whatever is said of it`() {
    var machine = standing()
    var ends = 0
    for actions in [
      machine.closed(1, code: 1001, reason: "", now: start), machine.lost(1, Self.reset, now: start),
      machine.closed(1, code: 1008, reason: "", now: start), machine.timerFired(now: start),
    ] {
      ends += actions.count { if case .ended = $0 { true } else { false } }
    }
    #expect(ends == 1)
    #expect(isWaiting(machine))
  }

  // MARK: Stopping

  @Test func `stopping during a wait takes effect at once`() {
    var machine = standing()
    _ = machine.lost(1, Self.reset, now: start)
    #expect(machine.disconnect(now: start) == [.stateChanged(.idle)])
    #expect(machine.deadline == nil)
    #expect(machine.timerFired(now: start + 100).isEmpty)
    #expect(machine.networkUp(now: start + 100).isEmpty)
  }

  @Test func `W22 stopping takes a close handshake of three seconds at most`() {
    var machine = standing()
    #expect(machine.disconnect(now: start) == [.close(connection: 1, code: 1000)])
    #expect(!machine.maySend)
    #expect(machine.disconnect(now: start + 1).isEmpty)
    #expect(machine.timerFired(now: start + 2.9).isEmpty)
    #expect(
      machine.timerFired(now: start + 3)
        == [.drop(connection: 1), .ended(connection: 1, .asked), .stateChanged(.idle)])

    var polite = standing()
    _ = polite.disconnect(now: start)
    let end = polite.closed(1, code: 1000, reason: "", now: start + 0.1)
    #expect(end == [.release(connection: 1), .ended(connection: 1, .asked), .stateChanged(.idle)])
  }

  @Test func `stopping while connecting drops the connection`() {
    var machine = SessionMachine()
    _ = machine.connect(now: start)
    #expect(
      machine.disconnect(now: start) == [.drop(connection: 1), .ended(connection: 1, .asked), .stateChanged(.idle)])
    #expect(machine.upgraded(1, now: start).isEmpty)
  }

  @Test func `connecting again while the old connection closes waits for its end`() {
    var machine = standing()
    _ = machine.disconnect(now: start)
    #expect(machine.connect(now: start + 1).isEmpty)
    #expect(
      machine.closed(1, code: 1000, reason: "", now: start + 1)
        == [.release(connection: 1), .ended(connection: 1, .asked), .open(connection: 2), .stateChanged(.connecting)])
    // Thought better of again.
    var undecided = standing()
    _ = undecided.disconnect(now: start)
    _ = undecided.connect(now: start)
    _ = undecided.disconnect(now: start)
    _ = undecided.closed(1, code: 1000, reason: "", now: start)
    #expect(undecided.state == .idle)
  }

  @Test func `the network coming back ends the wait at once, and so does the user`() {
    var machine = standing()
    _ = machine.lost(1, Self.reset, now: start)
    #expect(opens(machine.networkUp(now: start + 0.01)) == 1)
    #expect(opens(machine.networkUp(now: start + 0.01)) == 0)
    _ = machine.lost(2, Self.reset, now: start + 0.02)
    #expect(opens(machine.connect(now: start + 0.03)) == 1)
  }

  @Test func `after a fatal end the user may try again`() {
    var machine = standing()
    _ = machine.closed(1, code: 1008, reason: "", now: start)
    #expect(opens(machine.connect(now: start)) == 1)
    _ = machine.closed(2, code: 1008, reason: "", now: start)
    #expect(machine.disconnect(now: start) == [.stateChanged(.idle)])
  }
}
