import Core
import TestKit
import Testing

@testable import HermesTransfer
@testable import State

/// Files that a gateway holds: asked for with the session's token, which no state keeps.
@Suite(.timeLimit(.minutes(5))) struct GatewayFileTests {
  private let trial = EngineTrial()
  private static let token = "s3cret-token-5157"

  private func snapshot(
    _ engine: TransferEngine, _ begin: (TransferEngine) async throws -> Void
  ) async throws -> TransferSnapshot? {
    try await begin(engine)
    let last = await trial.events(of: engine).last?.snapshot
    await engine.stop()
    return last
  }

  @Test func `W55 the token of a gateway's file is with the session alone, in a later life too`() async throws {
    let total: Int64 = 2 << 20
    trial.server.serve(
      "/f", .pattern(1, byteCount: total), .on(1, .cut(after: 1 << 20)),
      .from(2, .auth401(unless: "Bearer \(Self.token)")))
    let gateway = try GatewayURL("ws://127.0.0.1:\(trial.server.port)/ws")
    let profile = SessionProfile(
      name: "g", url: gateway, token: Secret(Self.token),
      device: DeviceIdentity(id: "d", name: "t", platform: "linux", appVersion: "0"))
    var request = trial.request("/f") { $0.limits.maxAttempts = 1 }
    request.media = MediaOrigin(gateway: profile.key.gateway, device: profile.key.device, needsToken: true)

    let first = try await snapshot(try trial.engine()) { engine in
      await engine.trust([profile])
      _ = try await engine.download([request])
    }
    let id = try #require(first?.id)
    #expect(first?.state == .failed)
    for name in TestFiles.tree(trial.stateFolder) {
      let bytes = TestFiles.read(name.hasPrefix("/") ? name : "\(trial.stateFolder)/\(name)") ?? []
      #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.token), "\(name)")
    }
    let refused = try await snapshot(try trial.engine()) { try await $0.resume([id]) }
    #expect(refused?.failure?.code == .unauthorized)
    let whole = try await snapshot(try trial.engine()) { engine in
      await engine.trust([profile])
      try await engine.resume([id])
    }
    #expect(whole?.state == .completed)
    #expect(
      trial.server.requests("/f").map { $0["authorization"] } == ["Bearer \(Self.token)", nil, "Bearer \(Self.token)"])
    // What the agent sent is for nobody else to read.
    #expect(TestFiles.mode("\(trial.downloads)/f") == 0o600)
    trial.server.stop()
  }

  @Test func `a small file that an agent links to is for nobody else to read`() async throws {
    trial.server.serve("/f", .pattern(1, byteCount: 100))
    var request = trial.request("/f")
    request.media = MediaOrigin(gateway: "g", device: "d", needsToken: false)
    #expect(try await snapshot(try trial.engine()) { _ = try await $0.download([request]) }?.state == .completed)
    #expect(TestFiles.mode("\(trial.downloads)/f") == 0o600)
    trial.server.stop()
  }
}
