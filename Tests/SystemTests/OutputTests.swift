import TestKit
import Testing

/// What is printed where, and how a run is interrupted, watched and taken up again.
@Suite(.fewAtOnce) struct OutputTests {
  private let trial = Trial()

  @Test func `D90 standard output has the path, and standard error hardly more than a line`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.drip(bytesPerSecond: 1 << 20)))
    let result = await trial.download()
    trial.expectWhole(result)
    #expect(result.standardError.utf8.count < 500, "\(result)")
    #expect(!result.standardError.contains("\r"))
    #expect(!result.standardError.contains("\u{1b}"))
  }

  @Test func `--quiet says nothing but the path`() async {
    defer { trial.server.stop() }
    trial.serve()
    let result = await trial.download("--quiet")
    trial.expectWhole(result)
    #expect(result.standardError.isEmpty)
  }

  @Test func `-o - writes the bytes to standard output and keeps no state`() async throws {
    defer { trial.server.stop() }
    trial.serve()
    let result = await trial.sandbox.run("download", trial.server.url("/f"), "-o", "-")
    #expect(result.exitStatus == 0, "\(result.standardError)")
    #expect(result.outputBytes.count == Int(Trial.total))
    #expect(Pattern(1).isEqual(to: result.outputBytes))
    #expect(trial.sandbox.names.isEmpty)
    #expect(try await trial.sandbox.transfers().isEmpty)
  }

  @Test func `-o - tells which download failed`() async {
    defer { trial.server.stop() }
    trial.server.serve("/missing", .text(""), .always(.status(404)))
    let result = await trial.sandbox.run("download", trial.server.url("/missing") + "?token=hidden", "-o", "-")
    #expect(result.exitStatus == 6, "\(result)")
    #expect(result.standardError.contains("cannot download \(trial.server.url("/missing")): server"), "\(result)")
  }

  @Test func `D84 after a resume the rate is of what is on the wire now`() async throws {
    let trial = Trial(total: 10 << 20)
    defer { trial.server.stop() }
    await trial.leavePartial(held: 9 << 20, then: .always(.drip(bytesPerSecond: 400_000)))
    let result = await trial.download("--progress", "json")
    #expect(result.exitStatus == 0, "\(result)")
    let rates = try result.progressLines().filter { $0.event == "progress" }.compactMap(\.bytes_per_second)
    #expect(!rates.isEmpty)
    #expect(rates.allSatisfy { $0 < 2_000_000 }, "\(rates)")
  }

  @Test func `--progress json tells the life of a download in order`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .cut(after: Trial.held)))
    let result = await trial.download("--progress", "json")
    #expect(result.exitStatus == 0, "\(result)")
    let lines = try result.progressLines()
    let events = lines.map(\.event)
    #expect(events.first == "added", "\(events)")
    #expect(events.contains("started"), "\(events)")
    #expect(events.last == "completed", "\(events)")
    #expect(lines.last?.path == trial.target)
    #expect(lines.last?.bytes == Trial.total)
    #expect(Set(lines.compactMap(\.id)).count == 1)
    let done = lines.compactMap(\.bytes_done)
    #expect(done == done.sorted(), "\(done)")
  }

  @Test(arguments: [(2, 130), (15, 143)] as [(Int32, Int32)])
  func `D37 a signal ends it within two seconds, and the same command goes on`(signal: Int32, exit: Int32) async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [trial] in trial.partByteCount > 0 }
    #expect(hasBegun)
    life.kill(signal)
    let result = await life.wait(seconds: 20)
    #expect(result.exitStatus == exit, "\(result)")
    #expect(result.standardError.contains("resume"), "\(result)")
    #expect(!TestFiles.exists(trial.target))
    trial.expectWhole(await trial.download())
    #expect(trial.requests.last?.range != "bytes=0-")
  }

  @Test func `an interrupted download is paused in the list, and resume takes it up`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [trial] in trial.partByteCount > 0 }
    #expect(hasBegun)
    life.kill(15)
    _ = await life.wait()
    let listed = try #require(try await trial.sandbox.transfers().first)
    #expect(listed.state == "paused")
    #expect(listed.bytes_done > 0)
    #expect(listed.bytes_total == Trial.total)
    trial.expectWhole(await trial.sandbox.run("resume", String(listed.id.prefix(4))))
    #expect(try await trial.sandbox.transfers().map(\.state) == ["completed"])
  }

  @Test func `D38 a second process on the same download is told who has it`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [server = trial.server] in server.bodyByteCount == Trial.held }
    #expect(hasBegun)
    let second = await trial.download()
    #expect(second.exitStatus == 14, "\(second)")
    #expect(second.standardError.contains("\(life.processID)"), "\(second)")
    #expect(trial.requests.count == 1)
    life.kill(15)
    _ = await life.wait()
    trial.expectWhole(await trial.download())
  }

  @Test func `wait ends when another process has finished, with its status`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .drip(bytesPerSecond: 1 << 20)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [server = trial.server] in server.bodyByteCount > 0 }
    #expect(hasBegun)
    let id = try #require(try await trial.sandbox.transfers().first?.id)
    let waited = await trial.sandbox.run("wait", id)
    #expect(waited.exitStatus == 0, "\(waited)")
    trial.expectWhole(await life.wait())
  }

  @Test(arguments: ["cancel", "remove"])
  func `wait tells of a transfer that another command ended`(command: String) async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [server = trial.server] in server.bodyByteCount == Trial.held }
    #expect(hasBegun)
    let id = try #require(try await trial.sandbox.transfers().first?.id)
    let waiting = trial.sandbox.start(["wait", id])
    let ended = await trial.sandbox.run(command, id)
    #expect(ended.exitStatus == 0, "\(ended)")
    let waited = await waiting.wait()
    // What is removed before the wait has looked is not there at all.
    #expect(waited.exitStatus == 1 || (command == "remove" && waited.exitStatus == 2), "\(waited)")
    waited.expectOneError()
    #expect(!waited.standardError.contains("resume"), "\(waited)")
    _ = await life.wait()
  }

  @Test func `watch of everything shows how each ends`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .drip(bytesPerSecond: 1 << 20)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "f"])
    let hasBegun = await eventually { [server = trial.server] in server.bodyByteCount > 0 }
    #expect(hasBegun)
    let watched = await trial.sandbox.run("watch", "--json")
    #expect(try watched.progressLines().last?.event == "completed", "\(watched)")
    trial.expectWhole(await life.wait())
  }

  @Test func `remove takes away the row and the partial`() async throws {
    defer { trial.server.stop() }
    await trial.leavePartial()
    let id = try #require(try await trial.sandbox.transfers().first?.id)
    let removed = await trial.sandbox.run("remove", id)
    #expect(removed.exitStatus == 0, "\(removed)")
    #expect(trial.sandbox.names.isEmpty)
    #expect(try await trial.sandbox.transfers().isEmpty)
  }

  @Test func `D47 of several the highest status is the status of all`() async {
    defer { trial.server.stop() }
    trial.serve()
    trial.server.serve("/missing", .text(""), .always(.status(404)))
    let result = await trial.sandbox.run("download", trial.server.url("/f"), trial.server.url("/missing"))
    #expect(result.exitStatus == 6, "\(result)")
    #expect(result.lines == [trial.sandbox.path("f")])
  }
}
