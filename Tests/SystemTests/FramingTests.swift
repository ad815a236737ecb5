import TestKit
import Testing

/// Truncation, framing, and errors taken for success.
@Suite(.fewAtOnce) struct FramingTests {
  private let trial = Trial()
  private let total = Trial.total
  private let held = Trial.held

  @Test(
    arguments: [
      [], [.chunked()], [.noLength], [.http10], [.ignoreRange], [.ignoreRange, .chunked()], [.ignoreRange, .noLength],
      [.noAcceptRanges],
    ] as [[Fault]])
  func `a whole body arrives whole in every framing`(faults: [Fault]) async {
    defer { trial.server.stop() }
    trial.serve(.all(faults))
    trial.expectWhole(await trial.download())
  }

  @Test(arguments: [0, 1] as [Int64]) func `an empty file and one byte are files`(byteCount: Int64) async {
    defer { trial.server.stop() }
    trial.server.serve("/f", .pattern(1, byteCount: byteCount))
    trial.expectWhole(await trial.download(), byteCount: byteCount)
  }

  @Test func `W61 D48 a body cut short is resumed where it ended`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .cut(after: held)))
    trial.expectWhole(await trial.download())
    #expect(trial.requests.count <= 3)
    #expect(trial.server.bodyByteCount == total)
  }

  @Test func `W61 D48 chunks without the last one are not the whole`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .ignoreRange, .chunked(terminated: false), .cut(after: held)))
    trial.expectWhole(await trial.download())
  }

  @Test func `W61 D48 HTTP 1.0 with a length does not pass when short`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .http10, .cut(after: held)), .from(2, .http10))
    trial.expectWhole(await trial.download())
  }

  @Test func `D49 cuts cost no byte twice`() async {
    let trial = Trial(total: 24 << 20)
    defer { trial.server.stop() }
    trial.serve(.always(.cut(after: 8 << 20)))
    trial.expectWhole(await trial.download("--connections", "1"))
    #expect(trial.server.bodyByteCount <= (24 << 20) + 3 * (1 << 18))
  }

  @Test func `W64 D52 resets in the body are retried as long as each attempt brings bytes`() async {
    defer { trial.server.stop() }
    trial.serve(.upTo(3, .reset(after: 700_000)))
    trial.expectWhole(await trial.download("--max-attempts", "2"))
  }

  @Test func `D55 without ranges a cut leaves no short file under the final name, and the list says failed`()
    async throws
  {
    defer { trial.server.stop() }
    trial.serve(.always(.ignoreRange, .noAcceptRanges, .cut(after: total / 2)))
    let result = await trial.download("--max-attempts", "1")
    #expect(result.exitStatus != 0, "\(result)")
    #expect(!TestFiles.exists(trial.target))
    let listed = try await trial.sandbox.transfers()
    #expect(listed.map(\.state) == ["failed"])
    #expect(listed.first?.error?.exit == result.exitStatus)
  }

  @Test func `more bytes than promised are not taken`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.longBody(extra: 5)))
    let result = await trial.download("--max-attempts", "2")
    if result.exitStatus == 0 { trial.expectWhole(result) } else { #expect(!TestFiles.exists(trial.target)) }
  }

  @Test(arguments: [[.multipart], [.noContentRange], [.otherTotal(12)]] as [[Fault]])
  func `a part whose place is not told is refused`(faults: [Fault]) async {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .all(faults))
    let result = await trial.download()
    #expect(result.exitStatus == 12 || result.exitStatus == 8, "\(result)")
    #expect(!TestFiles.exists(trial.target))
  }

  @Test func `a broken status line is retried`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .brokenStatusLine))
    trial.expectWhole(await trial.download())
  }

  @Test func `a broken status line for ever is told as what it is`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.brokenStatusLine))
    trial.expectNothing(await trial.download("--max-attempts", "2"), exit: 12)
  }
}

/// A digest that is known is checked before the name appears.
@Suite(.fewAtOnce) struct IntegrityTests {
  private let trial = Trial()
  /// Of the trial's file, as `sha256sum` gives it: not by our own code.
  private let digest = "c76cfc0321e28607d14e75745c301a0de1ed0e47175e62ccca7c4890be1e969a"

  @Test func `D54 a flipped byte is exit 8 with both digests, and the file stays under its part name`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.flip(at: 1_000_000)))
    let result = await trial.download("--checksum", "sha-256:\(digest)")
    trial.expectNothing(result, exit: 8)
    #expect(result.standardError.contains(digest), "\(result)")
    #expect(trial.sandbox.partNames.count == 1)
  }

  @Test func `D07 a right digest passes, and the second run fetches nothing`() async {
    defer { trial.server.stop() }
    trial.serve()
    for _ in 0..<2 { trial.expectWhole(await trial.download("--checksum", "sha256:\(digest)")) }
    #expect(trial.server.bodyByteCount == Trial.total)
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"])
  func `D54 a digest in the answer is checked without being asked`(name: String) async {
    defer { trial.server.stop() }
    let wrong = String(repeating: "A", count: 43)
    // Content-Digest is of the bytes of this very answer: a plain request, answered with the whole.
    trial.serve(.always(.header(name, "sha-256=:\(wrong)=:"), .ignoreRange))
    trial.expectNothing(await trial.download(), exit: 8)
  }

  @Test func `D99 plain, resumed and segmented downloads end alike`() async throws {
    let total: Int64 = 20 << 20
    var shown: [ListedTransfer] = []
    for way in ["plain", "resumed", "segmented"] {
      let trial = Trial(total: total)
      defer { trial.server.stop() }
      if way == "resumed" { await trial.leavePartial(held: 1 << 20) } else { trial.serve() }
      trial.expectWhole(await trial.download("--connections", way == "segmented" ? "4" : "1"))
      shown += try await trial.sandbox.transfers()
    }
    #expect(shown.map(\.state) == ["completed", "completed", "completed"])
    #expect(shown.allSatisfy { $0.bytes_done == total && $0.bytes_total == total })
    #expect(shown.allSatisfy { $0.error == nil && $0.finished_at != nil })
  }
}
