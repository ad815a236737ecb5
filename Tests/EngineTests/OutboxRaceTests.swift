import Core
import Posix
import TestKit
import Testing

@testable import HermesTransfer

/// What the loop's thread and the store's thread do at the same time.
@Suite(.timeLimit(.minutes(2))) struct OutboxRaceTests {
  @Test func `a message whose pong comes while the state is looked into is not sent once more`() async throws {
    let folder = TemporaryFolder("race")
    let engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: folder.path("state")))
    let device = DeviceIdentity(id: "dev-1", name: "test", platform: "linux", appVersion: "0")
    let profile = SessionProfile(name: "g", url: try GatewayURL("ws://127.0.0.1:1/ws"), token: nil, device: device)
    let session = try HermesSession(profile: profile, engine: engine)
    _ = try await session.send(text: "hello")
    let core = engine.core
    await withCheckedContinuation { continuation in
      core.loop.post {
        let driver = session.driver
        let frame = driver.texts.removeFirst()
        driver.lookIntoState()
        // The look is done, and its answer waits for this turn's end, when the pong comes.
        let isLooked = Guarded(false)
        core.storeThread.post { _ in isLooked.withLock { $0 = true } }
        while !isLooked.withLock({ $0 }) {}
        driver.proven(frame)
        continuation.resume()
      }
    }
    // A turn of each thread, and another one for what they answered.
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in
        core.storeThread.post { _ in core.loop.post { continuation.resume() } }
      }
    }
    let waiting = await withCheckedContinuation { continuation in
      core.loop.post { continuation.resume(returning: session.driver.texts.count) }
    }
    #expect(waiting == 0)
    await engine.stop()
  }
}
