import Core
import TestKit
import Testing

@testable import CLI

@Suite struct SettingsTests {
  private func settings(
    _ arguments: [String], environment: [String: String] = [:], configuration: String = ""
  ) throws(TransferFailure) -> Settings {
    let low = try ArgumentParser.parse(arguments)
    return try Settings(
      typed: low, command: low.command ?? .list, environment: { environment[$0] },
      configuration: Configuration(text: configuration, path: "/c"))
  }

  private func refusal(
    _ arguments: [String], environment: [String: String] = [:], configuration: String = ""
  ) -> TransferFailure? {
    do throws(TransferFailure) {
      _ = try settings(arguments, environment: environment, configuration: configuration)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the command line goes before the environment, that before the file`() throws {
    let environment = ["HERMES_TRANSFER_MAX_TRANSFERS": "7", "HERMES_TRANSFER_MAX_PER_HOST": "3"]
    let file = "max-transfers = 8\nmax-per-host = 9\nmax-attempts = 10"
    let settings = try settings(
      ["download", "-j", "6", "u"], environment: environment, configuration: file)
    #expect(settings.count(.maxTransfers) == 6)
    #expect(settings.count(.maxPerHost) == 3)
    #expect(settings.count(.maxAttempts) == 10)
  }

  @Test func `a choice on the command line puts the file's other one out of force`() throws {
    let settings = try settings(["download", "--http1.1", "u"], configuration: "http2\nipv6 = yes")
    #expect(settings.isOn(.http1) && !settings.isOn(.http2) && settings.isOn(.ipv6))
  }

  @Test func `a switch of the file is switched off on the command line`() throws {
    #expect(try settings(["download", "u"], configuration: "insecure").isOn(.insecure))
    #expect(try !settings(["download", "--insecure=no", "u"], configuration: "insecure").isOn(.insecure))
  }

  @Test func `headers come once a line from the environment and once a key from the file`() throws {
    let lines = ["download", "u"]
    #expect(
      try settings(lines, environment: ["HERMES_TRANSFER_HEADER": "A: 1\nB: 2"]).texts(.header) == ["A: 1", "B: 2"])
    #expect(try settings(lines, configuration: "header = A: 1\nheader = B: 2").texts(.header) == ["A: 1", "B: 2"])
  }

  @Test func `a flag of another command is left alone in environment and file`() throws {
    let settings = try settings(
      ["list"], environment: ["HERMES_TRANSFER_CONNECTIONS": "99"], configuration: "limit-rate = nonsense")
    #expect(settings.command == .list)
  }

  @Test func `every flag has its variable, but what asks for words about the program`() throws {
    let environment = ["HERMES_TRANSFER_OUTPUT": "f", "HERMES_TRANSFER_CHECKSUM": "x", "HERMES_TRANSFER_HELP": "true"]
    let settings = try settings(["download", "u"], environment: environment)
    #expect(settings.text(.output) == "f" && settings.text(.checksum) == "x")
    #expect(!settings.isOn(.help))
  }

  @Test func `what belongs to one call is not read from the configuration`() {
    #expect(throws: TransferFailure.self) { try settings(["download", "u"], configuration: "output = f") }
  }

  @Test func `numbers, rates and durations are read with their units`() throws {
    let settings = try settings([
      "download", "u", "--limit-rate", "2M", "--stall-timeout", "500ms", "--deadline", "7d", "-n", "auto",
    ])
    #expect(settings.bytesPerSecond(.limitRate) == 2_097_152)
    #expect(settings.seconds(.stallTimeout) == 0.5)
    #expect(settings.seconds(.deadline) == 604_800)
    #expect(settings.count(.connections) == nil)
  }

  private static let refused: [(arguments: [String], message: String, hint: String?)] = [
    (["download", "-n", "33", "u"], "--connections cannot be \"33\"", "it takes 1 to 32 or auto"),
    (["download", "-n", "0", "u"], "--connections cannot be \"0\"", "it takes 1 to 32 or auto"),
    (
      ["download", "--if-exists", "ask", "u"], "--if-exists cannot be \"ask\"",
      "it takes fail, rename, overwrite or skip"
    ),
    (
      ["download", "--limit-rate", "fast", "u"], "--limit-rate cannot be \"fast\"",
      "it takes bytes a second, such as 500k or 2M"
    ),
    (["download", "--http2", "--http1.1", "u"], "--http1.1 and --http2 exclude each other", nil),
    (["download", "-q", "-v", "u"], "--quiet and --verbose exclude each other", nil),
    (["list", "--json=maybe"], "--json cannot be \"maybe\"", "it takes true or false"),
  ]

  @Test(arguments: refused)
  func `a value that cannot be is refused with what can`(arguments: [String], message: String, hint: String?) throws {
    let failure = try #require(refusal(arguments))
    #expect(failure.code == .usage && failure.message == message && failure.hint == hint)
  }

  @Test func `an error names the source of the value`() {
    #expect(
      refusal(["download", "u"], environment: ["HERMES_TRANSFER_MAX_TRANSFERS": "no"])?.message
        == "HERMES_TRANSFER_MAX_TRANSFERS cannot be \"no\"")
    #expect(
      refusal(["download", "u"], configuration: "max-transfers = no")?.message
        == "max-transfers in /c cannot be \"no\"")
  }

  @Test(arguments: [
    ("max-transferz = 3", "cannot read /c: max-transferz is not a flag that can stand there"),
    ("output = f", "cannot read /c: output is not a flag that can stand there"),
    ("[more]\njson", "cannot read /c: unknown section [more]"),
    ("json\n[broken", "cannot read /c: line 2 is not flag = value"),
    ("json\u{0}", "cannot read /c: it is not a text file"),
  ])
  func `a configuration that is not understood is refused`(text: String, message: String) {
    #expect(refusal(["list"], configuration: text)?.message == message)
  }

  @Test func `a value may be long and hold semicolons`() throws {
    let agent = "Mozilla/5.0 (X11; Linux x86_64) ; " + String(repeating: "x", count: 5000)
    #expect(try settings(["download", "u"], configuration: "user-agent = \(agent)").text(.userAgent) == agent)
  }

  @Test func `any file is read or refused as usage`() {
    let pieces = [
      "json", "=", "\n", "[", "]", "max-transfers", " 3", ";", "#", "header=A: b", "\r", "\u{FEFF}", "ü", ":",
    ]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      if let failure = refusal(["download", "u"], configuration: text) {
        #expect(failure.code == .usage, "seed \(seed): \(text.debugDescription)")
      }
    }
  }
}
