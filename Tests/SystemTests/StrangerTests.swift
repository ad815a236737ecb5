import TestKit
import Testing

/// Servers that other people wrote: that we agree with them.
@Suite(.fewAtOnce) struct StrangerTests {
  private static let total: Int64 = 24 << 20
  private let sandbox = Sandbox()
  private let pattern = Pattern(11)

  /// Fetches a file, kills the first run in the middle, and checks the second.
  private func fetch(from peer: ForeignPeer, _ flags: String...) async -> ProgramResult {
    peer.put(pattern, byteCount: Self.total, as: "f.bin")
    let arguments = ["download", peer.url("/f.bin")] + flags
    let life = sandbox.start(arguments + ["--limit-rate", "20M"])
    let hasBegun = await eventually { [sandbox] in
      !life.isRunning || sandbox.partNames.contains { TestFiles.byteCount(sandbox.path($0)) ?? 0 > 2 << 20 }
    }
    #expect(hasBegun)
    life.kill(9)
    _ = await life.wait()
    let result = await sandbox.start(arguments).wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names == ["f.bin"])
    #expect(pattern.firstDifference(inFile: sandbox.path("f.bin"), byteCount: Self.total) == nil)
    return result
  }

  @Test(.enabled(if: ForeignPeer.Kind.nginx.isInstalled, "nginx is not installed"))
  func `nginx gives segments`() async throws {
    let peer = try await ForeignPeer(.nginx)
    _ = await fetch(from: peer, "--connections", "4")
    await peer.stop()
  }

  @Test(
    .enabled(if: ForeignPeer.Kind.caddy.isInstalled, "caddy is not installed"), arguments: ["--http2", "--http1.1"])
  func `Caddy gives the file over TLS`(version: String) async throws {
    let peer = try await ForeignPeer(.caddy)
    _ = await fetch(from: peer, "--cacert", peer.authorityFile, version)
    await peer.stop()
  }

  @Test(.enabled(if: ForeignPeer.Kind.caddy.isInstalled, "caddy is not installed"))
  func `a certificate that nobody vouches for is exit 11, unless told not to look`() async throws {
    let peer = try await ForeignPeer(.caddy)
    peer.put(pattern, byteCount: 1000, as: "f.bin")
    let refused = await sandbox.run("download", peer.url("/f.bin"))
    #expect(refused.exitStatus == 11, "\(refused)")
    refused.expectOneError()
    let taken = await sandbox.run("download", peer.url("/f.bin"), "--insecure")
    #expect(taken.exitStatus == 0, "\(taken)")
    await peer.stop()
  }

  @Test(.enabled(if: ForeignPeer.Kind.apache.isInstalled, "apache2 is not installed"))
  func `Apache gives segments`() async throws {
    let peer = try await ForeignPeer(.apache)
    _ = await fetch(from: peer, "--connections", "4")
    await peer.stop()
  }

  @Test(.enabled(if: ForeignPeer.Kind.python.isInstalled, "python3 is not installed"))
  func `python's server has no ranges, and the file is fetched anew`() async throws {
    let peer = try await ForeignPeer(.python)
    let result = await fetch(from: peer)
    #expect(result.standardError.contains("ignores ranges"), "\(result)")
    await peer.stop()
  }

  @Test(.enabled(if: ForeignPeer.Kind.nginx.isInstalled, "nginx is not installed"))
  func `many small files come over few connections`() async throws {
    let peer = try await ForeignPeer(.nginx)
    var list = ""
    for index in 0..<200 {
      peer.put(Pattern(UInt64(index)), byteCount: 4096, as: "s\(index)")
      list += peer.url("/s\(index)") + "\n"
    }
    let result = await sandbox.run("download", "-i", "-", input: list)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(sandbox.names.count == 200)
    for index in 0..<200 {
      #expect(Pattern(UInt64(index)).firstDifference(inFile: sandbox.path("s\(index)"), byteCount: 4096) == nil)
    }
    await peer.stop()
  }
}
