import TestKit
import Testing

/// Gateways on WebSocket libraries that other people wrote, and a proxy: that our session agrees with them.
@Suite(.fewAtOnce) struct SessionStrangerTests {
  private static let byteCount: Int64 = 10 << 20
  private let sandbox = Sandbox("stranger")
  private let pattern = Pattern(17)

  /// Sets the gateway up as the only profile.
  private func add(_ gateway: ForeignGateway, auth: String = "query+hello", token: String = ForeignGateway.token) async
  {
    let arguments = ["profile", "add", "g", "--url", gateway.url, "--auth", auth, "--token-stdin"]
    let result = await sandbox.start(arguments, input: "\(token)\n").wait()
    #expect(result.exitStatus == 0, "\(result)")
  }

  /// Sends ten MiB, and checks that the gateway has them, once.
  private func upload(to gateway: ForeignGateway, _ flags: [String] = []) async -> ProgramResult {
    await add(gateway)
    pattern.write(byteCount: Self.byteCount, to: sandbox.path("f.bin"))
    let trust = gateway.certificate.map { ["--cacert", $0.file] } ?? []
    let result = await sandbox.start(["upload", "f.bin", "--caption", "für dich"] + trust + flags).wait()
    #expect(result.exitStatus == 0, "\(result)\(gateway.outputSoFar)")
    #expect(result.lines.count == 1 && result.lines.first?.hasSuffix(" sent") == true, "\(result)")
    #expect(gateway.media.count == 1, "\(gateway.outputSoFar)")
    guard let media = gateway.media.first else { return result }
    #expect(media.bytes == Self.byteCount && media.filename == "f.bin" && media.caption == "für dich")
    #expect(media.kind == "document")
    #expect(pattern.firstDifference(inFile: gateway.file(media.media ?? ""), byteCount: Self.byteCount) == nil)
    return result
  }

  @Test(arguments: ForeignGateway.Kind.installed, [false, true])
  func `a stranger's gateway gets the file, plain and over TLS`(
    kind: ForeignGateway.Kind, isSecure: Bool
  ) async throws {
    // aiohttp's own limit has its own test.
    let limit = kind == .aiohttp ? ["--max-message", "16777216"] : []
    let gateway = try await ForeignGateway(kind, isSecure: isSecure, limit)
    _ = await upload(to: gateway)
    #expect(gateway.lines.filter { $0.hello != nil }.count == 1)
    #expect(gateway.lines.compactMap(\.part) == [0, 1, 2, 3])
    await gateway.stop()
  }

  @Test(
    .enabled(if: ForeignProxy.isInstalled, "tinyproxy is not installed"), arguments: ForeignGateway.Kind.installed,
    [false, true])
  func `tinyproxy carries the session`(kind: ForeignGateway.Kind, isSecure: Bool) async throws {
    let proxy = try await ForeignProxy()
    let gateway = try await ForeignGateway(kind, isSecure: isSecure)
    _ = await upload(to: gateway, ["--proxy", proxy.url])
    #expect(proxy.tunnelCount(to: gateway.port) == gateway.lines.filter { $0.hello != nil }.count)
    await gateway.stop()
    await proxy.stop()
  }

  @Test(.enabled(if: ForeignGateway.Kind.aiohttp.isInstalled, "aiohttp is not installed"), arguments: [false, true])
  func `aiohttp takes no more than 4 MiB, and one shrink is enough`(isSecure: Bool) async throws {
    let gateway = try await ForeignGateway(.aiohttp, isSecure: isSecure)
    let result = await upload(to: gateway)
    #expect(result.standardError.split(separator: "parts of 2.3 MiB from now on").count == 2, "\(result)")
    #expect(gateway.lines.compactMap(\.parts) == [5, 5, 5, 5, 5], "\(gateway.outputSoFar)")
    // It is remembered.
    Pattern(2).write(byteCount: 5 << 20, to: sandbox.path("g.bin"))
    let next = await sandbox.start(
      ["upload", "g.bin"] + (gateway.certificate.map { ["--cacert", $0.file] } ?? [])
    ).wait()
    #expect(next.exitStatus == 0 && !next.standardError.contains("from now on"), "\(next)")
    #expect(gateway.media.last?.bytes == 5 << 20)
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed, [false, true])
  func `a line that is cut after a part costs a stranger's gateway nothing`(
    kind: ForeignGateway.Kind, isSecure: Bool
  ) async throws {
    let gateway = try await ForeignGateway(
      kind, isSecure: isSecure, ["--drop-after-part", "1", "--max-message", "16777216"])
    _ = await upload(to: gateway)
    #expect(gateway.lines.filter { $0.hello != nil }.count == 2)
    #expect(gateway.lines.compactMap(\.part) == [0, 1, 0, 1, 2, 3])
    #expect(Set(gateway.lines.filter { $0.part != nil }.map(\.id)).count == 1)
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed, [false, true])
  func `what a stranger's gateway sends is on disk, whole`(kind: ForeignGateway.Kind, isSecure: Bool) async throws {
    let source = TemporaryFolder()
    pattern.write(byteCount: Self.byteCount, to: source.path("theirs.bin"))
    let gateway = try await ForeignGateway(kind, isSecure: isSecure, ["--send", source.path("theirs.bin")])
    await add(gateway)
    let trust = gateway.certificate.map { ["--cacert", $0.file] } ?? []
    let result = await sandbox.start(
      ["listen", "--once", "media", "--timeout", "40s", "--media-dir", sandbox.folder] + trust
    ).wait()
    #expect(result.exitStatus == 0, "\(result)\(gateway.outputSoFar)")
    #expect(result.output.contains(sandbox.path("theirs.bin")), "\(result)")
    #expect(sandbox.names == ["theirs.bin"])
    #expect(pattern.firstDifference(inFile: sandbox.path("theirs.bin"), byteCount: Self.byteCount) == nil)
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed)
  func `what a stranger's gateway announces is fetched, whole`(kind: ForeignGateway.Kind) async throws {
    let server = FaultServer()
    server.serve("/theirs.bin", .pattern(17, byteCount: Self.byteCount), [])
    let gateway = try await ForeignGateway(kind, ["--send-url", server.url("/theirs.bin")])
    await add(gateway)
    let result = await sandbox.run("listen", "--once", "media", "--timeout", "40s", "--media-dir", sandbox.folder)
    #expect(result.exitStatus == 0, "\(result)\(gateway.outputSoFar)")
    #expect(sandbox.names == ["theirs.bin"])
    #expect(pattern.firstDifference(inFile: sandbox.path("theirs.bin"), byteCount: Self.byteCount) == nil)
    // The token is the gateway's, and this is another port.
    for request in server.requests("/theirs.bin") { #expect(!"\(request)".contains(ForeignGateway.token)) }
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed, ["query+hello", "hello"])
  func `a wrong token ends it after one attempt`(kind: ForeignGateway.Kind, auth: String) async throws {
    let gateway = try await ForeignGateway(kind)
    await add(gateway, auth: auth, token: "wrong-token-Zk3v9")
    let result = await sandbox.run("send", "hello", "--timeout", "40s")
    #expect(result.exitStatus == 5, "\(result)\(gateway.outputSoFar)")
    #expect(!result.standardError.contains("Zk3v9"))
    #expect(gateway.lines.filter { $0.hello != nil || $0.text != nil }.isEmpty)
    await gateway.stop()
  }

  @Test(arguments: ForeignGateway.Kind.installed, ["query+hello", "hello"])
  func `a text reaches a stranger's gateway`(kind: ForeignGateway.Kind, auth: String) async throws {
    let gateway = try await ForeignGateway(kind)
    await add(gateway, auth: auth)
    let result = await sandbox.run("send", "grüß dich 😀")
    #expect(result.exitStatus == 0, "\(result)\(gateway.outputSoFar)")
    #expect(gateway.lines.compactMap(\.text) == ["grüß dich 😀"])
    await gateway.stop()
  }
}
