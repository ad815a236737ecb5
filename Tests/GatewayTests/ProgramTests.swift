import Glibc
import TestKit
import Testing

@testable import Gateway

@Suite struct GatewayCommandTests {
  @Test func `every flag is taken, with its value beside it or behind an equals sign`() throws {
    let command = try GatewayCommand([
      "--media-dir", "/srv", "--listen=::1", "--port", "8080", "--token-file=t", "--limit-rate", "1.5M/s", "--digest",
      "--fault", "cut=5:1", "--fault=weak-tag", "--quiet",
    ])
    var options = GatewayOptions(mediaFolder: "/srv")
    options.listenAddress = "::1"
    options.port = 8080
    options.tokenFile = "t"
    options.bytesPerSecond = 1_572_864
    options.sendsDigest = true
    options.faults = [try FaultSpec("cut=5:1"), try FaultSpec("weak-tag")]
    options.isQuiet = true
    #expect(command == .serve(options))
    #expect(
      try GatewayCommand([
        "--media-dir=/srv", "--device-tokens", "d", "--share", "--no-echo", "--floor", "--inline-max=64k",
        "--part-size", "1000", "--max-media=2G", "--base-url=https://host/path/", "--listen=0.0.0.0",
      ]) == .serve(sessionOptions))
    #expect(try GatewayCommand(["--help", "--nonsense"]) == .help)
    #expect(try GatewayCommand(["--version"]) == .version)
  }

  @Test(arguments: [
    ([], "--media-dir DIR is missing"), (["--media-dir"], "--media-dir needs a value: DIR"),
    (["--port=65536"], "port '65536' is not a number from 0 to 65535"),
    (["--quiet=yes"], "--quiet takes no value"), (["x"], "unknown argument 'x'; see hermes-gateway --help"),
    (
      ["--media-dir=/", "--listen=localhost"],
      "'localhost' is not a numeric address, such as 127.0.0.1 or ::1"
    ),
    (
      ["--media-dir=/", "--listen=0.0.0.0"],
      "cannot listen on 0.0.0.0: other machines can reach it, so --token-file is needed"
    ),
    (
      ["--media-dir=/", "--listen=::"], "cannot listen on ::: other machines can reach it, so --token-file is needed"
    ),
    (["--inline-max=big"], "size 'big' is not a size, such as 500k, 1.5M or 2GB"),
    (["--part-size=2"], "part size '2' is not from 3 bytes to 11M"),
    (["--part-size=12M"], "part size '12M' is not from 3 bytes to 11M"),
    (["--base-url=ftp://x"], "base URL 'ftp://x' does not begin with http:// or https://"),
    (["--limit-rate=0"], "rate '0' is not a number of bytes a second, such as 500k or 2MB"),
    (["--limit-rate=fast"], "rate 'fast' is not a number of bytes a second, such as 500k or 2MB"),
  ])
  func `what can't be followed is refused in one line`(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try GatewayCommand(arguments) }
  }

  @Test func `help names every flag and every fault`() {
    for flag in GatewayFlag.allCases { #expect(GatewayFlag.manual.contains("  \(flag.name)")) }
    for form in FaultSpec.knownForms { #expect(GatewayFlag.manual.contains("  \(form)\n")) }
    #expect(GatewayFlag.manual.split(separator: "\n").allSatisfy { $0.count <= 79 })
  }
}

private var sessionOptions: GatewayOptions {
  var options = GatewayOptions(mediaFolder: "/srv")
  options.deviceTokenFile = "d"
  options.sharesWithAll = true
  options.echoes = false
  options.speaksFloorOnly = true
  options.inlineByteCount = 65_536
  options.partByteCount = 999
  options.limits.mediaByteCount = 2 << 30
  options.baseURL = "https://host/path"
  options.listenAddress = "0.0.0.0"
  return options
}

@Suite struct ProgramTests {
  private static func start(_ arguments: [String], in folder: TemporaryFolder) -> RunningProgram {
    RunningProgram(
      Binary.path("hermes-gateway"), arguments, environment: Sandbox().environment, folder: folder.path)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `it says where it listens, logs requests and ends cleanly`(signal: Int32) async throws {
    let folder = TemporaryFolder("program")
    folder.write(bytes(1000), to: "a.bin")
    let program = Self.start(["--media-dir", folder.path, "--port=0"], in: folder)
    #expect(await eventually { program.outputSoFar.hasSuffix("\n") })
    let line = program.outputSoFar
    #expect(line.hasPrefix("listening on http://127.0.0.1:"))
    let port = try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? ""))
    let answer = await RawClient.send("/media/a.bin?secret=1", port: port, headers: ["Range: bytes=0-99"])
    #expect(ByteContent(answer.body) == ByteContent(bytes(100)))
    #expect(await eventually { program.errorSoFar == "GET /media/a.bin 206 bytes=0-99 100\n" })
    program.kill(signal)
    #expect(await program.wait(seconds: 10).exitStatus == 0)
  }

  @Test func `a token of the environment guards sessions and files, and stands in no log`() async throws {
    let folder = TemporaryFolder("program")
    folder.write(bytes(1000), to: "a.bin")
    let environment = Sandbox().environment.merging(["HERMES_GATEWAY_TOKEN": "s3cret-s3cret"]) { $1 }
    let program = RunningProgram(
      Binary.path("hermes-gateway"), ["--media-dir", folder.path], environment: environment, folder: folder.path)
    #expect(await eventually { program.outputSoFar.hasSuffix("\n") })
    let port = try #require(UInt16(program.outputSoFar.split(separator: ":").last?.dropLast() ?? ""))
    #expect(await RawClient.send("/media/a.bin", port: port).status == 401)
    let stranger = try await SessionClient.connect(port: port, target: "/ws?token=wr0ng-wr0ng")
    #expect(await stranger.ending()?.code == 1008)
    let client = try await SessionClient.ready(port: port, token: "s3cret-s3cret")
    await client.sendAll(parts(bytes(10), of: 10))
    #expect(await client.done != nil)
    await client.close()
    #expect(await eventually { program.errorSoFar.contains("ws 2 device ends with 1000") })
    #expect(program.errorSoFar.contains("ws 1 - closes with 1008: the token is not right\n"))
    #expect(program.errorSoFar.contains("ws 2 device stored photo.jpg, 10 bytes, sha256 "))
    #expect(!(program.outputSoFar + program.errorSoFar).contains("cret") && !program.errorSoFar.contains("wr0ng"))
    program.kill(SIGTERM)
    #expect(await program.wait(seconds: 10).exitStatus == 0)
  }

  @Test(arguments: [
    (["--fault=melt"], 2, "hermes-gateway: unknown fault 'melt'; known: cut=BYTES[:TIMES], "),
    (["--media-dir=/none/such"], 1, "hermes-gateway: cannot open media folder /none/such: no such file or directory\n"),
    (["--media-dir=/", "--token-file=/none"], 1, "hermes-gateway: cannot read token file /none: no such file "),
  ])
  func `what stands in the way is one line and a status`(arguments: [String], status: Int, line: String) async {
    let folder = TemporaryFolder("program")
    let result = await Self.start(arguments, in: folder).wait(seconds: 10)
    #expect(result.exitStatus == Int32(status))
    #expect(result.standardError.hasPrefix(line) && result.standardError.hasSuffix("\n"))
    #expect(result.output.isEmpty)
  }

  @Test func `a port that is taken is said so`() throws {
    let scene = try Scene()
    let port = scene.gateway.port
    let error = #expect(throws: GatewayError.self) { try Scene { $0.port = port } }
    #expect(error?.description == "cannot listen on 127.0.0.1:\(port): address already in use")
  }

  @Test(arguments: [
    ("s3cret", true, true), ("s3cret", false, false), ("S3cret", true, false), ("s3cre", true, false),
    ("s3crets", true, false), ("", true, false),
  ])
  func `a token admits only itself`(shown: String, isBearer: Bool, isAdmitted: Bool) throws {
    let token = try #require(BearerToken("s3cret"))
    let book = TokenBook(common: token)
    for scheme in isBearer ? ["Bearer ", "bearer  "] : ["Basic "] {
      #expect(book.admits(RequestHead("GET", "/", [HeaderField("Authorization", scheme + shown)])) == isAdmitted)
    }
    #expect(book.admits(RequestHead("GET", "/", query: [HeaderField("token", shown)])) == (shown == "s3cret"))
    #expect("\(token)" == "…")
    #expect(BearerToken("a b") == nil && BearerToken("") == nil)
  }

  @Test func `a log line shows no control characters and no query`() {
    let exchange = Exchange(RequestHead("GET", "/a\u{1B}[2Jé", [HeaderField("Range", "x y\n")]))
    exchange.status = 404
    exchange.byteCount = 13
    #expect(AccessLog.line(exchange, isWhole: false) == "GET /a?[2J? 404 x?y? 13 aborted\n")
  }
}
