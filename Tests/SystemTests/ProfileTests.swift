import Core
import FoundationEssentials
import Glibc
import TestKit
import Testing

/// A profile as `profile list --json` shows it.
private struct ListedProfile: Decodable {
  let name: String
  let url: String?
  let auth: String?
  let media_dir: String?
  let token: String?
  let token_source: String?
  let token_file: String?
  let device: String?
  let `default`: Bool
}

/// `profile add|list|show|remove`, the files they make, and where the token is not.
@Suite(.fewAtOnce) struct ProfileTests {
  private static let token = "hermes-secret-Zk3v9-wxyz"
  private let sandbox = Sandbox("profile")
  private let url = "ws://127.0.0.1:8787/ws"

  private var folder: String { sandbox.root.path("home/.config/hermes-transfer") }
  private var configuration: String { "\(folder)/config" }

  private func add(_ name: String, _ more: String..., input: String = "") async -> ProgramResult {
    await sandbox.start(["profile", "add", name, "--url", url] + more, input: input).wait()
  }

  private func profiles(environment: [String: String] = [:]) async throws -> [ListedProfile] {
    let result = await sandbox.run("profile", "list", "--json", environment: environment)
    #expect(result.exitStatus == 0, "\(result)")
    return try JSONDecoder().decode([ListedProfile].self, from: Data(result.outputBytes))
  }

  private func tokenFile(_ name: String, mode: UInt32 = 0o600) -> String {
    let path = sandbox.root.write(Self.token, to: name)
    TestFiles.setMode(mode, of: path)
    return path
  }

  @Test func `a token from standard input is kept for nobody but us, and shown by its end`() async throws {
    let result = await add("home", "--token-stdin", input: "\(Self.token)\nmore\n")
    #expect(result.exitStatus == 0 && result.output.isEmpty, "\(result)")
    #expect(result.standardError == "hermes-transfer: profile home is set up, with the token …wxyz\n")
    #expect(TestFiles.text("\(folder)/tokens/home") == "\(Self.token)\n")
    #expect(TestFiles.text(configuration) == "[profile home]\nurl = \(url)\n")
    for path in ["", "/tokens"] { #expect(TestFiles.mode(folder + path) == 0o700, "\(path)") }
    for path in ["/config", "/tokens/home", "/device"] { #expect(TestFiles.mode(folder + path) == 0o600, "\(path)") }
    let profile = try #require(try await profiles().first)
    #expect(profile.name == "home" && profile.url == url && profile.auth == "query+hello" && profile.default)
    #expect(profile.token == "…wxyz" && profile.token_source == "stored")
    #expect(TestFiles.text("\(folder)/device") == "\(profile.device ?? "")\n")
  }

  @Test func `a token in a file of ours is taken from there, now and later`() async throws {
    let path = tokenFile("token")
    #expect(await add("home", "--token-file", "../token", "--auth", "header", "--media-dir", "m").exitStatus == 0)
    #expect(
      TestFiles.text(configuration)
        == "[profile home]\nurl = \(url)\nauth = header\ntoken-file = \(path)\nmedia-dir = \(sandbox.path("m"))\n")
    #expect(!TestFiles.exists("\(folder)/tokens"))
    let profile = try #require(try await profiles().first)
    #expect(profile.token == "…wxyz" && profile.token_source == "file" && profile.token_file == path)
    #expect(profile.auth == "header" && profile.media_dir == sandbox.path("m"))
    TestFiles.write(Array("another-token-abcd".utf8), to: path)
    #expect(try await profiles().first?.token == "…abcd")
  }

  @Test func `the variable's token goes before every file's`() async throws {
    #expect(await add("home", "--token-stdin", input: Self.token).exitStatus == 0)
    let profile = try await profiles(environment: ["HERMES_TRANSFER_TOKEN": "from-the-environment"]).first
    #expect(profile?.token == "…ment" && profile?.token_source == "environment")
  }

  @Test(arguments: [0o644, 0o660] as [UInt32])
  func `a token file that others may use is refused, when it is given and when it is used`(mode: UInt32) async throws {
    let path = tokenFile("token", mode: mode)
    let refused = await add("home", "--token-file", path)
    #expect(refused.exitStatus == 9, "\(refused)")
    refused.expectOneError()
    #expect(refused.standardError.contains("mode 0\(String(mode, radix: 8))"))
    #expect(refused.standardError.contains("hint: chmod 600 \(path)"))
    #expect(!TestFiles.exists(configuration))
    TestFiles.setMode(0o600, of: path)
    #expect(await add("home", "--token-file", path).exitStatus == 0)
    TestFiles.setMode(mode, of: path)
    let shown = await sandbox.run("profile", "show", "home")
    #expect(shown.exitStatus == 9, "\(shown)")
    #expect(await sandbox.run("profile", "list").lines.last?.contains("unusable: cannot use the token") == true)
    let doctor = await sandbox.run("doctor")
    #expect(doctor.exitStatus == 1, "\(doctor)")
    #expect(doctor.lines.contains { $0.hasPrefix("FAIL  profile home") && $0.contains("mode 0") }, "\(doctor)")
  }

  @Test(
    arguments: [
      (["profile"], ""), (["profile", "frob", "x"], ""), (["profile", "add", "x"], ""), (["profile", "show"], ""),
      (["profile", "list", "x"], ""), (["profile", "show", "none"], ""), (["profile", "remove", "none"], ""),
      (["profile", "add", "../x", "--url", "ws://127.0.0.1/ws"], ""),
      (["profile", "add", "x", "--url", "ws://agent.example/ws"], ""),
      (["profile", "add", "x", "--url", "http://127.0.0.1/ws"], ""),
      (["profile", "add", "x", "--url", "wss://h/ws?token=\(token)"], ""),
      (["profile", "add", "x", "--url", "wss://h/ws?t=\(token)", "--token-stdin"], token),
      (["profile", "add", "x", "--url", "wss://h/ws", "--token", token], ""),
      (["profile", "add", "x", "--url", "wss://h/ws", "--token=\(token)"], ""),
      (["profile", "add", "x", "--url", "wss://h/ws", token], ""),
      (["profile", "add", "x", "--url", "wss://h/ws", "--auth", "cookie"], ""),
      (["profile", "list", "--url", "wss://h/ws"], ""), (["--profile", "none", "list"], ""),
      (["profile", "add", "x", "--url", "wss://h/ws", "--token-file", "f", "--token-stdin"], token),
    ] as [([String], String)])
  func `what cannot be is refused in one line, without the token`(arguments: [String], input: String) async {
    let result = await sandbox.start(arguments, input: input).wait()
    #expect(result.exitStatus == 2, "\(arguments): \(result)")
    result.expectOneError()
    #expect(!result.standardError.contains(Self.token), "\(result)")
    #expect(!TestFiles.exists(configuration) && !TestFiles.exists("\(folder)/tokens"))
  }

  @Test func `an empty token, and one of two words, are refused`() async {
    for input in ["", "\n", "two words\n"] {
      let result = await add("home", "--token-stdin", input: input)
      #expect(result.exitStatus == 9, "\(result)")
      result.expectOneError()
      #expect(!TestFiles.exists(configuration) && !TestFiles.exists("\(folder)/tokens"))
    }
  }

  @Test func `a name is taken once, and the token of the first stays`() async {
    #expect(await add("home", "--token-stdin", input: Self.token).exitStatus == 0)
    let second = await add("home", "--token-stdin", input: "another-token")
    #expect(second.exitStatus == 2, "\(second)")
    #expect(TestFiles.text("\(folder)/tokens/home") == "\(Self.token)\n")
  }

  @Test func `what a person wrote stays as it was`() async throws {
    let written = """
      # my own
      max-transfers=3   

      [profile work]
        ; the fast one
      url : wss://work.example/ws
      """
    TestFiles.makeFolder(folder)
    TestFiles.write(Array(written.utf8), to: configuration)
    #expect(await add("home", "--token-stdin", input: Self.token).exitStatus == 0)
    #expect(TestFiles.text(configuration) == "\(written)\n\n[profile home]\nurl = \(url)\n")
    #expect(try await profiles().map(\.name) == ["work", "home"])
    #expect(await sandbox.run("profile", "remove", "home").exitStatus == 0)
    #expect(TestFiles.text(configuration) == "\(written)\n")
    #expect(!TestFiles.exists("\(folder)/tokens/home"))
    #expect(await sandbox.run("profile", "remove", "work").exitStatus == 0)
    #expect(TestFiles.text(configuration) == "# my own\nmax-transfers=3   \n  ; the fast one\n")
  }

  @Test func `a configuration behind a link is changed where it is`() async {
    let real = sandbox.root.write("json\n", to: "dotfiles")
    TestFiles.makeFolder(folder)
    TestFiles.link(to: real, at: configuration)
    #expect(await add("home", input: "").exitStatus == 0)
    #expect(TestFiles.text(real) == "json\n\n[profile home]\nurl = \(url)\n")
    var status = stat()
    #expect(lstat(configuration, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `a configuration of another name keeps its tokens beside it`() async {
    let other = sandbox.root.path("other/config")
    let result = await add("home", "--config", other, "--token-stdin", input: Self.token)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(TestFiles.text(sandbox.root.path("other/tokens/home")) == "\(Self.token)\n")
    #expect(!TestFiles.exists(folder))
  }

  @Test func `many adds at the same moment lose nothing`() async throws {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          // One that meets another changing the file says so, with the status for that, and is tried again.
          for _ in 0..<200 {
            let result = await add("p\(number)", "--token-stdin", input: "token-number-\(number)")
            if result.exitStatus == 0 { return }
            #expect(result.exitStatus == 14, "\(result)")
          }
          Issue.record("p\(number) was never added")
        }
      }
    }
    #expect(try await profiles().map(\.name).sorted() == (0..<6).map { "p\($0)" })
    for number in 0..<6 {
      #expect(TestFiles.text("\(folder)/tokens/p\(number)") == "token-number-\(number)\n")
    }
  }

  @Test func `the token is in no output and in no file but its own`() async throws {
    var outputs: [String] = []
    func note(_ result: ProgramResult) { outputs.append(result.output + result.standardError) }
    note(await add("home", "--token-stdin", "-v", input: Self.token))
    note(await sandbox.start(["profile", "add", "file", "--url", url, "--token-file", tokenFile("t")]).wait())
    note(await add("home", "--token-stdin", "-v", input: Self.token))
    TestFiles.write(Array("\n[profile odd]\nurl = wss://h/ws?token=\(Self.token)\n".utf8), to: "\(folder)/odd")
    for flags in [[], ["--json"], ["-v"], ["--verbose", "--color", "always"]] {
      note(await sandbox.start(["profile", "list"] + flags).wait())
      note(await sandbox.start(["profile", "show", "home"] + flags).wait())
      note(await sandbox.start(["profile", "show", "odd", "--config", "\(folder)/odd"] + flags).wait())
      note(await sandbox.start(["profile", "list", "--config", "\(folder)/odd"] + flags).wait())
      note(await sandbox.start(["doctor"] + flags).wait())
      note(await sandbox.start(["profile", "list"] + flags, environment: ["HERMES_TRANSFER_TOKEN": Self.token]).wait())
    }
    note(await sandbox.run("profile", "show", "none", "-v"))
    note(await sandbox.run("list", "--profile", "home"))
    TestFiles.setMode(0o644, of: "\(folder)/tokens/home")
    note(await sandbox.run("profile", "show", "home", "-v"))
    note(await sandbox.run("doctor", "-v"))
    TestFiles.setMode(0o600, of: "\(folder)/tokens/home")
    let holders = TestFiles.tree(sandbox.root.path).filter { TestFiles.text($0)?.contains(Self.token) == true }
    #expect(holders.sorted() == ["\(folder)/odd", "\(folder)/tokens/home", sandbox.root.path("t")].sorted())
    note(await sandbox.run("profile", "remove", "home", "-v"))
    #expect(outputs.count == 32)
    for output in outputs { #expect(!output.contains(Self.token) && !output.contains("Zk3v9"), "\(output)") }
  }

  @Test func `doctor says what is known of gateways, this device and the limits`() async {
    #expect(await add("home", "--token-stdin", input: Self.token).exitStatus == 0)
    let result = await sandbox.run("doctor")
    #expect(result.exitStatus == 0, "\(result)")
    for line in [
      "file types", "profile home  \(url), token …wxyz from \(folder)/tokens/home", "device", "messages up to 16.0 MiB",
    ] {
      #expect(result.output.contains(line), "\(line): \(result)")
    }
  }
}
