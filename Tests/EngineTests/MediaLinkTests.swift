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
  func `W62 a new link for a known ID goes on with the bytes that are held, if they are the same`(
    isSame: Bool
  ) async throws {
    let total: Int64 = 3 << 20
    let scene = try LinkScene {
      $0.downloads.maxAttempts = 3
    } script: { peer, server in
      peer.send(LinkScene.link("a", server.url("/old?signature=5157")))
      // Once the client says so, the old one has failed.
      _ = peer.nextText()
      peer.send(LinkScene.link("a", server.url("/new?signature=7919")))
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
    #expect(scene.media == ["f.bin"], "\(events)")
    #expect(Pattern(isSame ? 1 : 2).firstDifference(inFile: scene.folder.path("media/f.bin"), byteCount: total) == nil)
    #expect(Set(events.map(\.snapshot.id)).count == 1)
    let asked = scene.server.requests("/new").compactMap(\.range)
    // The end of what is held is compared first; other bytes are fetched from the beginning.
    #expect(asked.first == "bytes=\((2 << 20) - (64 << 10))-" && asked.count == (isSame ? 1 : 2), "\(asked)")
    expectNoSecret(scene, "5157")
    expectNoSecret(scene, "7919")
  }

  /// The state's database knows a link without its query.
  private func expectNoSecret(_ scene: LinkScene, _ secret: String) {
    for name in TestFiles.names(in: scene.folder.path("state")) where name.contains("state") {
      let bytes = TestFiles.read(scene.folder.path("state/\(name)")) ?? []
      #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(name)")
    }
  }

  @Test(arguments: [false, true])
  func `W62 a new link that comes while the old one is at work is taken when that fails`(waits: Bool) async throws {
    let total: Int64 = 3 << 20
    let old = FaultServer()
    defer { old.stop() }
    let scene = try LinkScene {
      $0.downloads.retryMaxWaitSeconds = 600
    } script: { peer, server in
      peer.send(LinkScene.link("a", old.url("/old")))
      _ = peer.nextText()
      peer.send(LinkScene.link("a", server.url("/new")))
      if !waits {
        // The client has it once the ping behind it is answered.
        peer.ping([1])
        while let event = peer.next(), event != .pong([1]) {}
        old.cutStalled()
      }
    }
    // A server that wants a long wait, or one whose link expires while it is asked.
    let refusal = waits ? Fault.status(503, retryAfter: "500") : .status(403)
    old.serve(
      "/old", .pattern(1, byteCount: total), .on(1, waits ? .cut(after: 1 << 20) : .stall(after: 1 << 20)),
      .from(2, refusal))
    scene.server.serve("/new", .pattern(1, byteCount: total))
    let hasAsked = Guarded(false)
    let session = scene.session
    let (_, events) = await scene.run { _, events in
      let isReady = events.contains {
        waits ? $0.snapshot.reason == .serverBackoff : $0.snapshot.bytesDone == 1 << 20
      }
      let isFirst = hasAsked.withLock { asked in
        defer { asked = asked || isReady }
        return !asked && isReady
      }
      if isFirst { Task { _ = try await session.send(text: "again") } }
      return events.contains { $0.kind == .completed }
    }
    #expect(scene.media == ["f.bin"])
    #expect(Pattern(1).firstDifference(inFile: scene.folder.path("media/f.bin"), byteCount: total) == nil)
    #expect(Set(events.map(\.snapshot.id)).count == 1 && !events.contains { $0.kind == .failed }, "\(events)")
    #expect(scene.server.requests("/new").allSatisfy { $0.range != "bytes=0-" })
  }

  @Test(arguments: [1, 2])
  func `W35 a media that is there comes once, whatever link it comes by again`(version: Int) async throws {
    let total: Int64 = 1 << 20
    let scene = try LinkScene { _ in
    } script: { peer, server in
      peer.send(LinkScene.link("a", server.url("/one")))
      _ = peer.nextText()
      peer.send(LinkScene.link("a", server.url("/one")))
      peer.send(LinkScene.link("a", server.url("/two")))
    }
    scene.server.serve("/one", .pattern(1, byteCount: total))
    scene.server.serve("/two", .pattern(UInt64(version), byteCount: total))
    let hasAsked = Guarded(false)
    let session = scene.session
    let (told, events) = await scene.run { told, events in
      let isFirst = hasAsked.withLock { asked in
        defer { asked = asked || events.contains { $0.kind == .completed } }
        return !asked && events.contains { $0.kind == .completed }
      }
      if isFirst { Task { _ = try await session.send(text: "again") } }
      let duplicates = told.filter { if case .duplicate = $0 { true } else { false } }.count
      return version == 1 ? duplicates == 2 : events.filter { $0.kind == .completed }.count == 2
    }
    #expect(scene.media == (version == 1 ? ["f.bin"] : ["f (1).bin", "f.bin"]), "\(told)")
    #expect(events.filter { $0.kind == .completed }.count == version && !events.contains { $0.kind == .failed })
    #expect(scene.server.requests("/one").count == 1)
  }

  @Test func `T22 a page that says no is not saved as the file`() async throws {
    let scene = try LinkScene {
      $0.downloads.maxAttempts = 1
    } script: { peer, server in
      peer.send(LinkScene.link("a", server.url("/gone")))
    }
    scene.server.serve("/gone", .text("<h1>Not Found</h1>"), .always(.status(404)))
    let (_, events) = await scene.run { _, events in events.contains { $0.kind == .failed } }
    #expect(events.last { $0.kind == .failed }?.snapshot.failure?.code == .notFound)
    #expect(scene.media == [])
  }

  @Test func `W51 W52 names and IDs from outside lead nowhere else, and a link at the name is not followed`()
    async throws
  {
    let names = ["../../up", "/etc/passwd", "a\\\\b", "linked", "same", "x/same", ".."]
    let scene = try LinkScene { _ in
    } script: { peer, _ in
      for (number, name) in names.enumerated() {
        peer.send(
          #"{"t":"media","id":"../\#(number)/\\","kind":"image","mime":"image/png","filename":"\#(name)","data":"YQ=="}"#
        )
      }
    }
    scene.folder.write("theirs", to: "outside")
    TestFiles.link(to: scene.folder.path("outside"), at: scene.folder.path("media/linked"))
    _ = await scene.run { events, _ in
      events.filter { if case .media = $0 { true } else { false } }.count == names.count
    }
    let nameless = try #require(scene.media.first { $0.hasPrefix("image-") && $0.hasSuffix(".png") })
    #expect(
      Set(scene.media) == ["up", "passwd", "b", "linked", "linked (1)", "same", "same (1)", nameless], "\(scene.media)")
    #expect(TestFiles.text(scene.folder.path("outside")) == "theirs")
    #expect(Set(TestFiles.names(in: scene.folder.path)) == ["media", "state", "outside"])
  }

  @Test func `T11 a folder that takes nothing is told, and nothing is called saved`() async throws {
    let scene = try LinkScene {
      $0.mediaFolder? += "/file/below"
    } script: { peer, _ in
      peer.send(#"{"t":"media","id":"a","kind":"document","mime":"a/b","filename":"f","data":"YQ=="}"#)
    }
    scene.folder.write("in the way", to: "media/file")
    let (events, _) = await scene.run { events, _ in
      events.contains { if case .mediaFailed = $0 { true } else { false } }
    }
    #expect(!events.contains { if case .media = $0 { true } else { false } })
    #expect(
      events.contains { if case .mediaFailed("a", let failure) = $0 { failure.code == .localFile } else { false } })
  }

  @Test func `T10 a file that is there is never written over`() async throws {
    let scene = try LinkScene { _ in
    } script: { peer, _ in
      for (id, data) in [("a", "YQ=="), ("b", "Yg==")] {
        peer.send(
          #"{"t":"media","id":"\#(id)","kind":"document","mime":"a/b","filename":"f","data":"\#(data)"}"#)
      }
    }
    scene.folder.write("mine", to: "media/f")
    _ = await scene.run { events, _ in
      events.filter { if case .media = $0 { true } else { false } }.count == 2
    }
    #expect(scene.media == ["f", "f (1)", "f (2)"])
    #expect(scene.media.map { TestFiles.text(scene.folder.path("media/\($0)")) } == ["mine", "a", "b"])
  }
}
