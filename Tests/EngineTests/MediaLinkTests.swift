import Core
import HermesTransfer
import Posix
import TestKit
import Testing

/// A session with a peer that says what a test wants, and a server for what it links to.
struct LinkScene {
  static let token = "s3cret-token"
  let folder = TemporaryFolder("links")
  let server = FaultServer()
  let peer: ScriptedPeer
  let engine: TransferEngine
  let session: HermesSession

  /// - Parameter script: what happens on each connection once `ready` was said.
  init(
    _ change: (inout SessionOptions) -> Void = { _ in },
    script: @escaping @Sendable (PeerSession, FaultServer) -> Void
  ) throws {
    let server = server
    peer = ScriptedPeer { peer in
      guard peer.accept(), peer.nextText() != nil else { return }
      peer.send(#"{"t":"ready"}"#)
      script(peer, server)
      peer.waitForEnd()
    }
    engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: folder.path("state")))
    let device = DeviceIdentity(id: "dev-1", name: "test", platform: "linux", appVersion: "0")
    let profile = SessionProfile(
      name: "g", url: try GatewayURL(peer.url()), token: Secret(Self.token), device: device)
    var options = SessionOptions()
    options.mediaFolder = folder.folder("media")
    change(&options)
    session = try HermesSession(profile: profile, engine: engine, options: options)
  }

  var media: [String] { TestFiles.names(in: folder.path("media")) }

  static func link(_ id: String, _ url: String, name: String = "f.bin") -> String {
    #"{"t":"media","id":"\#(id)","kind":"document","mime":"a/b","filename":"\#(name)","url":"\#(url)"}"#
  }

  /// Events of the session and the engine until `isDone`.
  func run(until isDone: @escaping @Sendable ([SessionEvent], [TransferEvent]) -> Bool) async -> (
    [SessionEvent], [TransferEvent]
  ) {
    let seen = Guarded(([SessionEvent](), [TransferEvent]()))
    await session.hold(true)
    await session.connect()
    let tasks = [
      Task { while let some = await session.nextEvents() { seen.withLock { $0.0 += some } } },
      Task { while let some = await engine.nextEvents() { seen.withLock { $0.1 += some } } },
    ]
    #expect(await eventually(seconds: 60) { seen.withLock { isDone($0.0, $0.1) } })
    await session.disconnect()
    await engine.stop()
    for task in tasks { await task.value }
    peer.stop()
    server.stop()
    return seen.withLock { $0 }
  }
}

@Suite(.timeLimit(.minutes(2))) struct MediaLinkTests {
  @Test func `what the user gave for the gateway goes nowhere else`() async throws {
    let scene = try LinkScene {
      $0.network.headers = ["X-Api-Key: key-5157"]
      $0.network.user = "me"
      $0.network.password = "pass-5157"
    } script: { peer, server in
      peer.send(LinkScene.link("a", server.url("/f")))
    }
    scene.server.serve("/f", .pattern(1, byteCount: 1000))
    _ = await scene.run { _, events in events.contains { $0.kind == .completed } }
    let asked = try #require(scene.server.requests.first)
    #expect(asked["authorization"] == nil && asked["x-api-key"] == nil)
    #expect(scene.media == ["f.bin"])
  }

  @Test(arguments: [true, false])
  func `a new link for a known ID goes on with the bytes that are held, if they are the same`(isSame: Bool) async throws
  {
    let total: Int64 = 3 << 20
    let scene = try LinkScene {
      $0.downloads.maxAttempts = 3
    } script: { peer, server in
      peer.send(LinkScene.link("a", server.url("/old")))
      // Once the client says so, the old one has failed.
      _ = peer.nextText()
      peer.send(LinkScene.link("a", server.url("/new")))
    }
    scene.server.serve(
      "/old", .pattern(1, byteCount: total, age: 3600), .on(1, .cut(after: 2 << 20)), .on(2, .status(403)))
    scene.server.serve("/new", .pattern(isSame ? 1 : 2, byteCount: total, age: 3600))
    let hasAsked = Guarded(false)
    let session = scene.session
    let (_, events) = await scene.run { _, events in
      let isFirst = hasAsked.withLock { asked in
        defer { asked = asked || events.contains { $0.kind == .failed } }
        return !asked && events.contains { $0.kind == .failed }
      }
      if isFirst { Task { _ = try await session.send(text: "again") } }
      return events.contains { $0.kind == .completed }
    }
    // What is held of the other bytes stays for a retry.
    #expect(scene.media.filter { !$0.hasPrefix(".") } == ["f.bin"], "\(events)")
    #expect(Pattern(isSame ? 1 : 2).firstDifference(inFile: scene.folder.path("media/f.bin"), byteCount: total) == nil)
    let ids = Set(events.map(\.snapshot.id))
    #expect(ids.count == (isSame ? 1 : 2))
    let asked = scene.server.requests("/new").compactMap(\.range)
    #expect(asked.first != "bytes=0-" && (isSame == !asked.contains("bytes=0-")), "\(asked)")
  }
}
