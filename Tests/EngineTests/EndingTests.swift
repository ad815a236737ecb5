import Core
import Crypto
import Glibc
import Posix
import TestKit
import Testing

@testable import HermesTransfer
@testable import State

/// What ends a transfer meets it at any moment, and everybody who waits hears of it.
@Suite struct EndingTests {
  private let trial = EngineTrial()
  private static let total: Int64 = 1 << 20
  private let pattern = Pattern(1)

  private func checked(_ byteCount: Int64) -> Checksum? {
    var bytes = [UInt8](repeating: 0, count: Int(byteCount))
    bytes.withUnsafeMutableBytes { pattern.fill($0, from: 0) }
    return Checksum("sha-256:\(sha256Hexadecimal(of: bytes))")
  }

  /// A file all of whose bytes are there, and whose end cannot be recorded until `then` has run.
  private func whileFinishing(
    _ then: (TransferEngine, TransferID) async throws -> Void
  ) async throws -> [TransferEvent] {
    trial.server.serve("/f", .pattern(1, byteCount: Self.total), .always(.drip(bytesPerSecond: 2_000_000)))
    let engine = try trial.engine()
    let request = trial.request("/f") { $0.checksum = checked(Self.total) }
    let id = try await engine.download([request])[0].id
    // What is to be recorded waits as long as it takes; a locked database would be given up after some seconds.
    var gate: [Int32] = [0, 0]
    #expect(pipe(&gate) == 0)
    let (exit, entry) = (gate[0], gate[1])
    engine.core.storeThread.post { _ in
      var byte: UInt8 = 0
      _ = read(exit, &byte, 1)
    }
    let earlier = await trial.events(of: engine) { $0.snapshot.state == .verifying }
    #expect(earlier.last?.snapshot.state == .verifying)
    try await then(engine, id)
    #expect(write(entry, [1], 1) == 1)
    let events = await trial.events(of: engine)
    await engine.stop()
    for end in gate { close(end) }
    trial.server.stop()
    return events
  }

  private func expectWhole(_ events: [TransferEvent]) {
    #expect(events.map(\.kind).filter { $0 != .progress } == [.completed], "\(events)")
    #expect(TestFiles.names(in: trial.downloads) == ["f"])
    #expect(pattern.firstDifference(inFile: "\(trial.downloads)/f", byteCount: Self.total) == nil)
  }

  @Test func `a deadline that passes while a file is finished comes too late`() async throws {
    expectWhole(
      try await whileFinishing { engine, id in
        let core = engine.core
        core.loop.post { core.driver(id)?.record.deadlineAt = 1 }
        // Some ticks, each of which looks at the deadline.
        try await Task.sleep(for: .seconds(4 * Limits.tickSeconds))
      })
  }

  @Test func `what is cancelled while it is finished gets its name`() async throws {
    expectWhole(try await whileFinishing { engine, id in await engine.cancel(id) })
  }

  @Test func `a stop while a large file is verified records all of it`() async throws {
    let total: Int64 = 96 << 20
    trial.server.serve("/f", .pattern(1, byteCount: total))
    // One connection: where one takes over from another, the server has sent a buffer's worth more.
    let request = trial.request("/f") {
      $0.checksum = checked(total)
      $0.connections = 1
    }
    let engine = try trial.engine()
    _ = try await engine.download([request])
    var events = await trial.events(of: engine) { $0.snapshot.state == .verifying }
    await engine.stop()
    events += await trial.events(of: engine)
    #expect(events.last?.kind == .paused || events.last?.kind == .completed, "\(events)")
    let second = try trial.engine()
    _ = try await second.download([request])
    _ = await trial.events(of: second)
    #expect(await second.snapshots().last?.state == .completed)
    #expect(pattern.firstDifference(inFile: "\(trial.downloads)/f", byteCount: total) == nil)
    #expect(trial.server.bodyByteCount == total)
    trial.server.stop()
  }

  @Test func `a stop waits for what is being accepted, and nothing of it stays behind`() async throws {
    trial.server.serve("/f", .pattern(1, byteCount: 100), .always(.silence))
    let engine = try trial.engine()
    let requests = (0..<1_000).map { trial.request("/f?\($0)", name: "f\($0)") }
    async let accepted = engine.download(requests)
    // The first store job of the acceptance is under way or done: in both cases the stop must see the end of it.
    while try trial.store().records().isEmpty { await Task.yield() }
    await engine.stop()
    #expect(try trial.store().livingOwners().isEmpty)
    #expect(try await accepted.count == 1_000)
    _ = await trial.events(of: engine)
    #expect(Set(await engine.snapshots().map(\.state)) == [.paused])
    trial.server.stop()
  }

  @Test func `a state that cannot be written ends everything, streams too`() async throws {
    trial.server.serve("/f", .pattern(1, byteCount: 1 << 20), .always(.stall(after: 1 << 19)))
    trial.server.serve("/s", .pattern(1, byteCount: 1 << 20), .always(.stall(after: 0)))
    let engine = try trial.engine()
    _ = try await engine.download([trial.request("/f"), trial.request("/f?2", name: "g")])
    async let streamed: TransferFailure? = {
      do throws(TransferFailure) {
        var request = trial.request("/s")
        request.output = nil
        try await engine.stream(request)
        return nil
      } catch {
        return error
      }
    }()
    _ = await trial.events(of: engine) { _ in trial.server.requests.count == 3 }
    try trial.database().execute(
      "CREATE TRIGGER broken BEFORE UPDATE ON transfers BEGIN SELECT RAISE(ABORT, 'broken'); END")
    let events = await trial.events(of: engine)
    #expect(events.count { $0.kind == .failed } == 3, "\(events)")
    #expect(await streamed?.exitStatus == .state)
    await engine.stop()
    await #expect(throws: TransferFailure.self) { try await engine.download([trial.request("/f?4", name: "h")]) }
    await engine.stop()
    #expect(await engine.nextEvents() == nil)
    trial.server.stop()
  }
}
