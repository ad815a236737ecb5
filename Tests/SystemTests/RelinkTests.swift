import TestKit
import Testing

/// Signed URLs expire: the same bytes under a fresh one.
@Suite(.fewAtOnce) struct RelinkTests {
  private let trial = Trial()

  /// Leaves a partial of `/f`, which is refused from then on, and gives the transfer's ID.
  private func leaveExpired() async throws -> String {
    await trial.leavePartial(then: .always(.status(403)))
    let refused = await trial.download()
    trial.expectNothing(refused, exit: 5)
    #expect(trial.sandbox.partNames.count == 1)
    return try #require(try await trial.sandbox.transfers().first?.id)
  }

  @Test(arguments: [[], [.noValidator]] as [[Fault]])
  func `W62 D23 a fresh URL with the same bytes goes on where the old one ended`(faults: [Fault]) async throws {
    defer { trial.server.stop() }
    let id = try await leaveExpired()
    trial.server.serve("/fresh", trial.resource, .all(faults))
    let relinked = await trial.sandbox.run("relink", id, trial.server.url("/fresh"))
    #expect(relinked.exitStatus == 0, "\(relinked)")
    trial.expectWhole(await trial.sandbox.run("resume", id))
    #expect(trial.server.bodyByteCount < Trial.total + (1 << 18))
  }

  @Test(arguments: [Trial.total, Trial.total - 1])
  func `W62 D23 a fresh URL with other bytes is refused, and the partial stays`(byteCount: Int64) async throws {
    defer { trial.server.stop() }
    let id = try await leaveExpired()
    trial.server.serve("/fresh", .pattern(2, byteCount: byteCount, tag: "\"E2\""))
    let relinked = await trial.sandbox.run("relink", id, trial.server.url("/fresh"))
    #expect(relinked.exitStatus == 8, "\(relinked)")
    relinked.expectOneError()
    #expect(!relinked.standardError.contains("--on-change"), "\(relinked)")
    #expect(trial.sandbox.partNames.count == 1)
  }
}
