import Core
import Crypto
import TestKit
import Testing
import WebSocket

@testable import Gateway

/// What clients send that is wrong, too much, or too slow.
@Suite struct HostileClientTests {
  @Test(arguments: [
    (#""part":true,"parts":2"#, "it has a part that is no whole number"),
    (#""part":"0","parts":2"#, "it has a part that is no whole number"),
    (#""part":0.5,"parts":2"#, "it has a part that is no whole number"),
    (#""part":-1,"parts":2"#, "it has part -1 of 2"), (#""part":2,"parts":2"#, "it has part 2 of 2"),
    (#""part":0,"parts":0"#, "it has part 0 of 0"), (#""part":0,"parts":4097"#, "it has part 0 of 4097"),
    (#""part":99999999999999999999"#, "it has a part that is no whole number"),
  ])
  func `a lie about parts rejects the medium, and the session goes on`(fields: String, cause: String) async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(text: #"{"t":"media","id":"x","kind":"image","mime":"image/png","data":"Zm9v",\#(fields)}"#)
    #expect(await client.complaint == ErrorFrame(code: "media_rejected", message: "cannot take media x: \(cause)"))
    await client.sendAll(parts(bytes(10), of: 10))
    #expect(await client.done != nil)
    #expect(scene.received == ["photo.jpg"])
  }

  @Test func `what is no medium at all is complained about once`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    let texts = [
      #"{"t":"media","kind":"image","mime":"a/b","data":""}"#,
      #"{"t":"media","id":"\#(String(repeating: "i", count: 1_000_000))","data":""}"#,
      #"{"t":"media","id":"none"}"#, #"{"t":"media","id":"link","url":"http://127.0.0.1/"}"#,
      #"{"t":"media","id":"bad","data":"Zm9v!"}"#, #"{"t":"media","id":"bad","data":"Zm9v"}"#,
      #"{"t":"media","id":"number","data":7}"#, #"{"t":"media","id":"null","data":null}"#,
    ]
    for text in texts { await client.send(text: text) }
    await client.sendAll(parts(bytes(10), of: 10))
    #expect(await client.done != nil)
    let messages = await client.all(0) { frame, _ in if case .error(let error) = frame { error.message } else { nil } }
    #expect(
      messages.map { $0.split(separator: ":")[0] } == [
        "cannot take a media", "cannot take a media", "cannot take media none", "cannot take media link",
        "cannot take media bad", "cannot take media number", "cannot take media null",
      ])
    #expect(scene.received == ["photo.jpg"])
  }

  @Test(arguments: [
    ("../../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("/etc/shadow", "shadow"),
    (".bashrc", "bashrc"),
    ("a\u{0}b\n.txt", "ab.txt"), ("film.mp4", "film (1).mp4"), ("..", nil), ("", nil), ("-rf", "_rf"),
    ("invoice\u{202e}fdp.exe", "invoicefdp.exe"), (".0.gateway-part", "0.gateway-part"),
  ])
  func `a name stays in the folder, replaces nothing and hides nothing`(name: String, stored: String?) async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.sendAll(parts(bytes(10), of: 10, name: name))
    #expect(await client.done != nil)
    #expect(scene.received == [stored ?? "image-\(sha256Hexadecimal(of: "m1").prefix(12)).jpg"])
    #expect(ByteContent(file: scene.folder.path("film.mp4")) == ByteContent(scene.content))
  }

  @Test func `a link with the name of a medium is not followed`() async throws {
    let scene = try Scene()
    let victim = TemporaryFolder("victim")
    victim.write("untouched", to: "file")
    TestFiles.link(to: victim.path("file"), at: scene.folder.path("photo.jpg"))
    let client = try await scene.client()
    await client.sendAll(parts(bytes(10), of: 10))
    #expect(await client.done != nil)
    #expect(TestFiles.text(victim.path("file")) == "untouched")
    #expect(scene.received == ["photo (1).jpg", "photo.jpg"])
  }

  @Test func `parts that change their number within a session are refused, the rest is passed over`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    let (three, two) = (parts(bytes(30), of: 10), parts(bytes(30), of: 15))
    await client.sendAll([three[0], two[1], three[1], three[2]])
    #expect(await client.complaint?.message == "cannot take media m1: it had 3 parts, now it has 2")
    await client.sendAll(parts(bytes(10), of: 10, id: "m2"))
    #expect(await client.done?.id == "m2")
    #expect(scene.received == ["photo.jpg"])
  }

  @Test func `media beyond the limits is refused and leaves nothing`() async throws {
    let scene = try Scene {
      $0.limits.mediaByteCount = 1000
      $0.limits.openMediaByteCount = 3000
      $0.limits.openMediaCount = 3
    }
    let client = try await scene.client()
    await client.sendAll(parts(bytes(1200), of: 400, id: "large"))
    for id in ["a", "b", "c"] { await client.sendAll(Array(parts(bytes(1000), of: 500, id: id).prefix(1))) }
    await client.sendAll(Array(parts(bytes(1000), of: 500, id: "d").prefix(1)))
    let other = try await scene.client("other")
    await other.sendAll(Array(parts(bytes(1000), of: 990, id: "e").prefix(1)))
    await other.sendAll(Array(parts(bytes(1000), of: 990, id: "f").prefix(1)))
    let messages = await client.all(2) { frame, _ in if case .error(let error) = frame { error.message } else { nil } }
    #expect(
      messages == [
        "cannot take media large: it has more than 1000 B", "cannot take media d: 3 others are not complete yet",
      ])
    #expect(await other.complaint?.message == "cannot take media f: media that are not complete yet hold 2.9 KiB")
    #expect(scene.received.count == 4 && scene.received.allSatisfy { $0.hasSuffix(".gateway-part") })
    // What is complete makes room again.
    await client.sendAll(parts(bytes(1000), of: 500, id: "a"))
    #expect(await client.done?.byteCount == 1000)
    await other.sendAll(parts(bytes(1000), of: 1000, id: "g"))
    #expect(await other.done?.id == "g")
  }

  @Test func `a message of more than 16 MiB ends the session with 1009 before it is taken`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    let count: UInt64 = (16 << 20) + 1
    await client.send(
      raw: [0x81, 0xff] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) } + [0, 0, 0, 0])
    #expect(await client.ending()?.code == 1009)
  }

  @Test(
    arguments: [
      ([0x81, 0x02, 0x68, 0x69], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002), ([0xc1, 0x80, 0, 0, 0, 0], 1002),
      ([0x81, 0x81, 0, 0, 0, 0, 0xff], 1007), ([0x88, 0x81, 0, 0, 0, 0, 3], 1002), ([0x80, 0x80, 0, 0, 0, 0], 1002),
    ] as [([UInt8], UInt16)])
  func `frames against the protocol end the session and say why`(frame: [UInt8], code: UInt16) async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(raw: frame)
    #expect(await client.ending()?.code == code)
    #expect(try await scene.client().ready() != nil)
  }

  @Test func `who does not answer pings is dead, and its place is free`() async throws {
    let scene = try Scene {
      $0.limits.pingAfter = .milliseconds(100)
      $0.limits.deadAfter = .milliseconds(1500)
    }
    let dead = try await SessionClient.connect(port: scene.gateway.port, answersPings: false)
    let alive = try await scene.client("alive")
    await dead.hello(device: "dead")
    #expect(await dead.event { $0 == .ping } != nil)
    let end = await dead.ending()
    #expect(end != nil && end?.code == nil)
    await alive.send(.text(TextFrame(id: "1", text: "hi")))
    #expect(await alive.first { frame, _ in if case .message = frame { true } else { nil } } == true)
  }

  @Test func `a client that reads nothing holds up nobody`() async throws {
    let scene = try Scene { $0.sharesWithAll = true }
    let deaf = try await SessionClient.connect(port: scene.gateway.port, readsNothing: true)
    await deaf.hello(device: "deaf")
    for _ in 0..<200 { await deaf.send(.text(TextFrame(id: "1", text: "/send film.mp4"))) }
    let client = try await scene.client("client")
    for number in 0..<5 { await client.sendAll(parts(bytes(100_000), of: 50_000, id: "\(number)")) }
    let proofs = await client.all(5) { frame, _ in if case .mediaDone(let done) = frame { done } else { nil } }
    #expect(proofs.count == 5)
    let gateway = scene.gateway
    await onThread { gateway.stop() }
  }

  @Test func `a message that comes byte by byte holds up nobody`() async throws {
    let scene = try Scene()
    let slow = try await scene.client("slow")
    let client = try await scene.client("client")
    let text = Array(#"{"t":"text","id":"1","text":"slow"}"#.utf8)
    await slow.send(raw: [0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0])
    for byte in text {
      await slow.send(raw: [byte])
      await client.ping("\(byte)")
      #expect(await client.event { $0 == .pong(Array("\(byte)".utf8)) } != nil)
    }
    #expect(
      await slow.first { frame, _ in if case .message(let message) = frame { message.text } else { nil } } == "slow")
  }

  @Test func `random frames never hurt the gateway`() async throws {
    let scene = try Scene()
    let pieces = [
      "{", "}", "[", "]", ":", ",", "\"", #""t":"#, #""media""#, #""id":"a""#, #""data":"Zm9v""#, #""part":1"#,
      #""parts":2"#,
      #""text""#, #""text":"/prompt""#, #""prompt""#, #""audio""#, #""format":"ogg""#, "null", "true", "-1", "1e99",
      "\\u0000", "é",
      #"{"t":"media","id":"a","kind":"image","mime":"a/b","data":"Zm9v"}"#,
    ]
    for seed in Seeds.fromEnvironment(count: 40) {
      var random = SeededRandom(seed: seed)
      let client = try await scene.client("fuzz")
      for _ in 0..<20 { await client.send(text: random.text(of: pieces, maxCount: 12)) }
      if random.oneIn(2) {
        // Perhaps the beginning of a long frame: nothing that comes behind it would be understood.
        await client.send(raw: random.bytes(50))
        client.vanish()
      } else {
        await client.close()
      }
      #expect(await client.ending() != nil, "SEED=\(seed)")
    }
    #expect(try await scene.client().ready() != nil)
  }
}
