#if DEBUG
  import Core
  import HermesTransfer
  import Posix
  import State
  import TestKit
  import Testing

  /// The engine on a disk that fails as told: never a wrong file, never a name for what is not synced, and the next run
  /// goes on.
  @Suite struct DiskFaultTests {
    private static let total: Int64 = 3 << 20
    private let server = FaultServer()
    private let folder = TemporaryFolder("engine")
    private let downloads: String
    private let pattern = Pattern(1)

    init() {
      downloads = folder.folder("downloads")
      server.serve("/f", .pattern(1, byteCount: Self.total, age: 3600))
      server.serve("/small", .pattern(1, byteCount: 5_000, age: 3600))
    }

    /// One life: the same request, in an engine of its own; gives the last event.
    private func live(
      _ path: String = "/f", change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> TransferSnapshot {
      let engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: folder.path("state")))
      var request = DownloadRequest(url: server.url(path), output: "\(downloads)/f")
      request.limits.maxAttempts = 2
      change(&request)
      _ = try await engine.download([request])
      while let _ = await engine.nextEvents() {}
      return try #require(await engine.snapshots().last)
    }

    private func live(_ faults: [FaultPlan.Fault], path: String = "/f") async throws -> TransferSnapshot {
      try await FaultPlan.enforce(faults, below: downloads) { plan in
        let snapshot = try await live(path)
        #expect(plan.hitCount > 0, "the fault was never met")
        return snapshot
      }
    }

    /// The second life, on a sound disk, ends with the right file.
    private func expectRecovery(path: String = "/f", byteCount: Int64 = Self.total) async throws {
      #expect(!TestFiles.exists("\(downloads)/f"))
      let snapshot = try await live(path)
      #expect(snapshot.state == .completed, "\(snapshot)")
      #expect(pattern.firstDifference(inFile: "\(downloads)/f", byteCount: byteCount) == nil)
      #expect(TestFiles.names(in: downloads) == ["f"])
      server.stop()
    }

    @Test func `interrupted calls and short writes are nothing`() async throws {
      let faults: [FaultPlan.Fault] = [
        .fail(.pwrite, with: .interrupted, onCall: 1), .short(.pwrite, byteCount: 1_000, onCall: 3),
        .fail(.fdatasync, with: .interrupted, onCall: 1),
      ]
      let snapshot = try await live(faults)
      #expect(snapshot.state == .completed, "\(snapshot)")
      #expect(pattern.firstDifference(inFile: "\(downloads)/f", byteCount: Self.total) == nil)
      server.stop()
    }

    @Test(arguments: [1, 2, 7]) func `a write that fails ends it, and what was written before is kept`(call: Int)
      async throws
    {
      let snapshot = try await live([.fail(.pwrite, with: .ioError, onCall: call)])
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery()
      #expect(server.bodyByteCount <= 2 * Self.total - Int64(call - 1) * (256 << 10))
    }

    @Test(arguments: [Errno.noSpace, .quotaExceeded]) func `a full disk is told as one`(error: Errno) async throws {
      let snapshot = try await live([.failAll(.pwrite, with: error, fromCall: 4)])
      #expect(snapshot.failure?.code == .diskFull, "\(snapshot)")
      try await expectRecovery()
    }

    @Test func `no room to reserve is a full disk before the first byte`() async throws {
      let snapshot = try await live([.fail(.fallocate, with: .noSpace, onCall: 1)])
      #expect(snapshot.failure?.code == .diskFull, "\(snapshot)")
      try await expectRecovery()
    }

    @Test(arguments: ["/f", "/small"]) func `what cannot be synced gets no name`(path: String) async throws {
      let faults: [FaultPlan.Fault] = [.failAll(.fdatasync, with: .ioError, fromCall: 1)]
      let snapshot = try await live(faults, path: path)
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery(path: path, byteCount: path == "/f" ? Self.total : 5_000)
    }

    @Test func `a name that cannot be given is told, and given the next time`() async throws {
      let snapshot = try await live([.fail(.rename, with: .ioError, onCall: 1)])
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery()
      // Nothing was fetched twice: all of it was there.
      #expect(server.bodyByteCount == Self.total)
    }

    @Test func `what one sync failed for is not proven by the next`() async throws {
      server.serve("/f", .pattern(1, byteCount: Self.total, age: 3600), .on(1, .drip(bytesPerSecond: 1_500_000)))
      let snapshot = try await live([.fail(.fdatasync, with: .ioError, onCall: 1)])
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery()
      // Nothing that the first sync was to confirm is taken for held.
      #expect(server.requests[1].range?.hasPrefix("bytes=0-") == true)
    }

    /// The last bytes of one connection are in memory when the other one's end makes the file whole.
    @Test func `a last write that fails leaves no hole in a finished file`() async throws {
      // All is there; then a gap in the middle is not held any more.
      _ = try await live([.fail(.rename, with: .ioError, onCall: 1)])
      let store = try Store(folder: folder.path("state"))
      var record = try #require(try store.records().first)
      let gap = ByteRange(1 << 20, (5 << 19) + 1_000)
      record.synced.subtract(gap)
      try store.update(record, durably: true)
      // The second connection brings all of its bytes, but not the last chunk, before the first one is done.
      server.serve(
        "/f", .pattern(1, byteCount: Self.total, age: 3600), .on(1, .drip(bytesPerSecond: 1_000_000)),
        .on(2, .chunked(), .stall(after: .max)))
      // Six full buffers; the seventh is the second connection's tail.
      let faults: [FaultPlan.Fault] = [.fail(.pwrite, with: .ioError, onCall: 7)]
      let snapshot = try await FaultPlan.enforce(faults, below: downloads) { plan in
        let snapshot = try await live { $0.connections = 2 }
        #expect(plan.hitCount > 0, "the fault was never met")
        return snapshot
      }
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery()
    }

    @Test func `a partial that cannot be removed is told, and harms nobody else`() async throws {
      server.serve("/f", .pattern(1, byteCount: Self.total), .on(1, .stall(after: 1 << 20)))
      server.serve("/g", .pattern(1, byteCount: Self.total), .on(1, .stall(after: 1 << 20)))
      let engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: folder.path("state")))
      let requests = ["f", "g"].map { DownloadRequest(url: server.url("/\($0)"), output: "\(downloads)/\($0)") }
      let ids = try await engine.download(requests).map(\.id)
      while let _ = await engine.nextEvents(), TestFiles.names(in: downloads).count < 2 {}
      try await FaultPlan.enforce([.failAll(.unlink, with: .accessDenied, fromCall: 1)], below: downloads) { _ in
        await engine.cancel(ids[0])
        while let events = await engine.nextEvents(), !events.contains(where: { $0.kind == .cancelled }) {}
      }
      server.cutStalled()
      while let _ = await engine.nextEvents() {}
      #expect(await engine.snapshots().map(\.state) == [.cancelled, .completed])
      server.stop()
    }

    @Test func `a part file that cannot be made is told`() async throws {
      let snapshot = try await live([.failAll(.open, with: .accessDenied, fromCall: 2)])
      #expect(snapshot.failure?.code == .localFile, "\(snapshot)")
      try await expectRecovery()
    }
  }
#endif
