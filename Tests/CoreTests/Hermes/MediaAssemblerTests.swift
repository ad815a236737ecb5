import Testing

@testable import Core

@Suite struct MediaAssemblerTests {
  private let now = Instant.zero

  private func frame(_ id: String, _ part: Int, of parts: Int, caption: String? = nil) -> MediaFrame {
    MediaFrame(id: id, kind: .document, mime: "text/plain", part: part, parts: parts, caption: caption)
  }

  /// A connection on which media may come.
  private func assembler(_ limits: MediaLimits = MediaLimits()) -> MediaAssembler {
    var assembler = MediaAssembler(limits)
    assembler.connected()
    return assembler
  }

  /// A part comes and is recorded at once.
  private func take(
    _ assembler: inout MediaAssembler, _ id: String, _ part: Int, of parts: Int, _ sha256: String = "a",
    byteCount: Int64 = 10, at moment: Instant = .zero
  ) -> [MediaAssembler.Action] {
    var actions = assembler.partReceived(
      frame(id, part, of: parts), byteCount: byteCount, tag: "\(sha256)\(part)", now: moment)
    for case .write(let number, let held) in actions {
      actions += assembler.partRecorded(number, part: held.part, now: moment)
    }
    return actions
  }

  private func joins(_ actions: [MediaAssembler.Action]) -> [MediaJoin] {
    actions.compactMap { if case .finish(_, _, let join) = $0 { join } else { nil } }
  }

  private func events(_ actions: [MediaAssembler.Action]) -> [MediaAssembler.Event] {
    actions.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  // MARK: Parts

  @Test func `parts in any order become one file, appended as they come and joined in their order`() {
    var assembler = assembler()
    #expect(joins(take(&assembler, "m", 2, of: 3, byteCount: 5)).isEmpty)
    #expect(joins(take(&assembler, "m", 0, of: 3)).isEmpty)
    let join = joins(take(&assembler, "m", 1, of: 3)).first
    #expect(join?.parts.map(\.part) == [0, 1, 2])
    #expect(join?.parts.map(\.start) == [5, 15, 0])
    #expect(join?.isInOrder == false)
    #expect(join?.byteCount == 25)
    #expect(assembler.openCount == 0)
  }

  @Test func `parts in their order are the file already`() {
    var assembler = assembler()
    for part in 0..<3 { _ = take(&assembler, "m", part, of: 4) }
    #expect(joins(take(&assembler, "m", 3, of: 4)).first?.isInOrder == true)
  }

  @Test func `several media are interleaved`() {
    var assembler = assembler()
    for part in 0..<2 {
      for id in ["a", "b", "c"] { #expect(joins(take(&assembler, id, part, of: 3)).isEmpty) }
    }
    #expect(assembler.openCount == 3)
    for id in ["c", "a", "b"] { #expect(joins(take(&assembler, id, 2, of: 3)).count == 1) }
  }

  @Test func `a media is complete when its parts are recorded, not when they came`() {
    var assembler = assembler()
    let actions = assembler.partReceived(frame("m", 0, of: 1), byteCount: 0, tag: "a", now: now)
    #expect(
      actions == [
        .begin(assembly: 1, frame("m", 0, of: 1)),
        .write(assembly: 1, HeldPart(part: 0, start: 0, byteCount: 0, tag: "a")),
      ])
    #expect(assembler.held("m")?.held.isEmpty == true)
    let result1 = joins(assembler.partRecorded(1, part: 0, now: now))
    #expect(result1.count == 1)
    #expect(assembler.held("m")?.held == RangeSet(ByteRange(0, 1)))
  }

  @Test func `T06 entries are not counted, indices are`() {
    var assembler = assembler()
    for _ in 0..<3 { #expect(joins(take(&assembler, "m", 0, of: 3)).isEmpty) }
    #expect(assembler.held("m")?.held == RangeSet(ByteRange(0, 1)))
  }

  @Test func `the caption counts wherever it came`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 1, of: 3)
    let actions = assembler.partReceived(frame("m", 2, of: 3, caption: "c"), byteCount: 1, tag: "x", now: now)
    #expect(actions.first == .amend(assembly: 1, frame("m", 1, of: 3, caption: "c")))
  }

  // MARK: Again

  @Test func `W35 the same part with equal bytes is ignored`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 0, of: 2)
    #expect(take(&assembler, "m", 0, of: 2).isEmpty)
    #expect(assembler.byteCount == 10)
  }

  @Test func `the same part with other bytes begins anew, with one warning`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 0, of: 3)
    _ = take(&assembler, "m", 1, of: 3)
    let actions = take(&assembler, "m", 0, of: 3, "b")
    #expect(
      actions.prefix(3) == [
        .discard(assembly: 1), .event(.restarted(id: "m")), .begin(assembly: 2, frame("m", 0, of: 3)),
      ])
    #expect(assembler.byteCount == 10)
    #expect(assembler.held("m")?.held == RangeSet(ByteRange(0, 1)))
    #expect(events(take(&assembler, "m", 0, of: 3, "c")).isEmpty)
    // A word of the disk about what is gone means nothing.
    #expect(assembler.partRecorded(1, part: 1, now: now).isEmpty)
    #expect(assembler.partFailed(1, TransferFailure(.diskFull, "full")).isEmpty)
  }

  @Test func `while a media is being finished the same parts are ignored, and others make another one`() {
    var assembler = assembler()
    #expect(joins(take(&assembler, "m", 0, of: 1)).count == 1)
    #expect(take(&assembler, "m", 0, of: 1).isEmpty)
    #expect(joins(take(&assembler, "m", 0, of: 1, "b")).count == 1)
    let finish = MediaAssembler.Finish.saved(path: "/m", byteCount: 10, sha256: "s")
    let result2 = events(assembler.finished(1, finish))
    #expect(result2 == [.finished(frame("m", 0, of: 1), finish)])
    #expect(assembler.finished(1, finish).isEmpty)
    let result3 = events(assembler.finished(2, finish))
    #expect(result3.count == 1)
    #expect(assembler.byteCount == 0)
  }

  @Test(arguments: [
    ("s", 99_000, MediaReceipt.Verdict.duplicate), ("s", 13_601, .duplicate), ("s", 13_600, .new),
    ("t", 99_999, .changed),
    ("t", 1_000, .new), ("s", 200_000, .duplicate),
  ]) func `W35 a known id is judged by its digest, for a day`(sha256: String, at: Double, verdict: MediaReceipt.Verdict)
  {
    #expect(
      MediaReceipt.judge(sha256: "s", earlier: [MediaReceipt(sha256: sha256, receivedAt: at)], now: 100_000) == verdict)
  }

  @Test func `one equal receipt among others is enough`() {
    let earlier = ["x", "s", "y"].map { MediaReceipt(sha256: $0, receivedAt: 0) }
    #expect(MediaReceipt.judge(sha256: "s", earlier: earlier, now: 10) == .duplicate)
    #expect(MediaReceipt.judge(sha256: "s", earlier: [], now: 10) == .new)
  }

  // MARK: Refused

  @Test func `a number of parts that changes rejects the media, and what comes of it later`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 0, of: 3)
    let rejection = MediaRejection("m", .partsChanged(from: 3, to: 4))
    #expect(take(&assembler, "m", 1, of: 4) == [.discard(assembly: 1), .event(.rejected(rejection))])
    #expect(take(&assembler, "m", 1, of: 3).isEmpty)
    #expect(assembler.openCount == 0 && assembler.byteCount == 0)
    // Others are not touched, and the next connection is a new beginning.
    #expect(joins(take(&assembler, "n", 0, of: 1)).count == 1)
    assembler.connected()
    #expect(!take(&assembler, "m", 0, of: 3).isEmpty)
  }

  @Test func `a bad frame takes what there was of its media with it`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 0, of: 3)
    let rejection = MediaRejection("m", .badData)
    #expect(assembler.rejected(rejection) == [.discard(assembly: 1), .event(.rejected(rejection))])
    #expect(assembler.rejected(rejection).isEmpty)
    #expect(assembler.rejected(MediaRejection(nil, .noID)) == [.event(.rejected(MediaRejection(nil, .noID)))])
  }

  @Test func `W50 the caps hold, and nothing is left of what is over them`() {
    var limits = MediaLimits()
    limits.maxOpenCount = 2
    limits.maxMediaByteCount = 25
    limits.maxOpenByteCount = 40
    var assembler = assembler(limits)
    _ = take(&assembler, "a", 0, of: 9)
    _ = take(&assembler, "b", 0, of: 9)
    #expect(take(&assembler, "c", 0, of: 9) == [.event(.rejected(MediaRejection("c", .tooManyOpen(limit: 2))))])
    _ = take(&assembler, "a", 1, of: 9)
    let large = take(&assembler, "a", 2, of: 9)
    #expect(large == [.discard(assembly: 1), .event(.rejected(MediaRejection("a", .tooLarge(limit: 25))))])
    #expect(assembler.byteCount == 10)
    #expect(
      take(&assembler, "d", 0, of: 2, byteCount: 26) == [.event(.rejected(MediaRejection("d", .tooLarge(limit: 25))))])
    _ = take(&assembler, "e", 0, of: 2, byteCount: 20)
    let full = take(&assembler, "b", 1, of: 9, byteCount: 11)
    #expect(full == [.discard(assembly: 2), .event(.rejected(MediaRejection("b", .noRoom(limit: 40))))])
  }

  @Test func `T11 a disk that takes nothing fails the media and no other`() {
    var assembler = assembler()
    _ = assembler.partReceived(frame("m", 0, of: 2), byteCount: 10, tag: "a", now: now)
    let failure = TransferFailure(.diskFull, "no room")
    #expect(
      assembler.partFailed(1, failure)
        == [.discard(assembly: 1), .event(.finished(frame("m", 0, of: 2), .failed(failure)))])
    #expect(take(&assembler, "m", 1, of: 2).isEmpty)
    #expect(!take(&assembler, "n", 0, of: 2).isEmpty)
  }

  // MARK: Time, connections, lives

  @Test func `T05 W50 what stays incomplete for ten minutes is dropped, and the missing parts are named`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 1, of: 5)
    _ = take(&assembler, "m", 3, of: 5, at: now + 100)
    _ = take(&assembler, "n", 0, of: 2, at: now + 300)
    #expect(assembler.deadline == now + 700)
    #expect(assembler.timerFired(now: now + 699).isEmpty)
    let missing = RangeSet([ByteRange(0, 1), ByteRange(2, 3), ByteRange(4, 5)])
    #expect(
      assembler.timerFired(now: now + 700) == [.discard(assembly: 1), .event(.incomplete(id: "m", missing: missing))])
    #expect(assembler.deadline == now + 900)
  }

  @Test func `after a reconnect it goes on if the frames agree, and begins anew if they do not`() {
    var assembler = assembler()
    _ = take(&assembler, "m", 0, of: 3)
    _ = take(&assembler, "m", 1, of: 3)
    assembler.connected()
    #expect(take(&assembler, "m", 0, of: 3).isEmpty)
    #expect(joins(take(&assembler, "m", 2, of: 3)).count == 1)

    _ = take(&assembler, "n", 0, of: 3)
    assembler.connected()
    let anew = take(&assembler, "n", 0, of: 4)
    #expect(anew.first == .discard(assembly: 2))
    #expect(events(anew).isEmpty)
    #expect(assembler.held("n")?.parts == 4)
  }

  @Test func `a new life takes over what was recorded, and finishes what was complete`() {
    var assembler = MediaAssembler()
    let parts = [
      HeldPart(part: 2, start: 0, byteCount: 10, tag: "a2"),
      HeldPart(part: 0, start: 10, byteCount: 10, tag: "a0"),
    ]
    let open = assembler.restore(.init(head: frame("m", 2, of: 3), parts: parts, idleSeconds: 590), now: now)
    #expect(open?.number == 1 && open?.actions.isEmpty == true)
    #expect(assembler.deadline == now + 10)
    let whole = assembler.restore(.init(head: frame("n", 0, of: 1), parts: [parts[1]], idleSeconds: 1e9), now: now)
    #expect(joins(whole?.actions ?? []).count == 1)
    assembler.connected()
    #expect(take(&assembler, "m", 2, of: 3).isEmpty)
    #expect(joins(take(&assembler, "m", 1, of: 3)).first?.parts.map(\.start) == [10, 20, 0])
  }

  @Test func `what cannot have been saved is not taken over`() {
    let good = HeldPart(part: 0, start: 0, byteCount: 10, tag: "a")
    var far = good
    far.part = 3
    var negative = good
    negative.start = -1
    for parts in [[good, good], [far], [negative]] {
      var assembler = MediaAssembler()
      #expect(assembler.restore(.init(head: frame("m", 0, of: 3), parts: parts, idleSeconds: 0), now: now) == nil)
      #expect(assembler.byteCount == 0)
    }
  }

  @Test func `T03 a thousand parts in any order are joined by reading each once`() {
    var assembler = assembler()
    for part in 0..<1_000 { _ = take(&assembler, "m", 999 - part, of: 1_000) }
    #expect(assembler.openCount == 0)
  }

  @Test func `T04 what is known of media that are over takes no memory, however many came`() {
    var assembler = assembler()
    for number in 0..<1_000 {
      _ = take(&assembler, "m\(number)", 0, of: 2)
      _ = take(&assembler, "m\(number)", 1, of: 2)
      for finishing in assembler.finishing.keys {
        _ = assembler.finished(finishing, .failed(TransferFailure(.diskFull, "")))
      }
    }
    #expect(assembler.open.isEmpty && assembler.finishing.isEmpty && assembler.byteCount == 0)
    for number in 0..<10_000 { _ = assembler.rejected(MediaRejection("x\(number)", .badData)) }
    #expect(assembler.rejectedIDs.count <= 256)
  }
}
