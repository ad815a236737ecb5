import TestKit
import Testing

/// Folders that fail and disks that fill up.
@Suite(.fewAtOnce) struct DiskTests {
  private let trial = Trial()

  @Test func `W65 a folder that cannot be written to is told, and nothing is called complete`() async throws {
    defer { trial.server.stop() }
    trial.serve()
    let result = await trial.sandbox.run("download", trial.server.url("/f"), "-d", "/proc/self")
    #expect(result.exitStatus == 9, "\(result)")
    result.expectOneError()
    #expect(try await trial.sandbox.transfers().allSatisfy { $0.state != "completed" })
  }

  @Test(.enabled(if: !TestUser.isRoot, "root may write everywhere"))
  func `W65 a folder without the right to write is exit 9`() async {
    defer { trial.server.stop() }
    trial.serve()
    TestFiles.setMode(0o500, of: trial.sandbox.folder)
    trial.expectNothing(await trial.download(), exit: 9)
  }

  @Test func `W65 a folder that vanishes meanwhile is exit 9`() async throws {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let life = trial.sandbox.start(["download", trial.server.url("/f"), "-d", trial.sandbox.path("sub"), "-o", "x"])
    let hasBegun = await eventually { [sandbox = trial.sandbox] in
      TestFiles.names(in: sandbox.path("sub")).contains { $0.hasSuffix(".hermes-part") }
    }
    #expect(hasBegun)
    TestFiles.removeTree(trial.sandbox.path("sub"))
    trial.server.cutStalled()
    let result = await life.wait()
    #expect(result.exitStatus == 9, "\(result)")
    result.expectOneError()
    #expect(!TestFiles.exists(trial.sandbox.path("sub/x")))
    #expect(try await trial.sandbox.transfers().map(\.state) == ["failed"])
  }

  @Test func `a folder as the target's name is exit 9`() async {
    defer { trial.server.stop() }
    trial.serve()
    trial.sandbox.root.folder("downloads/f")
    let result = await trial.download()
    #expect(result.exitStatus == 9, "\(result)")
    result.expectOneError()
    #expect(trial.requests.isEmpty)
  }

  @Test func `missing folders of the target are made`() async {
    defer { trial.server.stop() }
    trial.serve()
    let result = await trial.sandbox.run("download", trial.server.url("/f"), "-d", trial.sandbox.path("a/b"))
    #expect(result.exitStatus == 0, "\(result)")
    #expect(result.lines == [trial.sandbox.path("a/b/f")])
  }
}

/// A disk of 8 MiB that a test may fill.
@Suite(.fewAtOnce, .serialized, .enabled(if: SmallDisk.isAllowed, "mounting a tmpfs is not allowed here"))
struct FullDiskTests {
  private let trial = Trial(total: 16 << 20)

  @Test func `D57 too little room is exit 10 at once, with what is needed and what is free`() async throws {
    defer { trial.server.stop() }
    let disk = try SmallDisk(mebibytes: 8)
    trial.serve()
    let result = await trial.sandbox.run("download", trial.server.url("/f"), "-d", disk.path, "-o", "f")
    #expect(result.exitStatus == 10, "\(result)")
    result.expectOneError()
    #expect(result.standardError.contains("16.0 MiB") || result.standardError.contains("\(16 << 20)"), "\(result)")
    #expect(!TestFiles.exists("\(disk.path)/f"))
    #expect(trial.server.bodyByteCount < 12 << 20)
    disk.unmount()
  }

  @Test func `D57 D58 an unknown length that does not fit is exit 10, and what came is kept`() async throws {
    defer { trial.server.stop() }
    let disk = try SmallDisk(mebibytes: 8)
    trial.serve(.always(.ignoreRange, .chunked()))
    let result = await trial.sandbox.run("download", trial.server.url("/f"), "-d", disk.path, "-o", "f")
    #expect(result.exitStatus == 10, "\(result)")
    #expect(!TestFiles.exists("\(disk.path)/f"))
    #expect(TestFiles.names(in: disk.path).contains { $0.hasSuffix(".hermes-part") })
    #expect(trial.requests.count == 1)
    disk.unmount()
  }

  @Test func `D59 with --wait-for-disk it goes on by itself once there is room`() async throws {
    defer { trial.server.stop() }
    let disk = try SmallDisk(mebibytes: 24)
    Pattern(5).write(byteCount: 16 << 20, to: "\(disk.path)/filler")
    trial.serve()
    let life = trial.sandbox.start([
      "download", trial.server.url("/f"), "-d", disk.path, "-o", "f", "--wait-for-disk", "--progress", "json",
    ])
    let isWaiting = await eventually { life.outputSoFar.contains("\"waiting\"") }
    #expect(isWaiting)
    TestFiles.removeTree("\(disk.path)/filler")
    let result = await life.wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(Pattern(1).firstDifference(inFile: "\(disk.path)/f", byteCount: 16 << 20) == nil)
    disk.unmount()
  }
}
