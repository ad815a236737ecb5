import Core
import Crypto
import TestKit
import Testing

@testable import Gateway

@Suite struct ReconnectTests {
  @Test func `what was held survives a reconnect and is told when asked`() async throws {
    let scene = try Scene()
    let content = bytes(1000)
    let sent = parts(content, of: 100)
    let first = try await scene.client()
    await first.sendAll([sent[0], sent[1], sent[2], sent[7]])
    await first.ping("behind")
    #expect(await first.event { $0 == .pong(Array("behind".utf8)) } != nil)
    first.vanish()
    let second = try await scene.client()
    await second.send(.mediaStatus(id: "m1"))
    let held = RangeSet([ByteRange(0, 3), ByteRange(7, 8)])
    #expect(await second.status == MediaStatusFrame(id: "m1", parts: 10, held: held))
    await second.sendAll([sent[3], sent[4], sent[5], sent[6], sent[8], sent[9]])
    #expect(await second.done?.sha256 == sha256Hexadecimal(of: content))
    #expect(ByteContent(file: scene.folder.path("photo.jpg")) == ByteContent(content))
  }

  @Test func `of a complete medium the proof is told again, of an unknown one nothing is held`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.sendAll(parts(bytes(10), of: 4))
    let done = try #require(await client.done)
    let second = try await scene.client()
    await second.send(.mediaStatus(id: "m1"))
    #expect(await second.status == MediaStatusFrame(id: "m1", parts: 3, held: RangeSet(ByteRange(0, 3))))
    #expect(await second.done == done)
    let third = try await scene.client("another")
    await third.send(.mediaStatus(id: "m1"))
    #expect(await third.status == MediaStatusFrame(id: "m1", parts: 0, held: RangeSet()))
  }

  @Test func `the same medium again is proved again and stored once`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.sendAll(parts(bytes(10), of: 4))
    await client.sendAll(parts(bytes(10), of: 5))
    let proofs = await client.all(2) { frame, _ in if case .mediaDone(let done) = frame { done } else { nil } }
    #expect(proofs.count == 2 && proofs[0] == proofs[1])
    #expect(scene.received == ["photo.jpg"])
    await client.ping("behind")
    #expect(await client.event { $0 == .pong(Array("behind".utf8)) } != nil)
    #expect(await client.media(1).count == 1)
  }

  @Test func `other bytes under a known id or name are another file`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.sendAll(parts(bytes(10), of: 10))
    await client.sendAll(parts(bytes(11), of: 11))
    await client.sendAll(parts(bytes(12), of: 12, id: "m2"))
    #expect(await client.media(3).count == 3)
    #expect(scene.received == ["photo (1).jpg", "photo (2).jpg", "photo.jpg"])
  }

  @Test func `a client that comes back may cut the medium otherwise`() async throws {
    let scene = try Scene()
    let content = bytes(1000)
    let first = try await scene.client()
    await first.sendAll(Array(parts(content, of: 300).prefix(2)))
    await first.ping("behind")
    #expect(await first.event { $0 == .pong(Array("behind".utf8)) } != nil)
    let second = try await scene.client()
    await second.sendAll(parts(content, of: 200))
    #expect(await second.done?.sha256 == sha256Hexadecimal(of: content))
  }

  @Test func `a part with other bytes begins the medium anew`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    let (old, new) = (parts(bytes(40), of: 10), parts(bytes(80).suffix(40).map(\.self), of: 10))
    await client.sendAll([old[0], old[1], old[2], new[1], new[0], new[2], new[3]])
    #expect(await client.done?.sha256 == sha256Hexadecimal(of: Array(bytes(80).suffix(40))))
    #expect(ByteContent(file: scene.folder.path("photo.jpg")) == ByteContent(Array(bytes(80).suffix(40))))
  }

  @Test func `the newer connection of a device replaces the older`() async throws {
    let scene = try Scene()
    let first = try await scene.client()
    let second = try await scene.client()
    let end = await first.ending()
    #expect(end?.code == 4409 && end?.reason.contains("replaced") == true)
    await second.send(.text(TextFrame(id: "1", text: "hi")))
    #expect(
      await second.first { frame, _ in if case .message(let message) = frame { message.text } else { nil } } == "hi")
  }

  @Test func `what a client did not read is announced again, under the same id`() async throws {
    let scene = try Scene()
    let dead = try await SessionClient.connect(port: scene.gateway.port, answersPings: false)
    await dead.hello()
    await dead.sendAll(parts(bytes(100), of: 100))
    let first = try #require(await dead.media(1).first)
    let alive = try await scene.client()
    let second = try #require(await alive.media(1).first)
    #expect(second.frame.id == first.frame.id && second.data == bytes(100))
    // Read and answered: not again.
    await alive.ping("behind")
    #expect(await alive.event { $0 == .pong(Array("behind".utf8)) } != nil)
    let next = try await scene.client()
    await next.ping("behind")
    #expect(await next.event { $0 == .pong(Array("behind".utf8)) } != nil)
    #expect(await next.media(0).isEmpty)
  }

  @Test func `what is not completed is given up after a while, and leaves nothing`() async throws {
    let scene = try Scene { $0.limits.openMediaIdle = .milliseconds(100) }
    let client = try await scene.client()
    await client.sendAll(Array(parts(bytes(100), of: 10).prefix(3)))
    let folder = scene.folder
    #expect(await eventually { folder.names == ["film.mp4"] })
  }

  @Test func `the end of the gateway closes sessions and removes what is not complete`() async throws {
    let scene = try Scene()
    scene.folder.write("left by a killed one", to: ".0123.gateway-part")
    let client = try await scene.client()
    await client.sendAll(Array(parts(bytes(100), of: 10).prefix(3)))
    await client.ping("behind")
    #expect(await client.event { $0 == .pong(Array("behind".utf8)) } != nil)
    #expect(scene.received.count == 2)
    let gateway = scene.gateway
    await onThread { gateway.stop() }
    #expect(await client.ending()?.code == 1001)
    #expect(scene.received == [".0123.gateway-part"])
    let next = try Gateway(GatewayOptions(mediaFolder: scene.folder.path))
    #expect(scene.received.isEmpty)
    next.stop()
  }
}
