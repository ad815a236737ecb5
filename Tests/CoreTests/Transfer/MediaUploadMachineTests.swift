import Testing

@testable import Core

@Suite struct MediaUploadMachineTests {
  static let reset = SessionEnd.lost(.transient(TransferFailure(.connectionFailed, "connection reset")))
  static let part = 3_145_728
  static let resuming = MediaExtension(resumes: true)
  let now = Instant.zero

  func machine(
    _ byteCount: Int, isAtMostOnce: Bool = false, saved: MediaUploadMachine.Saved = .init()
  ) -> MediaUploadMachine {
    var settings = MediaUploadMachine.Settings(
      id: "u", kind: .document, mime: "text/plain", byteCount: Int64(byteCount), fileName: "a.txt", caption: "c")
    settings.isAtMostOnce = isAtMostOnce
    return MediaUploadMachine(settings, saved: saved)
  }

  /// Performs records at once, and gives everything that was to be done.
  func settle(_ machine: inout MediaUploadMachine, _ actions: [MediaUploadMachine.Action])
    -> [MediaUploadMachine.Action]
  {
    var all = actions
    for action in actions {
      if case .recordDurably(let number) = action { all += settle(&machine, machine.recorded(number, now: now)) }
      if action == .checkSource { all += settle(&machine, machine.sourceChecked(now: now)) }
    }
    return all
  }

  func ready(_ machine: inout MediaUploadMachine, _ offer: MediaExtension? = nil) -> [MediaUploadMachine.Action] {
    settle(&machine, machine.sessionReady(offer, now: now))
  }

  func written(_ machine: inout MediaUploadMachine) -> [MediaUploadMachine.Action] {
    settle(&machine, machine.partWritten(now: now))
  }

  func passed(_ machine: inout MediaUploadMachine, _ barrier: UInt64) -> [MediaUploadMachine.Action] {
    settle(&machine, machine.barrierPassed(barrier, now: now))
  }

  func sends(_ actions: [MediaUploadMachine.Action]) -> [MediaFrame] {
    actions.compactMap { if case .send(let frame, _) = $0 { frame } else { nil } }
  }

  func outcome(_ actions: [MediaUploadMachine.Action]) -> MediaUploadMachine.Outcome? {
    actions.compactMap { if case .end(let outcome) = $0 { outcome } else { nil } }.first
  }

  /// Writes and reads everything; the parts that were sent, and the rest of the actions.
  func run(
    _ machine: inout MediaUploadMachine, _ actions: [MediaUploadMachine.Action]
  ) -> [MediaUploadMachine.Action] {
    var all = actions
    var barriers: [UInt64] = []
    while !machine.isEnded {
      if machine.isWriting {
        let next = written(&machine)
        barriers += next.compactMap { if case .barrier(let number) = $0 { number } else { nil } }
        all += next
      } else if let barrier = barriers.first {
        barriers.removeFirst()
        all += passed(&machine, barrier)
      } else {
        break
      }
    }
    return all
  }

  // MARK: The straight road

  static let sizes: [(byteCount: Int, ranges: [(Int, Int)])] = [
    (0, [(0, 0)]), (1, [(0, 1)]), (part, [(0, part)]), (part + 1, [(0, part), (part, part + 1)]),
    (3 * part, [(0, part), (part, 2 * part), (2 * part, 3 * part)]),
  ]

  @Test(arguments: sizes) func `a file goes out in parts, an empty one in a part without a byte`(
    byteCount: Int, ranges: [(Int, Int)]
  ) {
    var machine = machine(byteCount)
    #expect(machine.state == .queued)
    let actions = run(&machine, ready(&machine))
    let sent = actions.compactMap { if case .send(_, let range) = $0 { range } else { nil } }
    #expect(sent == ranges.map { ByteRange(Int64($0.0), Int64($0.1)) })
    #expect(sends(actions).map(\.part) == Array(0..<ranges.count))
    #expect(sends(actions).allSatisfy { $0.parts == ranges.count && $0.fileName == "a.txt" && $0.mime == "text/plain" })
    #expect(outcome(actions) == .sent)
    #expect(machine.state == .sent)
    #expect(machine.bytesDone == Int64(byteCount))
  }

  @Test func `the caption is on the first and the last part only`() {
    var machine = machine(4 * Self.part)
    #expect(sends(run(&machine, ready(&machine))).map(\.caption) == ["c", nil, nil, "c"])
  }

  @Test func `T02 W13 W14 two parts at most are unread, and only pongs move the progress`() {
    var machine = machine(5 * Self.part)
    #expect(sends(ready(&machine)).map(\.part) == [0])
    #expect(sends(written(&machine)).map(\.part) == [1])
    #expect(machine.bytesDone == 0)
    let second = written(&machine)
    #expect(sends(second).isEmpty && second == [.barrier(2)])
    #expect(machine.bytesDone == 0)
    let read = passed(&machine, 1)
    #expect(sends(read).map(\.part) == [2])
    #expect(machine.bytesDone == Int64(Self.part))
    // One pong may speak for both.
    _ = written(&machine)
    #expect(sends(passed(&machine, 3)).map(\.part) == [3])
    #expect(machine.bytesDone == Int64(3 * Self.part))
    // Late and foreign ones say nothing.
    #expect(passed(&machine, 3).isEmpty)
  }

  @Test func `W38 the last byte written is not sent; the pong behind it is`() {
    var machine = machine(10)
    _ = ready(&machine)
    #expect(outcome(written(&machine)) == nil)
    #expect(machine.state == .running)
    #expect(outcome(passed(&machine, 1)) == .sent)
  }

  @Test func `the last part waits for the record that it was begun`() {
    var machine = machine(Self.part + 1)
    let sent1 = sends(machine.sessionReady(nil, now: now))
    #expect(sent1.map(\.part) == [0])
    #expect(machine.partWritten(now: now) == [.barrier(1), .recordDurably(1)])
    #expect(machine.saved.isLastPartBegun)
    #expect(machine.recorded(7, now: now).isEmpty)
    let sent2 = sends(machine.recorded(1, now: now))
    #expect(sent2.map(\.part) == [1])
  }

  // MARK: Proof

  @Test func `delivered is what the gateway has with our digest`() {
    var machine = machine(10)
    let sent = run(&machine, ready(&machine, Self.resuming))
    #expect(sent.contains(.reachedSent) && outcome(sent) == nil)
    #expect(machine.state == .sent)
    #expect(machine.doneReceived(MediaDoneFrame(id: "other", byteCount: 10, sha256: "aa")).isEmpty)
    #expect(machine.doneReceived(MediaDoneFrame(id: "u", byteCount: 10, sha256: "aa")) == [.digestSource])
    let end3 = outcome(machine.sourceDigested("aa"))
    #expect(end3 == .delivered)
    #expect(machine.state == .delivered)
  }

  @Test func `another digest or length is no delivery`() {
    for (byteCount, digest, code) in [(10, "bb", FailureCode.checksumMismatch), (9, "aa", .lengthMismatch)] {
      var machine = machine(10)
      _ = run(&machine, ready(&machine, Self.resuming))
      _ = machine.sourceDigested("aa")
      guard
        case .failed(let failure)? = outcome(
          machine.doneReceived(MediaDoneFrame(id: "u", byteCount: Int64(byteCount), sha256: digest)))
      else {
        Issue.record("taken")
        return
      }
      #expect(failure.code == code)
    }
  }

  @Test func `a gateway that never confirms leaves it at sent, after a while that grows with the file`() {
    var machine = machine(64 << 20)
    _ = run(&machine, ready(&machine, Self.resuming))
    #expect(machine.deadline == now + 34)
    #expect(machine.timerFired(now: now + 33).isEmpty)
    let end4 = outcome(machine.timerFired(now: now + 34))
    #expect(end4 == .sent)
  }

  @Test func `a proof that comes early ends the sending`() {
    var machine = machine(9 * Self.part)
    _ = ready(&machine, Self.resuming)
    #expect(
      machine.doneReceived(MediaDoneFrame(id: "u", byteCount: Int64(9 * Self.part), sha256: "aa")) == [.digestSource])
    #expect(sends(written(&machine)).isEmpty)
    // Nothing that happens to the connection takes it back, and no timer runs.
    #expect(machine.connectionLost(Self.reset, now: now).isEmpty)
    #expect(machine.deadline == nil)
    let end5 = outcome(machine.sourceDigested("aa"))
    #expect(end5 == .delivered)
  }

  // MARK: Reconnects

  @Test func `lost midway it begins anew on the floor, and says what is sent again`() {
    var machine = machine(5 * Self.part)
    _ = ready(&machine)
    _ = written(&machine)
    _ = passed(&machine, 1)
    #expect(machine.connectionLost(Self.reset, now: now) == [.record])
    #expect(machine.state == .waiting)
    #expect(sends(ready(&machine)).map(\.part) == [0])
    #expect(machine.bytesResent == Int64(Self.part))
    #expect(outcome(run(&machine, ready(&machine))) == .sent)
  }

  @Test func `with the extension only what is missing is sent`() {
    var machine = machine(5 * Self.part)
    _ = ready(&machine, Self.resuming)
    _ = written(&machine)
    _ = machine.connectionLost(Self.reset, now: now)
    #expect(ready(&machine, Self.resuming) == [.askStatus])
    let held = RangeSet([ByteRange(0, 2), ByteRange(3, 4)])
    let other = MediaStatusFrame(id: "x", parts: 5, held: RangeSet(ByteRange(0, 5)))
    #expect(machine.statusReceived(other, now: now).isEmpty)
    let actions = run(
      &machine, settle(&machine, machine.statusReceived(.init(id: "u", parts: 5, held: held), now: now)))
    #expect(sends(actions).map(\.part) == [2, 4])
    #expect(actions.contains(.reachedSent))
  }

  @Test func `parts of another number are of no use, and no answer is none`() {
    var machine = machine(2 * Self.part)
    _ = ready(&machine, Self.resuming)
    _ = written(&machine)
    var silent = machine
    _ = machine.connectionLost(Self.reset, now: now)
    _ = ready(&machine, Self.resuming)
    let foreign = MediaStatusFrame(id: "u", parts: 3, held: RangeSet(ByteRange(0, 3)))
    let sent6 = sends(machine.statusReceived(foreign, now: now))
    #expect(sent6.map(\.part) == [0])
    _ = silent.connectionLost(Self.reset, now: now)
    _ = ready(&silent, Self.resuming)
    #expect(silent.timerFired(now: now + 14).isEmpty)
    let sent7 = sends(silent.timerFired(now: now + 15))
    #expect(sent7.map(\.part) == [0])
  }

  @Test func `T21 a new life goes on where the gateway says, with the same id`() {
    var saved = MediaUploadMachine.Saved()
    saved.acknowledged = RangeSet(ByteRange(0, 3))
    var machine = machine(5 * Self.part, saved: saved)
    #expect(machine.bytesDone == Int64(3 * Self.part))
    #expect(machine.state == .waiting)
    #expect(ready(&machine, Self.resuming) == [.askStatus])
    let status = MediaStatusFrame(id: "u", parts: 5, held: RangeSet(ByteRange(0, 4)))
    let next = settle(&machine, machine.statusReceived(status, now: now))
    #expect(sends(next).map(\.part) == [4] && sends(next).map(\.id) == ["u"])
  }

  @Test func `what had been read whole before a new life is sent already`() {
    var saved = MediaUploadMachine.Saved()
    saved.acknowledged = RangeSet(ByteRange(0, 1))
    saved.isLastPartBegun = true
    var machine = machine(10, saved: saved)
    #expect(outcome(ready(&machine)) == .sent)
  }

  @Test func `events of a connection that is gone mean nothing`() {
    var machine = machine(5 * Self.part)
    _ = ready(&machine)
    _ = written(&machine)
    _ = machine.connectionLost(Self.reset, now: now)
    #expect(machine.barrierPassed(1, now: now).isEmpty)
    #expect(machine.partWritten(now: now).isEmpty)
    #expect(machine.statusReceived(.init(id: "u", parts: 5, held: RangeSet()), now: now).isEmpty)
    #expect(machine.connectionLost(Self.reset, now: now).isEmpty)
    #expect(machine.bytesDone == 0)
  }
}
