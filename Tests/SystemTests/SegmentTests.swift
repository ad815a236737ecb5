import TestKit
import Testing

/// Several connections, several sources, one file.
@Suite(.fewAtOnce) struct SegmentTests {
  private static let total: Int64 = 32 << 20
  private let trial = Trial(total: total)

  /// Serves with faults and downloads with four connections.
  private func download(_ flags: String...) async -> ProgramResult {
    await trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f", "--connections", "4"] + flags).wait()
  }

  @Test func `four connections fetch one file, and not twice what one would`() async {
    defer { trial.server.stop() }
    trial.serve()
    trial.expectWhole(await download())
    #expect(Set(trial.requests.map(\.connection)).count > 1)
    // Where one connection takes over what a slow one has left, the server has sent a buffer's worth of it already.
    #expect(trial.server.bodyByteCount < Self.total * 3 / 2)
  }

  @Test func `D25 W64 a reset and a broken status line in two segments leave no hole`() async {
    defer { trial.server.stop() }
    trial.serve(
      .part(holding: 20 << 20, times: 1, .reset(after: 300_000)),
      .part(holding: 30 << 20, times: 1, .brokenStatusLine))
    trial.expectWhole(await download())
  }

  @Test func `D26 a page in place of a segment is not data`() async {
    defer { trial.server.stop() }
    trial.serve(
      .part(holding: 20 << 20, times: 1, .html200),
      .part(holding: 30 << 20, times: 1, .status(503, body: "<html>too many connections</html>")))
    trial.expectWhole(await download())
  }

  @Test func `D28 the whole in place of a segment is not data`() async {
    defer { trial.server.stop() }
    trial.serve(.part(holding: 20 << 20, times: 1, .ignoreRange))
    trial.expectWhole(await download())
  }

  @Test func `D28 a segment that starts elsewhere is put where it says, or not at all`() async {
    defer { trial.server.stop() }
    trial.serve(
      .part(holding: 20 << 20, times: 1, .shiftRange(by: -65_536)),
      .part(holding: 30 << 20, times: 1, .shiftRange(by: 65_536)))
    trial.expectWhole(await download())
  }

  @Test func `D06 a file that changes between segments is of one version`() async {
    defer { trial.server.stop() }
    let other = Resource.pattern(2, byteCount: Self.total, tag: "\"E2\"")
    trial.serve(.from(3, .changed(other)))
    trial.expectWhole(await download(), Pattern(2))
  }

  @Test func `D52 segments that are reset over and over arrive, for every reset brought bytes`() async {
    defer { trial.server.stop() }
    trial.serve(.upTo(12, .reset(after: 1 << 20)))
    trial.expectWhole(await download("--max-attempts", "2"))
  }

  @Test func `a server that refuses more than two connections gets no more`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.refuseAbove(2, status: 503)))
    trial.expectWhole(await download())
    #expect(trial.requests.filter { $0.status == 503 }.count <= 12)
  }

  @Test func `a server without ranges is one stream, however many connections are asked for`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.ignoreRange, .noAcceptRanges))
    trial.expectWhole(await download())
    #expect(trial.server.bodyByteCount < 2 * Self.total)
  }

  @Test func `D34 mirrors of equal length and other bytes are not mixed`() async {
    defer { trial.server.stop() }
    let mirror = FaultServer()
    defer { mirror.stop() }
    trial.serve()
    mirror.serve("/f", .pattern(2, byteCount: Self.total, tag: "\"M\""))
    let result = await download("--mirror", mirror.url("/f"))
    let isOne = Pattern(1).firstDifference(inFile: trial.target, byteCount: Self.total) == nil
    let isOther = Pattern(2).firstDifference(inFile: trial.target, byteCount: Self.total) == nil
    #expect(result.exitStatus == 0 ? isOne || isOther : !TestFiles.exists(trial.target), "\(result)")
  }

  @Test func `D33 mirrors that have another length or no ranges do no harm`() async {
    defer { trial.server.stop() }
    let shorter = FaultServer()
    let whole = FaultServer()
    defer { for server in [shorter, whole] { server.stop() } }
    trial.serve(.from(1, .drip(bytesPerSecond: 16 << 20)))
    shorter.serve("/f", .pattern(1, byteCount: Self.total - 5, tag: "\"M\""))
    whole.serve("/f", trial.resource, .always(.ignoreRange, .noAcceptRanges))
    trial.expectWhole(await download("--mirror", shorter.url("/f"), "--mirror", whole.url("/f")))
  }

  @Test func `D33 a source that is gone is made good by its mirror`() async {
    defer { trial.server.stop() }
    let mirror = FaultServer()
    defer { mirror.stop() }
    trial.serve(.on(1, .cut(after: 1 << 20)), .from(2, .status(404)))
    mirror.serve("/f", trial.resource)
    trial.expectWhole(await download("--mirror", mirror.url("/f")))
  }
}
