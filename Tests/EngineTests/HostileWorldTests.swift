import Core
import Crypto
import HermesTransfer
import TestKit
import Testing

@testable import State

/// Servers, disks and users that do what nobody expects: one transfer may suffer, the others and the record may not.
@Suite struct HostileWorldTests {
  private let trial = EngineTrial()
  private static let total: Int64 = 3 << 20
  private let pattern = Pattern(1)

  private func serve(_ script: Scripted...) {
    trial.server.serve("/f", .pattern(1, byteCount: Self.total, age: 3600), script)
  }

  /// One life in an engine of its own; gives how it ended.
  @discardableResult
  private func live(_ request: DownloadRequest) async throws -> TransferSnapshot {
    let engine = try trial.engine()
    _ = try await engine.download([request])
    _ = await trial.events(of: engine)
    return try #require(await engine.snapshots().last)
  }

  private func expectWhole(_ snapshot: TransferSnapshot, _ total: Int64 = Self.total) {
    #expect(snapshot.state == .completed, "\(snapshot)")
    #expect(TestFiles.names(in: trial.downloads) == ["f"])
    #expect(pattern.firstDifference(inFile: "\(trial.downloads)/f", byteCount: total) == nil)
  }

  // MARK: The same one twice

  @Test func `what is at work already is not begun a second time`() async throws {
    serve(.on(1, .stall(after: 1 << 20)))
    let engine = try trial.engine()
    let id = try await engine.download([trial.request("/f")])[0].id
    _ = await trial.events(of: engine) { $0.snapshot.bytesDone > 0 }
    #expect(try await engine.download([trial.request("/f")]).map(\.id) == [id])
    try await engine.resume([id])
    await #expect { try await engine.relink(id, to: trial.server.url("/g")) } throws: { error in
      (error as? TransferFailure)?.code == .inUse
    }
    trial.server.cutStalled()
    _ = await trial.events(of: engine)
    expectWhole(try #require(await engine.snapshots().last))
    #expect(trial.server.requests.count == 2)
    trial.server.stop()
  }

  @Test func `what is refused together lets go of what it had taken`() async throws {
    serve(.on(1, .cut(after: 1 << 20)))
    try await live(trial.request("/f") { $0.limits.maxAttempts = 1 })
    let engine = try trial.engine()
    await #expect(throws: TransferFailure.self) {
      try await engine.download([trial.request("/f"), trial.request("/g", name: "no/\u{0}/g")])
    }
    #expect(try trial.store().livingOwners().isEmpty)
    let id = try #require(try trial.store().records().first?.id)
    await #expect(throws: TransferFailure.self) { try await engine.relink(id, to: "ftp://h/f") }
    #expect(try trial.store().livingOwners().isEmpty)
    trial.server.stop()
  }

  // MARK: What is recorded

  @Test(arguments: [true, false])
  func `a finished file that could not be asked about stays finished`(isStopped: Bool) async throws {
    serve(.on(2, isStopped ? .silence : .status(503)))
    try await live(trial.request("/f"))
    let engine = try trial.engine()
    _ = try await engine.download([trial.request("/f") { $0.limits.maxAttempts = 1 }])
    if isStopped {
      _ = await trial.events(of: engine) { _ in trial.server.requests.count == 2 }
      await engine.stop()
    }
    let events = await trial.events(of: engine)
    #expect(events.last?.kind == (isStopped ? .paused : .failed), "\(events)")
    #expect(try trial.store().records().map(\.state) == [.completed])
    expectWhole(try await live(trial.request("/f")))
    #expect(trial.server.requests.last?.status == 304)
    trial.server.stop()
  }

  @Test func `a partial that is given up is not left for ever`() async throws {
    serve(.on(1, .cut(after: 1 << 20)), .on(2, .status(404)), .on(3, .silence))
    try await live(trial.request("/f") { $0.limits.maxAttempts = 1 })
    let anew = trial.request("/f") { $0.resumes = false }
    #expect(try await live(anew).failure?.code == .notFound)
    let name = try #require(TestFiles.names(in: trial.downloads).first)
    #expect(try trial.store().records().map(\.partName) == [name])
    let engine = try trial.engine()
    let id = try await engine.download([anew])[0].id
    _ = await trial.events(of: engine) { _ in trial.server.requests.count == 3 }
    await engine.cancel(id)
    _ = await trial.events(of: engine)
    #expect(TestFiles.names(in: trial.downloads) == [])
    trial.server.stop()
  }

  @Test func `a digest that the first answer promised holds for the rest, too`() async throws {
    serve(.on(1, .header("Repr-Digest", "sha-256=:\(String(repeating: "A", count: 43))=:"), .cut(after: 1 << 20)))
    let snapshot = try await live(trial.request("/f"))
    #expect(snapshot.failure?.code == .checksumMismatch, "\(snapshot)")
    trial.server.stop()
  }

  @Test func `a small file with a wrong digest is fetched from the mirror`() async throws {
    trial.server.serve("/f", .pattern(2, byteCount: 5_000))
    trial.server.serve("/m", .pattern(1, byteCount: 5_000))
    let checksum = Checksum("sha-256:\(sha256Hexadecimal(of: pattern.bytes(0..<5_000)))")
    let request = trial.request("/f") {
      $0.checksum = checksum
      $0.mirrors = [trial.server.url("/m")]
    }
    expectWhole(try await live(request), 5_000)
    trial.server.stop()
  }

  // MARK: Credentials

  @Test func `what was given for one server is not sent to the next one`() async throws {
    serve(.on(1, .cut(after: 1 << 20)), .from(2, .status(403)))
    let request = trial.request("/f") {
      $0.limits.maxAttempts = 1
      $0.network.headers = ["X-Key: k"]
      $0.network.bearerToken = "t"
    }
    try await live(request)
    #expect(trial.server.requests.last?["x-key"] == "k")
    let other = FaultServer()
    other.serve("/f", .pattern(1, byteCount: Self.total, age: 3600))
    let engine = try trial.engine()
    let id = try #require(try trial.store().records().first?.id)
    try await engine.relink(id, to: other.url("/f"))
    try await engine.resume([id])
    _ = await trial.events(of: engine)
    expectWhole(try #require(await engine.snapshots().last))
    for request in other.requests {
      #expect(request["x-key"] == nil && request["authorization"] == nil)
    }
    other.stop()
    trial.server.stop()
  }

  // MARK: Disks

  @Test func `a folder that vanishes fails what goes there, and nothing else`() async throws {
    serve(.on(1, .stall(after: 1 << 20)), .from(2, .changed(.pattern(2, byteCount: Self.total, tag: "\"E2\""))))
    trial.server.serve("/g", .pattern(1, byteCount: Self.total), .on(1, .stall(after: 1 << 20)))
    let gone = trial.folder.folder("gone")
    let engine = try trial.engine()
    let doomed = try await engine.download([
      trial.request("/f") { $0.output = "\(gone)/f" }, trial.request("/g", name: "f"),
    ])[0].id
    _ = await trial.events(of: engine) { _ in trial.server.requests.count == 2 && !TestFiles.names(in: gone).isEmpty }
    TestFiles.move(gone, to: trial.folder.path("elsewhere"))
    trial.server.cutStalled()
    _ = await trial.events(of: engine)
    let snapshots = await engine.snapshots()
    #expect(snapshots.first { $0.id == doomed }?.failure?.code == .localFile, "\(snapshots)")
    expectWhole(try #require(snapshots.first { $0.id != doomed }))
    trial.server.stop()
  }
}
