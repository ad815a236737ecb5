import Core
import Crypto
import TestKit
import Testing

/// The scripts of `Gateways/`, through our codec and frames alone: they are what the tests of the session rely on.
@Suite(.fewAtOnce) struct ForeignGatewayTests {
  private func part(_ index: Int, of count: Int, caption: String? = nil) -> MediaFrame {
    MediaFrame(
      id: "m-1", kind: .document, mime: "application/x-test", part: index, parts: count, fileName: "f.bin",
      caption: caption)
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `a stranger's gateway greets, echoes and joins parts in any order`(kind: ForeignGateway.Kind) async throws {
    let gateway = try await ForeignGateway(kind)
    let client = try await SessionClient.ready(port: gateway.port, target: "/ws?token=\(ForeignGateway.token)")
    #expect(await gateway.waitForLine { $0.hello == "device" }?.platform == "linux")

    await client.send(.text(TextFrame(id: "t-1", text: "grüß dich")))
    let echo = await client.first { frame, _ in if case .message(let message) = frame { message.text } else { nil } }
    #expect(echo == "grüß dich")
    #expect(gateway.lines.contains { $0.id == "t-1" && $0.text == "grüß dich" })

    let bytes = Pattern(5).bytes(0..<500_000)
    await client.send(part(1, of: 2), Array(bytes[300_000...]))
    await client.send(part(0, of: 2, caption: "a file"), Array(bytes[..<300_000]))
    let media = await gateway.waitForLine { $0.media == "m-1" }
    #expect(media?.bytes == 500_000 && media?.kind == "document" && media?.mime == "application/x-test")
    #expect(media?.filename == "f.bin" && media?.caption == "a file")
    let digest = Digest(.sha256)
    digest.update(bytes)
    #expect(media?.sha256 == digest.finishHexadecimal(), "\(gateway.outputSoFar)")
    #expect(ByteContent(file: gateway.file("m-1")) == ByteContent(bytes))
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `a stranger's gateway refuses a wrong token, before and after the upgrade`(
    kind: ForeignGateway.Kind
  ) async throws {
    let gateway = try await ForeignGateway(kind)
    let refused = await #expect(throws: SessionClient.NotConnected.self) {
      _ = try await SessionClient.connect(port: gateway.port, target: "/ws?token=other")
    }
    #expect(refused.map { "\($0)".contains("403") } == true)
    let client = try await SessionClient.connect(port: gateway.port)
    await client.hello(token: "other")
    #expect(await client.ending()?.code == 1008)
    _ = try await SessionClient.ready(port: gateway.port, token: ForeignGateway.token)
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `a stranger's gateway cuts one connection after a part`(kind: ForeignGateway.Kind) async throws {
    let gateway = try await ForeignGateway(kind, ["--drop-after-part", "1"])
    for attempt in 1...2 {
      let client = try await SessionClient.ready(port: gateway.port, token: ForeignGateway.token)
      for index in 0..<3 { await client.send(part(index, of: 3), [UInt8](repeating: UInt8(index), count: 1000)) }
      if attempt == 1 {
        let ending = await client.ending()
        #expect(ending != nil && ending?.code == nil, "\(gateway.outputSoFar)")
        #expect(gateway.media.isEmpty)
      } else {
        #expect(await gateway.waitForLine { $0.media == "m-1" }?.bytes == 3000, "\(gateway.outputSoFar)")
      }
    }
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `a stranger's gateway sends a file in parts`(kind: ForeignGateway.Kind) async throws {
    let folder = TemporaryFolder()
    let byteCount: Int64 = 4_000_000
    Pattern(6).write(byteCount: byteCount, to: folder.path("f.bin"))
    let gateway = try await ForeignGateway(kind, ["--send", folder.path("f.bin")])
    let client = try await SessionClient.ready(port: gateway.port, token: ForeignGateway.token)
    let parts = await client.all(2) { frame, data in
      if case .media(let media) = frame { "\(media.part)/\(media.parts) \(data.count)" } else { String?.none }
    }
    #expect(parts == ["0/2 3145728", "1/2 854272"])
    let whole = await client.all(2) { frame, data in if case .media = frame { data } else { nil } }
    #expect(ByteContent(Array(whole.joined())) == ByteContent(Pattern(6).bytes(0..<byteCount)))
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `a stranger's gateway sends a link`(kind: ForeignGateway.Kind) async throws {
    let gateway = try await ForeignGateway(kind, ["--send-url", "/files/f.bin"])
    let client = try await SessionClient.ready(port: gateway.port, token: ForeignGateway.token)
    let media = await client.first { frame, _ in if case .media(let media) = frame { media } else { nil } }
    #expect(media?.url == "/files/f.bin" && media?.hasData == false && media?.fileName == "f.bin")
    await gateway.stop()
  }
}
