import Core
import Crypto
import Gateway
import HermesTransfer
import TestKit
import Testing

/// Our session with our gateway, in one process.
@Suite(.timeLimit(.minutes(5)))
struct HermesSessionTests {
  private struct Scene {
    let folder = TemporaryFolder()
    let gateway: Gateway
    let engine: TransferEngine
    let session: HermesSession

    init(_ change: (inout GatewayOptions) -> Void = { _ in }) throws {
      folder.folder("gateway")
      folder.folder("media")
      var options = GatewayOptions(mediaFolder: folder.path("gateway"))
      options.isQuiet = true
      change(&options)
      gateway = try Gateway(options)
      engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: folder.path("state")))
      let url = try GatewayURL("ws://127.0.0.1:\(gateway.port)/ws")
      let device = DeviceIdentity(id: "dev-1", name: "test", platform: "linux", appVersion: "0")
      let profile = SessionProfile(name: "g", url: url, token: nil, device: device)
      var sessionOptions = SessionOptions()
      sessionOptions.mediaFolder = folder.path("media")
      session = try HermesSession(profile: profile, engine: engine, options: sessionOptions)
    }

    func end() async {
      await session.disconnect()
      await engine.stop()
      gateway.stop()
    }

    /// The first event that `pick` makes something of.
    func event<Value>(_ pick: (SessionEvent) -> Value?) async -> Value? {
      while let events = await session.nextEvents() {
        for event in events {
          if let value = pick(event) { return value }
          if case .stateChanged(.failed(let failure)) = event {
            Issue.record("\(failure)")
            return nil
          }
        }
      }
      return nil
    }

    /// Every event of the engine until all is done.
    func transfers() async -> [TransferEvent] {
      var all: [TransferEvent] = []
      while let events = await engine.nextEvents() { all += events }
      return all
    }
  }

  @Test func `what is said is read by the gateway, and its echo comes back`() async throws {
    let scene = try Scene()
    await scene.session.connect()
    let id = try await scene.session.send(text: "hello")
    // The echo and the pong that proves our words come in any order.
    var isSent = false
    var echo: String?
    let text: String? = await scene.event { event in
      if event == .messageSent(id: id) { isSent = true }
      if case .message(let message) = event { echo = message.text }
      return isSent ? echo : nil
    }
    #expect(text?.contains("hello") == true)
    await scene.end()
  }

  @Test(arguments: [0, 1, 5_000_000, 7_000_001])
  func `a file goes out in parts and is delivered`(byteCount: Int) async throws {
    let scene = try Scene { $0.echoes = false }
    var random = SeededRandom(seed: 9)
    let bytes = random.bytes(byteCount)
    scene.folder.write(bytes, to: "film.bin")
    await scene.session.connect()
    var request = MediaRequest(path: scene.folder.path("film.bin"))
    request.partByteCount = 1_500_000
    request.caption = "look"
    let accepted = try await scene.session.upload([request])
    let events = await scene.transfers()
    let last = try #require(events.last { $0.snapshot.id == accepted[0].id })
    #expect(last.snapshot.state == .delivered, "\(last)")
    #expect(last.snapshot.bytesDone == Int64(byteCount))
    #expect(ByteContent(file: scene.folder.path("gateway/film.bin")) == ByteContent(bytes))
    await scene.end()
  }

  @Test func `a floor gateway leaves it at sent`() async throws {
    let scene = try Scene {
      $0.speaksFloorOnly = true
      $0.echoes = false
    }
    scene.folder.write([1, 2, 3], to: "a.bin")
    await scene.session.connect()
    _ = try await scene.session.upload([MediaRequest(path: scene.folder.path("a.bin"))])
    let events = await scene.transfers()
    #expect(events.last?.snapshot.state == .sent)
    #expect(TestFiles.read(scene.folder.path("gateway/a.bin")) == [1, 2, 3])
    await scene.end()
  }

  @Test(arguments: [100, 5_000_000])
  func `T12 what the gateway sends back is on disk, inline and by link`(byteCount: Int) async throws {
    let scene = try Scene()
    var random = SeededRandom(seed: 4)
    let bytes = random.bytes(byteCount)
    scene.folder.write(bytes, to: "back.bin")
    await scene.session.hold(true)
    await scene.session.connect()
    _ = try await scene.session.upload([MediaRequest(path: scene.folder.path("back.bin"))])
    let engine = scene.engine
    let drain = Task { while await engine.nextEvents() != nil {} }
    let path: String?? = await scene.event { event in
      if case .media(let media) = event { return .some(media.path) }
      if case .mediaAnnounced = event { return .some(nil) }
      return nil
    }
    _ = try #require(path)
    let isThere = await eventually {
      TestFiles.names(in: scene.folder.path("media")).contains {
        !$0.hasPrefix(".") && TestFiles.read(scene.folder.path("media/\($0)")) == bytes
      }
    }
    #expect(isThere, "\(TestFiles.names(in: scene.folder.path("media")))")
    await scene.end()
    await drain.value
  }
}
