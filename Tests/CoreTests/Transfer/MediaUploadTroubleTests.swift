import Testing

@testable import Core

/// Outcomes that nobody knows, refusals, sources that change.
extension MediaUploadMachineTests {
  /// Everything written, nothing read.
  func uncertain(isAtMostOnce: Bool = false) -> MediaUploadMachine {
    var machine = machine(10, isAtMostOnce: isAtMostOnce)
    _ = ready(&machine)
    _ = written(&machine)
    return machine
  }

  @Test func `W37 lost between the last part and its pong it is sent once more with the same id, and not again`() {
    var machine = uncertain()
    let lost = machine.connectionLost(Self.reset, now: now)
    #expect(outcome(lost) == nil)
    #expect(lost.contains { if case .note(let text) = $0 { text.contains("same id") } else { false } })
    #expect(machine.saved.isResent)
    #expect(sends(ready(&machine)).map(\.id) == ["u"])
    _ = written(&machine)
    let end8 = outcome(machine.connectionLost(Self.reset, now: now))
    #expect(end8 == .uncertain)
    #expect(machine.state == .uncertain)
  }

  @Test func `W40 at most once means that it is never sent again`() {
    var machine = uncertain(isAtMostOnce: true)
    let end9 = outcome(machine.connectionLost(Self.reset, now: now))
    #expect(end9 == .uncertain)
  }

  @Test func `a last part that was not written to its end is certain not to have come`() {
    var machine = machine(10, isAtMostOnce: true)
    _ = ready(&machine)
    #expect(machine.connectionLost(Self.reset, now: now) == [.record])
    #expect(!machine.saved.isLastPartBegun)
    #expect(outcome(run(&machine, ready(&machine))) == .sent)
  }

  @Test func `a life that ended there is judged like a connection that did`() {
    let saved = uncertain().saved
    #expect(saved.isLastPartBegun)
    var once = machine(10, isAtMostOnce: true, saved: saved)
    #expect(outcome(ready(&once)) == .uncertain)
    var again = machine(10, saved: saved)
    #expect(sends(ready(&again)).count == 1)
    #expect(again.saved.isResent)
    var thrice = machine(10, saved: again.saved)
    #expect(outcome(ready(&thrice)) == .uncertain)
    // A gateway that can tell is asked, also for what goes out at most once.
    var asked = machine(10, isAtMostOnce: true, saved: saved)
    #expect(ready(&asked, Self.resuming) == [.askStatus])
  }

  // MARK: Refusals

  @Test func `W1 W2 W45 a close for size shrinks the parts, says so in the peer's words, and is remembered`() {
    var machine = machine(2 * Self.part)
    _ = ready(&machine)
    let lost = machine.connectionLost(.closed(code: 1009, reason: "over size limit", byPeer: true), now: now)
    #expect(lost.contains(.rememberPartSize(2_359_296)))
    #expect(
      lost.contains {
        if case .note(let text) = $0 { text.contains("3.0 MiB") && text.contains("over size limit") } else { false }
      })
    let actions = run(&machine, ready(&machine))
    #expect(sends(actions).map(\.parts) == [3, 3, 3])
    #expect(outcome(actions) == .sent)
  }

  @Test func `a reset at the first part shrinks the second time`() {
    var machine = machine(9 * Self.part)
    _ = ready(&machine)
    #expect(machine.connectionLost(Self.reset, now: now) == [.record])
    _ = ready(&machine)
    _ = written(&machine)
    #expect(machine.connectionLost(Self.reset, now: now).contains(.rememberPartSize(2_359_296)))
    // What was read once is no matter of size.
    _ = ready(&machine)
    _ = written(&machine)
    _ = passed(&machine, 2)
    for _ in 0..<5 {
      #expect(machine.connectionLost(Self.reset, now: now) == [.record])
      _ = ready(&machine)
      _ = written(&machine)
    }
  }

  @Test func `a file of one part whose connection is reset twice is sent in smaller ones, not left uncertain`() {
    var machine = machine(Self.part)
    for _ in 0..<2 {
      _ = ready(&machine)
      _ = written(&machine)
      let sent10 = outcome(machine.connectionLost(Self.reset, now: now))
      #expect(sent10 == nil)
    }
    #expect(machine.saved.partByteCount == 2_359_296)
    #expect(outcome(run(&machine, ready(&machine))) == .sent)
  }

  @Test func `a gateway that refuses everything is given up at the floor, with its limit named`() {
    var machine = machine(10 << 20)
    var rounds = 0
    while !machine.isEnded, rounds < 20 {
      rounds += 1
      _ = ready(&machine)
      let actions = machine.connectionLost(.closed(code: 1009, reason: "", byPeer: true), now: now)
      guard case .failed(let failure)? = outcome(actions) else { continue }
      #expect(failure.message == "gateway refuses messages with 48.0 KiB of a file in them")
      #expect(failure.exitStatus == .refused)
    }
    #expect(rounds == 7)
  }

  @Test func `1009 while nothing of ours is on its way is none of ours`() {
    var machine = machine(10)
    #expect(machine.connectionLost(.closed(code: 1009, reason: "", byPeer: true), now: now).isEmpty)
    #expect(machine.saved.partByteCount == Self.part)
  }

  @Test func `new parts are never as many as the old ones, for their number is all that tells them apart`() {
    // 3/4 of the size would make two parts again.
    var machine = machine(Self.part + 1_000)
    _ = ready(&machine, Self.resuming)
    _ = machine.connectionLost(.closed(code: 1009, reason: "", byPeer: true), now: now)
    #expect(machine.parts == 3)
    #expect(machine.saved.partByteCount.isMultiple(of: 3))
    // And they are recorded before any of them goes out.
    _ = machine.sessionReady(nil, now: now)
    #expect(!machine.isWriting)
  }

  @Test func `W45 what the gateway says it takes is obeyed before a byte is sent`() {
    var large = machine(100 << 20)
    guard case .failed(let failure)? = outcome(ready(&large, MediaExtension(maxByteCount: 64 << 20))) else {
      Issue.record("sent")
      return
    }
    #expect(failure.message == "gateway takes files of up to 64.0 MiB, this one has 100.0 MiB")
    var parted = machine(2 << 20)
    #expect(sends(ready(&parted, MediaExtension(partByteCount: 1 << 20))).first?.parts == 3)
    var endless = machine(13 << 30)
    guard case .failed(let many)? = outcome(ready(&endless)) else {
      Issue.record("sent")
      return
    }
    #expect(many.message == "13.0 GiB are 4438 parts of 3.0 MiB, more than 4096")
  }

  // MARK: The source, the user

  @Test func `W43 a source that changed sends nothing more`() {
    var machine = machine(5 * Self.part)
    _ = ready(&machine)
    _ = written(&machine)
    let failure = TransferFailure(.sourceChanged, "the file changed")
    let sent11 = outcome(machine.sourceFailed(failure))
    #expect(sent11 == .failed(failure))
    #expect(written(&machine).isEmpty)
    #expect(passed(&machine, 1).isEmpty)
    #expect(machine.connectionLost(Self.reset, now: now).isEmpty)
    #expect(ready(&machine).isEmpty)
  }

  @Test func `cancelled is cancelled`() {
    var machine = machine(10)
    _ = ready(&machine)
    #expect(machine.cancel() == [.end(.cancelled)])
    #expect(machine.cancel().isEmpty)
    #expect(machine.state == .cancelled)
  }

  @Test func `T03 deciding costs as much for each of a thousand parts as for each of a hundred`() {
    func work(_ count: Int) -> Int {
      var machine = machine(count * Self.part)
      return run(&machine, ready(&machine)).count
    }
    #expect(work(1_000) <= 11 * work(100))
  }
}
