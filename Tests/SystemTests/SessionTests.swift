import Core
import Crypto
import Gateway
import Glibc
import TestKit
import Testing

/// A gateway in this process, and the program with a profile for it.
struct SessionTrial {
  static let token = "s3cret-token-of-the-test"
  let sandbox: Sandbox
  let media: TemporaryFolder
  let gateway: Gateway

  init(_ label: String = "session", faults: [String] = [], _ change: (inout GatewayOptions) -> Void = { _ in }) throws {
    sandbox = Sandbox(label)
    media = TemporaryFolder("gateway")
    var options = GatewayOptions(mediaFolder: media.path)
    options.isQuiet = true
    options.echoes = false
    options.token = BearerToken(Self.token)
    options.faults = try faults.map { try FaultSpec($0) }
    change(&options)
    gateway = try Gateway(options)
    sandbox.root.write("\(Self.token)\n", to: "token")
    TestFiles.setMode(0o600, of: sandbox.root.path("token"))
  }

  func addProfile() async {
    let result = await sandbox.run(
      "profile", "add", "g", "--url", "ws://127.0.0.1:\(gateway.port)/ws", "--token-file", sandbox.root.path("token"),
      "--media-dir", sandbox.path("in"))
    #expect(result.exitStatus == 0, "\(result)")
  }

  func digest(_ path: String) -> String? { TestFiles.read(path).map { sha256Hexadecimal(of: $0) } }

  /// Files of a folder that are no hidden ones of ours.
  static func visible(_ folder: String) -> [String] { TestFiles.names(in: folder).filter { !$0.hasPrefix(".") } }
}

@Suite(.fewAtOnce)
struct SessionTests {
  @Test func `a file is uploaded and proven, and its name and bytes are the gateway's`() async throws {
    let trial = try SessionTrial()
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write(Array(repeating: 7, count: 5_000_000), to: "downloads/a b.bin")
    let result = await trial.sandbox.run("upload", trial.sandbox.path("a b.bin"), "--caption", "look")
    #expect(result.exitStatus == 0, "\(result)")
    #expect(result.lines.count == 1 && result.lines[0].hasSuffix(" delivered"), "\(result)")
    #expect(TestFiles.read(trial.media.path("a b.bin")) == Array(repeating: 7, count: 5_000_000))
    let listed = await trial.sandbox.run("list")
    #expect(listed.output.contains("delivered"))
  }

  @Test func `a gateway that gives no proof leaves it at sent`() async throws {
    let trial = try SessionTrial { $0.speaksFloorOnly = true }
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write("", to: "downloads/empty")
    let result = await trial.sandbox.run("upload", trial.sandbox.path("empty"))
    #expect(result.exitStatus == 0 && result.output.hasSuffix(" sent\n"), "\(result)")
    #expect(TestFiles.byteCount(trial.media.path("empty")) == 0)
  }

  @Test func `the line drops in the middle, and the same file is whole over there`() async throws {
    let trial = try SessionTrial(faults: ["drop-after-part=2"])
    defer { trial.gateway.stop() }
    await trial.addProfile()
    var random = SeededRandom(seed: 3)
    let bytes = random.bytes(6_000_000)
    trial.sandbox.root.write(bytes, to: "downloads/f")
    let result = await trial.sandbox.run("upload", trial.sandbox.path("f"), "--part-size", "1M")
    #expect(result.exitStatus == 0 && result.output.hasSuffix(" delivered\n"), "\(result)")
    #expect(ByteContent(file: trial.media.path("f")) == ByteContent(bytes))
    #expect(SessionTrial.visible(trial.media.path) == ["f"])
  }

  @Test func `W1 W45 a gateway that refuses large messages gets smaller parts`() async throws {
    let trial = try SessionTrial(faults: ["max-message=1M"])
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write(Array(repeating: 9, count: 4_000_000), to: "downloads/f")
    let result = await trial.sandbox.run("upload", trial.sandbox.path("f"), "--part-size", "1500k")
    #expect(result.exitStatus == 0, "\(result)")
    #expect(TestFiles.read(trial.media.path("f"))?.count == 4_000_000)
  }

  @Test func `W28 a wrong token is exit 5 after one attempt`() async throws {
    let trial = try SessionTrial()
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write("another-token-12345\n", to: "token")
    TestFiles.setMode(0o600, of: trial.sandbox.root.path("token"))
    for arguments in [["upload", trial.sandbox.root.path("token")], ["send", "x"], ["listen"]] {
      let result = await trial.sandbox.start(arguments).wait()
      #expect(result.exitStatus == 5, "\(result)")
      #expect(!result.standardError.contains("next try"))
    }
  }

  @Test func `bad files are refused before anything is connected`() async throws {
    let trial = try SessionTrial()
    trial.gateway.stop()
    await trial.addProfile()
    for path in ["missing", "."] {
      let result = await trial.sandbox.run("upload", path)
      #expect(result.exitStatus == 9, "\(result)")
      result.expectOneError()
    }
  }

  @Test func `a gateway that is down makes it wait, with the next try told, and the same command goes on`() async throws
  {
    let trial = try SessionTrial()
    await trial.addProfile()
    let port = trial.gateway.port
    trial.gateway.stop()
    trial.sandbox.root.write("x", to: "downloads/f")
    let life = trial.sandbox.start(["upload", trial.sandbox.path("f")])
    #expect(await eventually { life.errorSoFar.contains("next try in") })
    life.kill(SIGINT)
    let stopped = await life.wait()
    #expect(stopped.exitStatus == 130, "\(stopped)")
    var options = GatewayOptions(mediaFolder: trial.media.path)
    (options.port, options.isQuiet, options.token) = (port, true, BearerToken(SessionTrial.token))
    let again = try Gateway(options)
    defer { again.stop() }
    let result = await trial.sandbox.run("upload", trial.sandbox.path("f"))
    #expect(result.exitStatus == 0, "\(result)")
    #expect(SessionTrial.visible(trial.media.path) == ["f"])
    let listed = await trial.sandbox.run("list", "--json")
    #expect(listed.output.components(of: "\"id\"") == 1, "\(listed)")
  }

  @Test func `what the agent says and sends is printed and saved, inline and by link`() async throws {
    let trial = try SessionTrial {
      $0.echoes = true
      $0.inlineByteCount = 1000
    }
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.media.write(Array(repeating: 1, count: 900), to: "small.bin")
    trial.media.write(Array(repeating: 2, count: 3_000_000), to: "large.bin")
    let listener = trial.sandbox.start(["listen"])
    #expect(await eventually { listener.errorSoFar.contains("connected") })
    #expect(await trial.sandbox.run("send", "hello").exitStatus == 0)
    #expect(await trial.sandbox.run("send", "/send small.bin").exitStatus == 0)
    #expect(await trial.sandbox.run("send", "/send large.bin").exitStatus == 0)
    let isThere = await eventually {
      TestFiles.byteCount(trial.sandbox.path("in/small.bin")) == 900
        && TestFiles.byteCount(trial.sandbox.path("in/large.bin")) == 3_000_000
    }
    #expect(isThere, "\(listener.outputSoFar) \(listener.errorSoFar)")
    #expect(await eventually { listener.outputSoFar.contains(": hello") && listener.outputSoFar.contains("large.bin") })
    listener.kill(SIGINT)
    let result = await listener.wait()
    #expect(result.exitStatus == 130 && result.seconds < 60, "\(result)")
  }

  @Test(.disabled(if: Binary.isSanitised, "a sanitizer has threads of its own"))
  func `who listens and hears nothing sleeps`() async throws {
    let trial = try SessionTrial()
    defer { trial.gateway.stop() }
    await trial.addProfile()
    let listener = trial.sandbox.start(["listen", "--progress", "bar"])
    #expect(await eventually { listener.errorSoFar.contains("connected") })
    let before = Self.wakeUps(listener)
    let begun = ContinuousClock.now
    try await Task.sleep(for: .seconds(3))
    let after = Self.wakeUps(listener)
    let seconds = (ContinuousClock.now - begun) / .seconds(1)
    // Once a second it looks into the state for what others want: some four steps. Ten ticks a second, or four frames,
    // would be twice as many.
    #expect(before > 0 && Double(after - before) < 8 * (seconds + 1), "\(after - before) in \(seconds) s")
    listener.kill(SIGINT)
    _ = await listener.wait()
  }

  /// How often the program's threads have gone to sleep so far.
  private static func wakeUps(_ program: RunningProgram) -> Int {
    let folder = "/proc/\(program.processID)/task"
    return TestFiles.names(in: folder).reduce(0) { sum, thread in
      let status = TestFiles.text("\(folder)/\(thread)/status") ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
      return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
    }
  }

  @Test func `listen ends with the first of a kind, or with 4 when none comes`() async throws {
    let trial = try SessionTrial { $0.echoes = true }
    defer { trial.gateway.stop() }
    await trial.addProfile()
    let listener = trial.sandbox.start(["listen", "--once", "message", "--json"])
    #expect(await eventually { listener.outputSoFar.contains("connected") })
    #expect(await trial.sandbox.run("send", "one").exitStatus == 0)
    let result = await listener.wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(result.output.contains("\"event\":\"message\"") && result.output.contains("one"))
    let nothing = await trial.sandbox.run("listen", "--once", "prompt", "--timeout", "500ms")
    #expect(nothing.exitStatus == 4, "\(nothing)")
  }

  @Test func `a card is answered`() async throws {
    let trial = try SessionTrial { $0.echoes = true }
    defer { trial.gateway.stop() }
    await trial.addProfile()
    let listener = trial.sandbox.start(["listen", "--json"])
    #expect(await eventually { listener.outputSoFar.contains("connected") })
    #expect(await trial.sandbox.run("send", "/prompt exec_approval May I?").exitStatus == 0)
    #expect(await eventually { listener.outputSoFar.contains("\"event\":\"prompt\"") })
    let line = listener.outputSoFar.split(separator: "\n").first { $0.contains("\"event\":\"prompt\"") } ?? ""
    let id = line.value(of: "id")
    let option = line.drop(fromFirst: "\"options\"").value(of: "id")
    let answer = await trial.sandbox.run("answer", id, option)
    #expect(answer.exitStatus == 0, "\(answer) \(line)")
    #expect(await eventually { listener.outputSoFar.contains("prompt-done") }, "\(listener.outputSoFar)")
    listener.kill(SIGTERM)
    #expect(await listener.wait().exitStatus == 143)
  }

  @Test func `what was left to a process that ends before it was sent goes out from the one that waits`() async throws {
    let trial = try SessionTrial(faults: ["blackhole=hello:1"])
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write("x", to: "downloads/f")
    // It has the session, and the gateway does not answer it.
    let listener = trial.sandbox.start(["listen"])
    let locks = "\(trial.sandbox.stateFolder)/sessions"
    #expect(await eventually { TestFiles.names(in: locks).contains { TestFiles.text("\(locks)/\($0)") != "" } })
    let text = trial.sandbox.start(["send", "hi"])
    let file = trial.sandbox.start(["upload", trial.sandbox.path("f")])
    #expect(await eventually { file.errorSoFar.contains("it sends the file") })
    listener.kill(SIGKILL)
    _ = await listener.wait()
    for life in [text, file] {
      let result = await life.wait()
      #expect(result.exitStatus == 0, "\(result)")
    }
    #expect(SessionTrial.visible(trial.media.path) == ["f"])
  }

  @Test func `W79 a gateway that cannot be reached is given up after some attempts, and nothing is lost`() async throws
  {
    let trial = try SessionTrial()
    await trial.addProfile()
    trial.gateway.stop()
    trial.sandbox.root.write("x", to: "downloads/f")
    for arguments in [["upload", trial.sandbox.path("f")], ["send", "hi"]] {
      let result = await trial.sandbox.start(arguments + ["--max-attempts", "2"]).wait()
      #expect(result.exitStatus == 3 && result.standardError.contains("gave up after 2 attempts"), "\(result)")
    }
    #expect(await trial.sandbox.run("list").output.contains("paused"))
  }

  /// A file that was accepted and that the gateway would not take yet.
  private func left(_ trial: SessionTrial, _ content: [UInt8]) async throws -> String {
    await trial.addProfile()
    trial.sandbox.root.write(content, to: "downloads/f")
    let left = await trial.sandbox.run("upload", trial.sandbox.path("f"), "--caption", "look", "--max-attempts", "1")
    #expect(left.exitStatus != 0, "\(left)")
    return try #require(try await trial.sandbox.transfers().first?.id)
  }

  @Test func `W80 an upload that was left is resumed by its ID`() async throws {
    let trial = try SessionTrial(faults: ["upgrade-status=503:1"])
    defer { trial.gateway.stop() }
    let content = [UInt8](repeating: 7, count: 1_000_000)
    let id = try await left(trial, content)
    let resumed = await trial.sandbox.run("resume", id)
    #expect(resumed.exitStatus == 0 && resumed.lines == ["\(id) delivered"], "\(resumed)")
    #expect(await trial.sandbox.run("resume", id).exitStatus == 2)
    #expect(ByteContent(file: trial.media.path("f")) == ByteContent(content))
  }

  @Test func `W80 an upload whose file has changed fails, and a retry sends what is there, with its caption`()
    async throws
  {
    let trial = try SessionTrial(faults: ["upgrade-status=503:1"])
    defer { trial.gateway.stop() }
    let id = try await left(trial, [UInt8](repeating: 7, count: 1_000_000))
    let content = [UInt8](repeating: 8, count: 900_000)
    trial.sandbox.root.write(content, to: "downloads/f")
    #expect(await trial.sandbox.run("resume", id).exitStatus == 8)
    #expect(await trial.sandbox.run("resume", id).exitStatus == 2)
    let again = await trial.sandbox.run("retry", "--all")
    #expect(again.exitStatus == 0 && again.lines == ["\(id) delivered"], "\(again)")
    #expect(await trial.sandbox.run("show", id).output.contains("look"))
    #expect(ByteContent(file: trial.media.path("f")) == ByteContent(content))
  }

  @Test func `W55 the token is in no output, no file of the state and no argument`() async throws {
    let trial = try SessionTrial(faults: ["upgrade-status=503:1"])
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write("x", to: "downloads/f")
    var seen = ""
    let life = trial.sandbox.start(["--verbose", "listen", "--timeout", "3s"])
    #expect(await eventually { life.errorSoFar.contains("connected") })
    seen += TestFiles.text("/proc/\(life.processID)/cmdline") ?? ""
    for arguments in [
      ["upload", trial.sandbox.path("f")], ["send", "hi"], ["list"], ["doctor"], ["profile", "show", "g"],
    ] {
      let result = await trial.sandbox.start(["--verbose"] + arguments).wait()
      seen += result.output + result.standardError
    }
    let result = await life.wait()
    seen += result.output + result.standardError
    #expect(!seen.contains(SessionTrial.token) && !seen.contains("s3cret"))
    for file in TestFiles.tree(trial.sandbox.stateFolder) {
      let bytes = TestFiles.read(file.hasPrefix("/") ? file : "\(trial.sandbox.stateFolder)/\(file)") ?? []
      #expect(!String(decoding: bytes, as: UTF8.self).contains(SessionTrial.token), "\(file)")
    }
  }
}

/// kill -9 at any moment of an upload and of a receive.
@Suite(.fewAtOnce)
struct SessionKillTests {
  private static let killCount = getenv("KILLS").flatMap { Int(String(cString: $0)) }.map { $0 / 2 } ?? 10
  private static let seed = getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64.max)

  @Test(.timeLimit(.minutes(20)))
  func `an upload killed at random moments ends whole, once, and never sent without proof`() async throws {
    var random = SeededRandom(seed: Self.seed)
    var kills = 0
    while kills < Self.killCount {
      let trial = try SessionTrial("kill", faults: ["slow-read=12M"])
      await trial.addProfile()
      let bytes = random.bytes(4_000_000)
      trial.sandbox.root.write(bytes, to: "downloads/f")
      let arguments = ["upload", trial.sandbox.path("f"), "--part-size", "300k"]
      for _ in 0..<min(6, Self.killCount - kills) {
        let life = trial.sandbox.start(arguments)
        let moment = Double.random(in: 0.01...0.4, using: &random)
        let isOver = await eventually(seconds: moment) { !life.isRunning }
        life.kill(SIGKILL)
        let result = await life.wait()
        kills += 1
        if isOver, result.exitStatus == 0 { break }
      }
      let result = await trial.sandbox.start(arguments).wait()
      #expect(result.exitStatus == 0 && result.output.contains("delivered"), "SEED=\(Self.seed): \(result)")
      let names = SessionTrial.visible(trial.media.path)
      // A life that had ended in order makes the next command another upload of the same file.
      #expect(names.contains("f"), "SEED=\(Self.seed): \(names)")
      for name in names {
        #expect(ByteContent(file: trial.media.path(name)) == ByteContent(bytes), "SEED=\(Self.seed): \(name)")
      }
      trial.gateway.stop()
    }
  }

  @Test(.timeLimit(.minutes(20)))
  func `a receive killed at random moments ends whole, with one file`() async throws {
    var random = SeededRandom(seed: Self.seed)
    var kills = 0
    while kills < Self.killCount {
      let trial = try SessionTrial("kill") {
        $0.echoes = true
        $0.inlineByteCount = 64 << 20
        $0.partByteCount = 300_000
      }
      await trial.addProfile()
      let bytes = random.bytes(4_000_000)
      trial.media.write(bytes, to: "f.bin")
      #expect(await trial.sandbox.run("send", "/send f.bin").exitStatus == 0)
      for _ in 0..<min(6, Self.killCount - kills) {
        let life = trial.sandbox.start(["listen"])
        let moment = Double.random(in: 0.01...0.3, using: &random)
        _ = await eventually(seconds: moment) { !life.isRunning }
        life.kill(SIGKILL)
        _ = await life.wait()
        kills += 1
      }
      let last = trial.sandbox.start(["listen"])
      let isWhole = await eventually { TestFiles.byteCount(trial.sandbox.path("in/f.bin")) == 4_000_000 }
      #expect(isWhole, "SEED=\(Self.seed): \(last.errorSoFar)")
      last.kill(SIGTERM)
      _ = await last.wait()
      #expect(ByteContent(file: trial.sandbox.path("in/f.bin")) == ByteContent(bytes), "SEED=\(Self.seed)")
      #expect(SessionTrial.visible(trial.sandbox.path("in")) == ["f.bin"], "SEED=\(Self.seed)")
      trial.gateway.stop()
    }
  }
}

extension StringProtocol {
  /// How often a text stands in it.
  fileprivate func components(of text: String) -> Int {
    self.split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  /// The value of a key whose value is a text, in JSON without spaces.
  fileprivate func value(of key: String) -> String {
    let mark = "\"\(key)\":\""
    return drop(fromFirst: mark).dropFirst(mark.count).prefix { $0 != "\"" }.description
  }

  fileprivate func drop(fromFirst text: String) -> Substring {
    let whole = Substring(self)
    guard let range = whole.firstRange(of: text) else { return "" }
    return whole[range.lowerBound...]
  }
}
