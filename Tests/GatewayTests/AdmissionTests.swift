import Core
import TestKit
import Testing

@testable import Gateway

private let upgrade = [
  "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
]

extension Scene {
  /// The gateway's answer to an upgrade.
  func answer(target: String = "/ws", _ headers: [String] = []) async -> RawResponse {
    await RawClient.send(target, port: gateway.port, headers: upgrade + headers + ["Connection: close"])
  }

  /// A scene that asks for `s3+cret` and, of the device `bound`, for `own=`.
  static func guarded(_ faults: [String] = []) throws -> (Scene, TemporaryFolder) {
    let secrets = TemporaryFolder("secret")
    secrets.write("s3+cret\n", to: "token")
    secrets.write("# devices\n\nbound = own=\n", to: "devices")
    TestFiles.setMode(0o600, of: secrets.path("devices"))
    let scene = try Scene(faults) {
      $0.tokenFile = secrets.path("token")
      $0.deviceTokenFile = secrets.path("devices")
    }
    return (scene, secrets)
  }
}

@Suite struct AdmissionTests {
  @Test(arguments: [
    ("device", "s3+cret", nil, nil, true), ("device", nil, "s3%2Bcret", nil, true),
    ("device", nil, nil, "s3+cret", true), ("device", "s3+cret", "s3%2Bcret", "s3+cret", true),
    // A plus sign that is not escaped is a space.
    ("device", nil, "s3+cret", nil, false), ("device", nil, nil, nil, false), ("device", "", nil, nil, false),
    ("device", "s3+creT", nil, nil, false), ("device", "s3+cret", "wrong", nil, false),
    ("device", "wrong", "s3%2Bcret", nil, false), ("device", "own=", nil, nil, false),
    ("bound", "own=", nil, nil, true), ("bound", nil, nil, "own=", true), ("bound", "s3+cret", nil, nil, false),
  ])
  func `a token is shown in the hello, the query or the header, and every one must be right`(
    device: String, hello: String?, query: String?, header: String?, isAdmitted: Bool
  ) async throws {
    let (scene, secrets) = try Scene.guarded()
    let client = try await SessionClient.connect(
      port: scene.gateway.port, target: "/ws" + (query.map { "?x=1&token=\($0)" } ?? ""),
      headers: header.map { ["Authorization: Bearer \($0)"] } ?? [])
    await client.hello(device: device, token: hello)
    if isAdmitted {
      #expect(await client.ready() != nil)
    } else {
      let end = await client.ending()
      #expect(end?.code == 1008 && end?.reason == "the token is not right" && end?.isReset == false)
      #expect(await client.first(seconds: 0) { frame, _ in frame } == nil)
    }
    withExtendedLifetime(secrets) {}
  }

  @Test func `the drill refuses a wrong token at the upgrade`() async throws {
    for status in [401, 403] {
      let (scene, secrets) = try Scene.guarded(["token-status=\(status)"])
      #expect(await scene.answer(target: "/ws?token=wrong").status == status)
      #expect(await scene.answer(["Authorization: Bearer wrong"]).status == status)
      _ = try await SessionClient.connect(port: scene.gateway.port, target: "/ws?token=own%3D")
      withExtendedLifetime(secrets) {}
    }
  }

  @Test func `files ask for a token too, any that is somebody's`() async throws {
    let (scene, secrets) = try Scene.guarded()
    #expect(await scene.get().status == 401)
    #expect(await scene.get("/media/film.mp4?token=own%3D").status == 200)
    #expect(await scene.get("/media/film.mp4", "Authorization: Bearer s3+cret").status == 200)
    #expect(await scene.get("/media/film.mp4?token=own%3D", "Authorization: Bearer no").status == 401)
    withExtendedLifetime(secrets) {}
  }

  @Test func `only an upgrade opens a session`() async throws {
    let scene = try Scene()
    _ = try await SessionClient.connect(port: scene.gateway.port)
    let plain = await scene.get("/ws")
    #expect(plain.status == 426 && plain["Upgrade"] == "websocket")
    #expect(await scene.get("/ws", method: "POST").status == 405)
    let old = await scene.get("/ws", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 8")
    #expect(old.status == 426 && old["Sec-WebSocket-Version"] == "13")
    #expect(await scene.get("/ws", upgrade[0], upgrade[1], upgrade[2], "Sec-WebSocket-Key: x").status == 400)
  }

  @Test func `no more sessions than there may be`() async throws {
    let scene = try Scene { $0.limits.sessionCount = 2 }
    let first = try await scene.client("one")
    let second = try await scene.client("two")
    let refused = await scene.answer()
    #expect(refused.status == 503 && refused["Retry-After"] == "5")
    await first.close()
    #expect(await first.ending()?.code == 1000)
    let port = scene.gateway.port
    // The place is free once its thread has seen the end.
    var third: SessionClient?
    for _ in 0..<100 where third == nil { third = try? await SessionClient.ready(port: port, device: "three") }
    #expect(third != nil)
    withExtendedLifetime(second) {}
  }

  @Test(arguments: [
    (#"{"t":"text","id":"1","text":"hi"}"#, "the first message is not a hello"),
    ("junk", "the first message is not a hello"),
    (#"{"t":"hello","device":{}}"#, "the hello names no device"), (#"{"t":"hello"}"#, "the hello names no device"),
    (#"{"t":"hello","device":{"id":7}}"#, "the hello names no device"),
  ])
  func `a session begins with a hello that names a device`(text: String, reason: String) async throws {
    let scene = try Scene()
    let client = try await SessionClient.connect(port: scene.gateway.port)
    await client.send(text: text)
    let end = await client.ending()
    #expect(end?.code == 1008 && end?.reason == reason)
  }

  @Test func `who says nothing, or too slowly, does not stay`() async throws {
    let scene = try Scene { $0.limits.hello = .milliseconds(200) }
    let silent = try await SessionClient.connect(port: scene.gateway.port)
    let slow = try await SessionClient.connect(port: scene.gateway.port)
    // The beginning of a long frame, byte by byte: every byte is life, but none is a hello.
    for byte: UInt8 in [0x81, 0xfe, 0x10, 0x00, 0, 0, 0, 0] { await slow.send(raw: [byte]) }
    #expect(await silent.ending()?.code == 1008)
    #expect(await slow.ending()?.code == 1008)
  }

  @Test func `a stranger gets no memory for a long hello`() async throws {
    let scene = try Scene()
    let client = try await SessionClient.connect(port: scene.gateway.port)
    await client.send(text: #"{"t":"hello","device":{"id":"\#(String(repeating: "x", count: 70_000))"}}"#)
    #expect(await client.ending()?.code == 1009)
  }

  @Test(arguments: [
    ("a=b\n", 0o644, "others may read it: make it yours, with mode 0600"),
    ("a=b\na=c\n", 0o600, "line 2 names a device again"),
    ("a=b\nc\n", 0o600, "line 2 is not device_id=token"), ("=b\n", 0o600, "line 1 is not device_id=token"),
    ("a=\n", 0o600, "line 1 is not device_id=token"), ("# none\n", 0o600, "it names no device"),
  ])
  func `a file of device tokens that can't be trusted is refused`(text: String, mode: Int, cause: String) throws {
    let folder = TemporaryFolder("secret")
    let path = folder.write(text, to: "devices")
    TestFiles.setMode(UInt32(mode), of: path)
    let error = #expect(throws: GatewayError.self) { try Scene { $0.deviceTokenFile = path } }
    #expect(error?.description == "cannot read token file \(path): \(cause)")
  }

  @Test func `tokens are shown nowhere`() throws {
    let token = try #require(BearerToken("s3cret-s3cret"))
    var options = GatewayOptions(mediaFolder: "/")
    options.token = token
    #expect(!"\(token) \(options)".contains("s3cret"))
    #expect(!String(reflecting: options).contains("s3cret"))
    #expect(
      !AccessLog.line(Exchange(RequestHead("GET", "/ws", query: [HeaderField("token", "s3cret")])), isWhole: true)
        .contains("s3cret"))
  }
}
