import Glibc
import TestKit
import Testing

/// kill -9 at any moment of a segmented download: always the right bytes, and next to nothing fetched twice.
@Suite(.fewAtOnce, .enabled(if: ForeignPeer.Kind.nginx.isInstalled, "nginx is not installed"))
struct KillTests {
  private static let total: Int64 = 48 << 20
  private static let connections = 4
  /// How many kills; `KILLS=200` for the long run.
  private static let killCount = getenv("KILLS").flatMap { Int(String(cString: $0)) } ?? 20
  private static let seed = getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64.max)
  private let pattern = Pattern(12)

  @Test(.timeLimit(.minutes(30)))
  func `kills at random moments leave the right file, and cost at most one MiB a connection each`() async throws {
    let peer = try await ForeignPeer(.nginx)
    peer.put(pattern, byteCount: Self.total, as: "f.bin")
    var random = SeededRandom(seed: Self.seed)
    var kills = 0
    while kills < Self.killCount {
      kills += try await download(from: peer, atMost: Self.killCount - kills, &random)
    }
    await peer.stop()
  }

  /// One file from nothing to whole, killed up to twelve times on the way; says how often.
  private func download(
    from peer: ForeignPeer, atMost limit: Int, _ random: inout SeededRandom
  ) async throws -> Int {
    let sandbox = Sandbox("kill")
    let arguments = ["download", peer.url("/slow/f.bin"), "-o", "f", "--connections", "\(Self.connections)"]
    var kills = 0
    while kills < min(limit, 12) && !TestFiles.exists(sandbox.path("f")) {
      let life = sandbox.start(arguments)
      let moment = Double.random(in: 0.01...0.6, using: &random)
      _ = await eventually(seconds: moment) { !life.isRunning }
      life.kill(SIGKILL)
      _ = await life.wait()
      kills += 1
    }
    let last = await sandbox.start(arguments).wait()
    #expect(last.exitStatus == 0, "SEED=\(Self.seed): \(last)")
    let difference = pattern.firstDifference(inFile: sandbox.path("f"), byteCount: Self.total)
    #expect(difference == nil, "SEED=\(Self.seed), after \(kills) kills")
    #expect(sandbox.names == ["f"], "SEED=\(Self.seed)")
    return kills
  }

  @Test func `a kill costs at most one MiB a connection, counted by the server`() async {
    let trial = Trial(total: 64 << 20)
    defer { trial.server.stop() }
    var random = SeededRandom(seed: Self.seed)
    trial.serve(.always(.drip(bytesPerSecond: 12 << 20)))
    let arguments = ["download", trial.server.url("/f"), "-o", "f", "--connections", "\(Self.connections)"]
    var kills: Int64 = 0
    while kills < 5 && !TestFiles.exists(trial.target) {
      let life = trial.sandbox.start(arguments)
      let moment = Double.random(in: 0.1...0.8, using: &random)
      _ = await eventually(seconds: moment) { !life.isRunning }
      life.kill(SIGKILL)
      _ = await life.wait()
      kills += 1
    }
    trial.expectWhole(await trial.sandbox.start(arguments).wait())
    // What stood in the kernels' buffers at a kill was handed out and never read: up to one socket buffer each.
    let lost = trial.server.bodyByteCount - (64 << 20)
    #expect(lost <= kills * Int64(Self.connections) * (1 << 20) + (8 << 20), "SEED=\(Self.seed): \(kills) kills")
  }

  @Test func `a file that the server changes between two lives is fetched anew, and it is said`() async throws {
    let peer = try await ForeignPeer(.nginx)
    peer.put(pattern, byteCount: Self.total, as: "f.bin")
    let sandbox = Sandbox("change")
    let arguments = ["download", peer.url("/slow/f.bin"), "-o", "f", "--connections", "4"]
    // Slowly, or it would be done before anybody looks.
    let life = sandbox.start(arguments + ["--limit-rate", "3M"])
    let hasBegun = await eventually {
      sandbox.partNames.contains { TestFiles.byteCount(sandbox.path($0)) ?? 0 > 2 << 20 }
    }
    #expect(hasBegun)
    life.kill(SIGKILL)
    _ = await life.wait()
    // Another file under the name, not other bytes in the old one: its time, and with it the tag, is another.
    peer.put(Pattern(13), byteCount: Self.total, as: "new.bin")
    TestFiles.setModificationTime(secondsFromNow: -100, of: "\(peer.root)/new.bin")
    TestFiles.move("\(peer.root)/new.bin", to: "\(peer.root)/f.bin")
    let result = await sandbox.start(arguments).wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(result.standardError.contains("changed"), "\(result)")
    #expect(Pattern(13).firstDifference(inFile: sandbox.path("f"), byteCount: Self.total) == nil)
    await peer.stop()
  }
}
