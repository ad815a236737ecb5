import Gateway
import Glibc
import TestKit
import Testing

/// What users met elsewhere, on real processes.
@Suite(.fewAtOnce) struct TroubleTests {
  private func status(_ life: RunningProgram, _ field: String) -> Int {
    let text = TestFiles.text("/proc/\(life.processID)/status") ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(field):") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }

  @Test(.disabled(if: Binary.isSanitised, "a sanitizer's memory is its own"))
  func `W49 a large file in parts takes no more memory than a small one`() async throws {
    var peaks: [Int] = []
    for megabytes in [6, 96] {
      let trial = try SessionTrial { $0.inlineByteCount = 1 << 30 }
      await trial.addProfile()
      TestFiles.write([UInt8](repeating: 7, count: megabytes << 20), to: trial.media.path("f.bin"))
      let life = trial.sandbox.start(["listen"])
      #expect(await eventually { life.errorSoFar.contains("connected") })
      #expect(await trial.sandbox.run("send", "/send f.bin").exitStatus == 0)
      let isSaved = await eventually { life.outputSoFar.contains("f.bin") }
      #expect(isSaved)
      peaks.append(status(life, "VmHWM"))
      life.kill(SIGTERM)
      _ = await life.wait()
      #expect(TestFiles.byteCount(trial.sandbox.path("in/f.bin")) == Int64(megabytes << 20))
      trial.gateway.stop()
    }
    #expect(peaks[0] > 0 && peaks[1] < peaks[0] + (24 << 10), "\(peaks) KiB")
  }

  @Test(.disabled(if: Binary.isSanitised, "a sanitizer's memory is its own"))
  func `T01 W43 the memory of an upload does not grow with the file`() async throws {
    var peaks: [Int] = []
    for megabytes in [6, 96] {
      let trial = try SessionTrial()
      await trial.addProfile()
      TestFiles.write([UInt8](repeating: 7, count: megabytes << 20), to: trial.sandbox.path("f"))
      // What is measured goes on after the upload, for it has the session.
      let life = trial.sandbox.start(["listen"])
      #expect(await eventually { life.errorSoFar.contains("connected") })
      let sent = await trial.sandbox.start(["upload", trial.sandbox.path("f")]).wait(seconds: 120)
      #expect(sent.exitStatus == 0, "\(sent)")
      #expect(
        await eventually { TestFiles.byteCount(trial.media.path("f")) == Int64(megabytes << 20) }, "\(sent)")
      peaks.append(status(life, "VmHWM"))
      life.kill(SIGTERM)
      _ = await life.wait()
      trial.gateway.stop()
    }
    #expect(peaks[0] > 0 && peaks[1] < peaks[0] + (24 << 10), "\(peaks) KiB")
  }

  @Test func `W67 a thousand downloads need no more threads than one`() async throws {
    let trial = Trial(total: 100)
    defer { trial.server.stop() }
    trial.serve()
    let list = (0..<1000).map { "\(trial.server.url("/f"))\t\($0)\n" }.joined()
    let life = trial.sandbox.start(["download", "-i", "-"], input: list)
    var most = 0
    while life.isRunning {
      most = max(most, status(life, "Threads"))
      await pauseBriefly()
    }
    #expect(await life.wait().exitStatus == 0)
    #expect(trial.sandbox.names.count == 1000)
    // Ours are loop, store, list and signals; the pool has one for each core, and a few of Dispatch.
    let limit = 10 + 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #expect((1...limit).contains(most), "\(most) threads")
  }

  @Test func `W68 after kill -9 what ran, waited or paused is listed with what it has`() async throws {
    let trial = Trial(total: 3 << 20)
    defer { trial.server.stop() }
    let held: Int64 = 2 << 20
    trial.server.serve("/f", .pattern(1, byteCount: 3 << 20, age: 3600), .always(.stall(after: held)))
    trial.server.serve("/busy", .pattern(1, byteCount: 100), .always(.status(503, retryAfter: "600")))
    let paused = trial.sandbox.start(["download", trial.server.url("/f"), "-o", "paused"])
    let hasPart = await eventually { [trial] in trial.partByteCount >= held }
    #expect(hasPart)
    paused.kill(SIGTERM)
    _ = await paused.wait()
    let others = ["/f", "/busy"].map { path in
      trial.sandbox.start(["download", trial.server.url(path), "-o", String(path.dropFirst())])
    }
    let busy = others[1]
    let isWaiting = await eventually { busy.errorSoFar.contains("next try") }
    let hasBoth = await eventually { [trial] in trial.sandbox.partNames.count == 2 }
    #expect(isWaiting && hasBoth)
    // What was written is recorded at least once a second.
    let sandbox = trial.sandbox
    var listed: [ListedTransfer] = []
    for _ in 0..<200 where listed.filter({ $0.bytes_done >= held }).count < 2 {
      listed = try await sandbox.transfers()
      await pauseBriefly()
    }
    for life in others {
      life.kill(SIGKILL)
      _ = await life.wait()
    }
    listed = try await sandbox.transfers()
    #expect(listed.map(\.state) == ["paused", "paused", "paused"])
    #expect(listed.map(\.bytes_done).sorted() == [0, held, held], "\(listed)")
  }

  @Test func `W72 without the gateway uploads say what they wait for, and all can be cancelled`() async throws {
    let trial = try SessionTrial()
    await trial.addProfile()
    trial.gateway.stop()
    let files = ["a", "b", "c"].map { name -> String in
      trial.sandbox.root.write(name, to: "downloads/\(name)")
      return trial.sandbox.path(name)
    }
    let life = trial.sandbox.start(["upload", "--max-attempts", "1000"] + files)
    #expect(await eventually { life.errorSoFar.contains("next try") })
    var listed: [ListedTransfer] = []
    for _ in 0..<200 where listed.filter({ $0.state == "waiting" }).count < 3 {
      listed = try await trial.sandbox.transfers()
      await pauseBriefly()
    }
    #expect(listed.map(\.state) == ["waiting", "waiting", "waiting"])
    #expect(listed.allSatisfy { $0.reason == "network" && $0.kind == "media" }, "\(listed)")
    #expect(await trial.sandbox.run("cancel", "--all").exitStatus == 0)
    #expect(await life.wait().exitStatus == 1)
    #expect(try await trial.sandbox.transfers().map(\.state) == ["cancelled", "cancelled", "cancelled"])
  }

  @Test func `T23 an old file stays until the new one is whole`() async {
    let trial = Trial()
    defer { trial.server.stop() }
    TestFiles.write(Array("old".utf8), to: trial.target)
    trial.server.serve("/f", trial.resource, .on(1, .cut(after: Trial.held)))
    let failed = await trial.download("--if-exists", "overwrite", "--max-attempts", "1", "--connections", "1")
    #expect(failed.exitStatus != 0 && TestFiles.text(trial.target) == "old", "\(failed)")
    trial.expectWhole(await trial.download("--if-exists", "overwrite"))
  }

  private func pauseBriefly() async { _ = await eventually(seconds: 0.05) { false } }
}
