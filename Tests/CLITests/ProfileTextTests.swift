import Core
import TestKit
import Testing

@testable import CLI

@Suite struct ProfileTextTests {
  private let entries: [(flag: FlagName, value: String?)] = [(.url, "ws://127.0.0.1:8787/ws"), (.allowPlaintext, nil)]

  private func added(_ name: String, to text: String) -> String { ProfileText.adding(name, entries, to: text) }

  @Test func `a profile is a section at the end`() {
    #expect(added("home", to: "") == "[profile home]\nurl = ws://127.0.0.1:8787/ws\nallow-plaintext\n")
    #expect(added("home", to: "json") == "json\n\n[profile home]\nurl = ws://127.0.0.1:8787/ws\nallow-plaintext\n")
    #expect(added("home", to: "json\n").hasPrefix("json\n\n[profile home]\n"))
  }

  @Test(arguments: [
    "", "json\n", "# mine\njson\n\n", "; a\n\n; b\n", "[profile a]\nurl = ws://a/ws\n", "json\r\n# c\r\n",
  ])
  func `a profile that is removed again leaves the text as it was`(text: String) {
    #expect(ProfileText.removing("home", from: added("home", to: text)) == text)
  }

  @Test func `comments and other sections stay as they are`() {
    let text = """
      # my defaults
      max-transfers = 3

      # the one at home
      [profile home]
      url = ws://10.0.0.1/ws   
      # with a faster line
        limit-rate=2M
      ; the one at work
      [profile work]
      url : wss://work.example/ws

      """
    #expect(
      ProfileText.removing("home", from: text) == """
        # my defaults
        max-transfers = 3

        # the one at home
        # with a faster line
        ; the one at work
        [profile work]
        url : wss://work.example/ws

        """)
    #expect(ProfileText.removing("hom", from: text) == text)
  }

  @Test func `a section that stands twice is removed twice`() {
    let text = "[profile a]\nurl = ws://a/ws\n[profile b]\nurl = ws://b/ws\n[ profile\ta ] x\nauth = hello\n"
    #expect(ProfileText.names(in: text) == ["a", "b"])
    #expect(ProfileText.removing("a", from: text) == "[profile b]\nurl = ws://b/ws\n")
  }

  @Test(arguments: [
    ("home", true), ("a", true), ("a.b_c-D9", true), (String(repeating: "x", count: 40), true), ("_", true),
    ("", false), (".", false), ("..", false), ("-x", false), (".x", false), ("a b", false), ("a/b", false),
    ("a]", false), ("ü", false), ("a\n", false), (String(repeating: "x", count: 41), false),
  ]) func `a name is fit to be a file's`(name: String, isName: Bool) {
    #expect(ProfileText.isName(name) == isName)
  }

  /// inih decides what a file means; the text's own reading must agree with it on every file that inih takes.
  @Test func `any text means the same after a profile came and went`() throws {
    let pieces = [
      "[profile a]", "[profile b]", "[profile  a ] tail", "[other]", "url = ws://h/ws", "auth=header", "json", "# c",
      "; [profile a]", "", " ", "\r", "\u{FEFF}", "  limit-rate = 1M", "[profile", "]", "max-transfers = 3", "\u{B}",
      "= x", ":", "[]", "[profile \(String(repeating: "n", count: 60))]",
    ]
    var taken = 0
    for seed in Seeds.fromEnvironment(count: 3000) {
      var random = SeededRandom(seed: seed)
      let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
        (pieces.randomElement(using: &random) ?? "") + (Int.random(in: 0..<8, using: &random) == 0 ? "" : "\n")
      }.joined()
      guard let old = try? Configuration(text: text, path: "/c") else { continue }
      taken += 1
      let more = try Configuration(text: added("home", to: text), path: "/c")
      #expect(more.values == old.values, "seed \(seed): \(text.debugDescription)")
      #expect(Array(more.profiles.dropLast()) == old.profiles, "seed \(seed): \(text.debugDescription)")
      #expect(more.profiles.last?.values == [.url: ["ws://127.0.0.1:8787/ws"], .allowPlaintext: ["true"]])
      let less = try Configuration(text: ProfileText.removing("a", from: text), path: "/c")
      #expect(less.values == old.values, "seed \(seed): \(text.debugDescription)")
      #expect(less.profiles == old.profiles.filter { $0.name != "a" }, "seed \(seed): \(text.debugDescription)")
    }
    #expect(taken > 100)
  }
}

@Suite struct ConfiguredProfileTests {
  private func configuration(_ text: String) throws(TransferFailure) -> Configuration {
    try Configuration(text: text, path: "/c")
  }

  private func refusal(_ text: String) -> TransferFailure? {
    do throws(TransferFailure) {
      _ = try configuration(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the profile of a name, the only one, or the one called default is meant`() throws {
    let one = try configuration("[profile a]\nurl = ws://a/ws")
    #expect(try one.profile(nil).name == "a" && one.profile("a").name == "a")
    let two = try configuration("[profile a]\n[profile default]\n")
    #expect(try two.profile(nil).name == "default" && two.profile("a").name == "a")
    let three = try configuration("[profile a]\n[profile b]\n")
    #expect(
      throws: TransferFailure(
        .usage, "there are 2 profiles and none is called default", hint: "--profile NAME chooses one: a, b")
    ) {
      try three.profile(nil)
    }
    #expect(throws: TransferFailure.self) { try three.profile("c") }
    #expect(throws: TransferFailure.self) { try configuration("").profile(nil) }
  }

  @Test func `a flag goes from the line to the environment to the profile to the rest of the file`() throws {
    let file = try configuration(
      "max-transfers = 1\nmax-per-host = 2\nmax-attempts = 3\nconnections = 4\n[profile p]\nmax-transfers = 5\nmax-per-host = 6\nmax-attempts = 7"
    )
    let settings = try Settings(
      typed: try ArgumentParser.parse(["download", "u", "-j", "9"]), command: .download,
      environment: { $0 == "HERMES_TRANSFER_MAX_PER_HOST" ? "8" : nil }, profile: file.profile("p"), configuration: file
    )
    #expect(settings.count(.maxTransfers) == 9)
    #expect(settings.count(.maxPerHost) == 8)
    #expect(settings.count(.maxAttempts) == 7)
    #expect(settings.count(.connections) == 4)
  }

  @Test func `an error names the profile that the value is from`() throws {
    let file = try configuration("[profile p]\nmax-transfers = many")
    #expect(
      throws: TransferFailure(
        .usage, "max-transfers of profile p in /c cannot be \"many\"", hint: "it takes 1 to 1024")
    ) {
      try Settings(
        typed: try ArgumentParser.parse(["download", "u"]), command: .download, environment: { _ in nil },
        profile: file.profile("p"), configuration: file)
    }
  }

  @Test(
    arguments: [
      ("url = ws://a/ws", "cannot read /c: url is not a flag that can stand there", nil),
      ("[profile a]\nprofile = b", "cannot read /c: profile is not a flag that can stand there", nil),
      ("[profile a]\nconfig = b", "cannot read /c: config is not a flag that can stand there", nil),
      ("[profile a]\ntoken-stdin", "cannot read /c: token-stdin is not a flag that can stand there", nil),
      (
        "[profile a]\nmedia_dir = x", "cannot read /c: media_dir is not a flag that can stand there",
        "did you mean media-dir?"
      ),
      (
        "[profile a]\ntoken = hunter2", "cannot read /c: token is not a flag that can stand there",
        "secrets have files of their own: token-file = FILE"
      ),
      ("[profile a/b]\njson", "cannot read /c: unknown section [profile a/b]", nil),
      ("[profile a b]\njson", "cannot read /c: unknown section [profile a b]", nil),
    ] as [(String, String, String?)])
  func `what cannot stand there is refused`(text: String, message: String, hint: String?) throws {
    let failure = try #require(refusal(text))
    #expect(failure.message == message)
    if let hint { #expect(failure.hint == hint) }
  }

  @Test(arguments: [
    ("wss://h/ws?token=hunter2", "has a secret in its query, under token"),
    ("wss://h/ws?a=1&%74oken=hunter2", "has a secret in its query, under token"),
    ("wss://h/ws?access_token=hunter2", "under access_token"), ("wss://h/ws?KEY=hunter2", "under key"),
    ("wss://me:hunter2@h/ws", "has a user, a password or a fragment"), ("wss://h/ws#hunter2", "or a fragment"),
    ("https://h/ws", "is https, a gateway's is ws or wss"), ("hunter2", "an absolute ws or wss URL is needed"),
    ("ftp://h/hunter2", "the scheme ftp is not supported"), ("ws://h:99999/hunter2", "port"),
    ("ws://agent.example/ws", "is not encrypted"), ("ws://8.8.8.8/ws", "is not encrypted"),
    ("wss://h/hunter2 x", "space or control character"),
  ]) func `a URL that is none of a gateway is refused, without what may be secret`(url: String, message: String) {
    let failure = #expect(throws: TransferFailure.self) {
      try ProfileEntry.gateway(url, of: "profile p", allowsPlaintext: false)
    }
    #expect(failure?.code == .usage && failure?.message.contains(message) == true, "\(String(describing: failure))")
    #expect(failure?.message.contains("hunter2") == false && failure?.hint?.contains("hunter2") != true)
  }

  @Test(arguments: [
    "ws://127.0.0.1:8787/ws", "ws://localhost/ws", "ws://[::1]:8787/ws", "ws://192.168.1.5/ws", "ws://10.1.2.3/ws",
    "ws://172.16.0.1/ws", "ws://[fd00::1]/ws", "wss://agent.example/ws", "wss://8.8.8.8/ws?room=kitchen",
  ]) func `plain text stays near, and encrypted goes anywhere`(url: String) throws {
    #expect(try ProfileEntry.gateway(url, of: "p", allowsPlaintext: false).isSecure == url.hasPrefix("wss"))
  }

  @Test func `plain text goes anywhere when it is allowed to`() throws {
    #expect(try !ProfileEntry.gateway("ws://agent.example/ws", of: "p", allowsPlaintext: true).isSecure)
  }
}
