import TestKit
import Testing

/// The same command again, and commands that are nearly the same.
@Suite(.fewAtOnce) struct SameCommandTests {
  private let trial = Trial()

  @Test func `W42 again and again, a finished file is only asked about`() async throws {
    defer { trial.server.stop() }
    trial.serve()
    for _ in 0..<4 { trial.expectWhole(await trial.download()) }
    #expect(trial.server.bodyByteCount == Trial.total)
    let listed = try #require(try await trial.sandbox.transfers().first)
    #expect(listed.bytes_total == Trial.total)
    #expect(listed.bytes_done == Trial.total)
  }

  @Test func `T24 one URL under several names is several files`() async {
    defer { trial.server.stop() }
    trial.serve()
    let url = trial.server.url("/f")
    let first = await trial.sandbox.run("download", url, "-d", trial.sandbox.folder)
    #expect(first.exitStatus == 0, "\(first)")
    let list = ["a", "b", "c"].map { "\(url)\t\($0)\n" }.joined()
    let result = await trial.sandbox.run("download", "-i", "-", "-d", trial.sandbox.folder, input: list)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(trial.sandbox.names == ["a", "b", "c", "f"])
    for name in ["a", "b", "c"] {
      #expect(trial.pattern.firstDifference(inFile: trial.sandbox.path(name), byteCount: Trial.total) == nil)
    }
  }

  @Test func `a resumed transfer is seen running by others`() async throws {
    defer { trial.server.stop() }
    await trial.leavePartial(then: .always(.drip(bytesPerSecond: 200_000)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    // Its second request is on the way, so that the record has been written or is about to be.
    let server = trial.server
    let isAsked = await eventually { server.requests("/f").count >= 2 }
    #expect(isAsked)
    var states: [String] = []
    while states.last != "running", states.count < 100 {
      states.append(try await trial.sandbox.transfers().first?.state ?? "none")
    }
    #expect(states.last == "running", "\(states)")
    life.kill(15)
    _ = await life.wait()
  }
}
