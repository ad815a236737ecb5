import Core
import Crypto
import TestKit
import Testing

@testable import Gateway

/// What the faults of a session do to a client.
@Suite struct SessionDrillTests {
  private static func sent(_ count: Int = 4) -> [(frame: MediaFrame, bytes: [UInt8])] {
    parts(bytes(count * 10), of: 10)
  }

  @Test(arguments: ["drop-after-part=3", "drop=3", "drop=3:1"])
  func `the connection is dropped after a part, once, and the parts are held`(fault: String) async throws {
    let scene = try Scene([fault])
    let first = try await scene.client()
    await first.sendAll(Self.sent())
    let end = try #require(await first.ending())
    #expect(end.code == nil && end.isReset)
    let second = try await scene.client()
    await second.send(.mediaStatus(id: "m1"))
    #expect(await second.status?.held == RangeSet(ByteRange(0, 3)))
    await second.sendAll(Self.sent())
    #expect(await second.done != nil)
  }

  @Test func `a drop after the last part loses the proof, not the medium`() async throws {
    let scene = try Scene(["drop-after-part=4"])
    let first = try await scene.client()
    await first.sendAll(Self.sent())
    #expect(await first.ending()?.isReset == true)
    #expect(await first.done(seconds: 0) == nil)
    #expect(scene.received == ["photo.jpg"])
    let second = try await scene.client()
    await second.send(.mediaStatus(id: "m1"))
    #expect(await second.done != nil)
  }

  @Test func `the connection is dropped in the middle of a message`() async throws {
    let scene = try Scene(["drop-after-bytes=20000:2"])
    for _ in 0..<2 {
      let client = try await scene.client()
      await client.sendAll(parts(bytes(60_000), of: 60_000))
      #expect(await client.ending()?.isReset == true)
    }
    let client = try await scene.client()
    await client.sendAll(parts(bytes(60_000), of: 60_000))
    #expect(await client.done != nil)
  }

  @Test func `a close comes in place of ready, behind it, or behind a part`() async throws {
    let scene = try Scene(["close=4401:hello", "close=1013:ready:2", "close=1011:1"])
    let port = scene.gateway.port
    let unready = try await SessionClient.connect(port: port)
    await unready.hello()
    #expect(await unready.ending()?.code == 4401)
    #expect(await unready.first(seconds: 0) { frame, _ in frame } == nil)
    for _ in 0..<2 {
      let client = try await scene.client()
      #expect(await client.ending()?.code == 1013)
    }
    let client = try await scene.client()
    await client.sendAll(Self.sent())
    #expect(await client.ending()?.code == 1011)
  }

  @Test func `in a black hole there is neither answer nor end until the client leaves`() async throws {
    let scene = try Scene(["blackhole=1"])
    let client = try await scene.client()
    await client.sendAll(Self.sent(1))
    let folder = scene.folder
    #expect(await eventually { folder.names.contains("photo.jpg") })
    await client.ping("hello?")
    #expect(await client.event(seconds: 0.3) { $0 == .pong(Array("hello?".utf8)) } == nil)
    #expect(await client.done(seconds: 0) == nil)
    client.vanish()
    let gateway = scene.gateway
    await onThread { gateway.stop() }
  }

  @Test func `the gateway can stop in a black hole`() async throws {
    let scene = try Scene(["blackhole"])
    let client = try await scene.client()
    let gateway = scene.gateway
    await onThread { gateway.stop() }
    #expect(await client.ending() != nil)
  }

  @Test func `pings are not answered, messages are`() async throws {
    let scene = try Scene(["no-pong"])
    let client = try await scene.client()
    await client.ping("hello?")
    await client.send(.text(TextFrame(id: "1", text: "hi")))
    #expect(await client.first { frame, _ in if case .message = frame { true } else { nil } } == true)
    #expect(await client.event(seconds: 0) { if case .pong = $0 { true } else { false } } == nil)
  }

  @Test func `an answer comes late, its message is taken at once`() async throws {
    let scene = try Scene(["delay=3s:2"])
    let client = try await scene.client()
    await client.sendAll(Self.sent(1))
    let folder = scene.folder
    #expect(await eventually { folder.names.contains("photo.jpg") })
    #expect(await client.done(seconds: 0) == nil)
    #expect(await client.done != nil)
  }

  @Test func `longer messages than the drill takes are refused with 1009`() async throws {
    let scene = try Scene(["max-message=1000"])
    let client = try await scene.client()
    await client.sendAll(parts(bytes(300), of: 300))
    #expect(await client.done != nil)
    await client.sendAll(parts(bytes(1000), of: 1000, id: "m2"))
    let end = await client.ending()
    #expect(end?.code == 1009 && end?.reason.contains("1000 bytes") == true)
  }

  @Test func `parts come in another order, twice, and not at all`() async throws {
    func indices(_ faults: String...) async throws -> [Int] {
      let scene = try Scene(faults) { $0.partByteCount = 30 }
      let client = try await scene.client()
      await client.sendAll(parts(bytes(240), of: 240))
      _ = await client.media(1)
      await client.ping("behind")
      _ = await client.event { $0 == .pong(Array("behind".utf8)) }
      await client.send(.text(TextFrame(id: "1", text: "hi")))
      _ = await client.first { frame, _ in if case .message = frame { true } else { nil } }
      return await client.media(0).map(\.frame.part)
    }
    #expect(try await indices() == Array(0..<8))
    let shuffled = try await indices("shuffle-parts=7")
    #expect(shuffled != Array(0..<8) && shuffled.sorted() == Array(0..<8))
    #expect(try await indices("shuffle-parts=7") == shuffled)
    #expect(try await indices("duplicate-parts") == (0..<8).flatMap { [$0, $0] })
    #expect(try await indices("omit-part=3") == [0, 1, 2, 4, 5, 6, 7])
  }

  @Test func `an upgrade is refused as often as told, with the time to wait`() async throws {
    let scene = try Scene(["upgrade-status=429:1:7", "upgrade-status=503:1"])
    let first = await scene.answer()
    #expect(first.status == 429 && first["Retry-After"] == "7")
    #expect(await scene.answer().status == 503)
    #expect(await scene.get().status == 200)
    _ = try await scene.client()
  }

  @Test func `an announced URL expires, and the medium is announced again under another`() async throws {
    let scene = try Scene(["expired-url=1:1"]) { $0.inlineByteCount = 0 }
    let client = try await scene.client()
    await client.sendAll(Self.sent(1))
    let first = try #require(await client.media(1).first).frame
    let url = try #require(first.url)
    #expect(url.contains("?link="))
    #expect(await scene.get(url, "Range: bytes=0-1").status == 206)
    for _ in 0..<2 { #expect(await scene.get(url).status == 403) }
    let announced = await client.media(2).map(\.frame)
    #expect(announced.count == 2 && announced.last?.id == first.id && announced.last?.url != url)
    #expect(await scene.get(announced.last?.url ?? "").body == bytes(10))
  }

  @Test func `a slow reader takes its time`() async throws {
    let scene = try Scene(["slow-read=200k"])
    let client = try await scene.client()
    let clock = ContinuousClock()
    let begun = clock.now
    await client.sendAll(parts(bytes(75_000), of: 75_000))
    #expect(await client.done != nil)
    #expect(clock.now - begun >= .milliseconds(350))
  }
}

extension SessionClient {
  func done(seconds: Double) async -> MediaDoneFrame? {
    await first(seconds: seconds) { frame, _ in if case .mediaDone(let done) = frame { done } else { nil } }
  }
}

@Suite struct SessionFaultTests {
  @Test(
    arguments: [
      ("upgrade-status=429:2:7", .upgradeStatus(429, retryAfter: "7"), 2), ("token-status=403", .tokenStatus(403), nil),
      ("drop=hello", .drop(.hello), 1), ("drop=ready:all", .drop(.ready), nil), ("drop=2:5", .drop(.parts(2)), 5),
      ("drop-after-part=3", .drop(.parts(3)), 1), ("drop-after-bytes=70000:2", .dropAfterBytes(70_000), 2),
      ("close=1008", .close(1008, .ready), 1), ("close=4401:hello:all", .close(4401, .hello), nil),
      ("close=1001:3", .close(1001, .parts(3)), 1), ("blackhole", .blackhole(.ready), 1),
      ("blackhole=hello:2", .blackhole(.hello), 2), ("delay=1.5s", .delay(milliseconds: 1500), nil),
      ("delay=200ms:3", .delay(milliseconds: 200), 3), ("slow-read=1M", .slowRead(bytesPerSecond: 1 << 20), nil),
      ("no-pong", .noPong, nil), ("max-message=4M", .maxMessage(byteCount: 4 << 20), nil),
      ("shuffle-parts", .shuffleParts(seed: 1), nil), ("shuffle-parts=9", .shuffleParts(seed: 9), nil),
      ("duplicate-parts", .duplicateParts, nil), ("omit-part=0", .omitPart(0), 1),
      ("omit-part=2:all", .omitPart(2), nil), ("expired-url", .expiredURL(afterRequests: 0), 1),
      ("expired-url=all:2", .expiredURL(afterRequests: 2), nil),
    ] as [(String, SessionFault, Int64?)])
  func `every known form is read`(text: String, fault: SessionFault, times: Int64?) throws {
    #expect(try FaultSpec(text) == FaultSpec(fault: .session(fault), times: times))
  }

  @Test(arguments: [
    "upgrade-status=200", "token-status=200", "token-status", "drop", "drop=", "drop=0", "drop=soon", "drop=1:0",
    "drop=1:x", "drop=1:2:3", "drop-after-part=ready", "drop-after-bytes=0", "close", "close=999", "close=1005",
    "close=1006", "close=1015", "close=5000", "close=1000:1:2:3", "blackhole=x", "delay", "delay=x", "slow-read=0",
    "no-pong=1", "max-message=x", "shuffle-parts=x", "duplicate-parts=1", "omit-part", "omit-part=-1",
    "expired-url=0", "expired-url=1:x",
  ])
  func `anything else is refused`(text: String) {
    #expect(throws: FaultSpecError(text: text)) { try FaultSpec(text) }
  }
}
