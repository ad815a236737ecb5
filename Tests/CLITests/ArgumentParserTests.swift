import Core
import TestKit
import Testing

@testable import CLI

@Suite struct ArgumentParserTests {
  private func refusal(_ arguments: [String]) -> TransferFailure? {
    do throws(TransferFailure) {
      _ = try ArgumentParser.parse(arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (["download", "--output", "f", "u"], ["f"], ["u"]),
    (["download", "--output=f", "u"], ["f"], ["u"]),
    (["download", "--output=", "u"], [""], ["u"]),
    (["download", "--output=a=b", "u"], ["a=b"], ["u"]),
    (["download", "-of", "u"], ["f"], ["u"]),
    (["download", "-o", "f", "u"], ["f"], ["u"]),
    (["download", "-o", "-", "u"], ["-"], ["u"]),
    (["download", "-qkof", "u"], ["f"], ["u"]),
    (["download", "u", "-o", "f"], ["f"], ["u"]),
    (["download", "-o", "f", "--", "-u", "--output"], ["f"], ["-u", "--output"]),
    (["download", "-o", "f", "-o", "g", "-"], ["f", "g"], ["-"]),
  ])
  func `a value stands where people put it`(arguments: [String], output: [String], operands: [String]) throws {
    let low = try ArgumentParser.parse(arguments)
    #expect(low.command == .download)
    #expect(low.values[.output] == output)
    #expect(low.operands == operands)
  }

  @Test func `global flags stand before and behind the command`() throws {
    let low = try ArgumentParser.parse(["--json", "--state-dir", "/s", "list", "-q"])
    #expect(low.command == .list)
    #expect(low.isOn(.json) && low.isOn(.quiet))
    #expect(low.values[.stateDir] == ["/s"])
  }

  @Test func `a switch can be switched off`() throws {
    #expect(try !ArgumentParser.parse(["download", "--insecure=false", "u"]).isOn(.insecure))
  }

  @Test(arguments: [
    (["download", "--conections", "4", "u"], "unknown flag --conections", "did you mean --connections?"),
    (["download", "--xyzzy", "u"], "unknown flag --xyzzy", "see hermes-transfer download --help"),
    (["-?", "list"], "unknown flag -?", "see hermes-transfer --help"),
    (["list", "--output", "f"], "list has no flag --output", "it belongs to download"),
    (["--output", "f", "download"], "--output belongs behind a command", "hermes-transfer download --output …"),
    (["download", "u", "--output"], "--output needs a value: FILE", "hermes-transfer download --help"),
    (["downlaod", "u"], "unknown command downlaod", "did you mean download?"),
    (["pause", "f"], "unknown command pause", "see hermes-transfer --help"),
    (["daemon"], "unknown command daemon", "see hermes-transfer --help"),
    (["https://h/f"], "a URL needs a command before it", "hermes-transfer download URL"),
    (["download", "-b", "u"], "unknown flag -b", "see hermes-transfer download --help"),
    (["download", "--when", "ac", "u"], "unknown flag --when", "see hermes-transfer download --help"),
  ])
  func `what is not understood is refused in one line`(arguments: [String], message: String, hint: String) throws {
    let failure = try #require(refusal(arguments))
    #expect(failure.code == .usage)
    #expect(failure.message == message)
    #expect(failure.hint == hint)
  }

  @Test(arguments: [
    ("conections", "connections"), ("hedaer", "header"), ("JSON", nil), ("ouput", "output"), ("x", nil),
    ("limitrate", "limit-rate"), ("retry-max-wiat", "retry-max-wait"),
  ])
  func `the nearest word is found, and none when none is near`(typed: String, expected: String?) {
    #expect(NearestWord.find(typed, in: FlagName.allCases.map(\.rawValue)) == expected)
  }

  @Test func `distances are those of edits and swaps`() {
    func distance(_ one: String, _ other: String) -> Int { NearestWord.distance(Array(one.utf8), Array(other.utf8)) }
    #expect(distance("", "abc") == 3)
    #expect(distance("abc", "abc") == 0)
    #expect(distance("abcd", "acbd") == 1)
    #expect(distance("kitten", "sitting") == 3)
  }

  @Test func `any arguments are parsed or refused as usage`() {
    let words =
      FlagTable.all.map(\.long) + CommandName.allCases.map(\.rawValue)
      + ["-", "--", "-o", "-q", "-qq", "--=", "--=x", "-=", "", "ü", "--json=", "https://h/f", "-oqk", "\u{0}"]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let arguments = (0..<Int.random(in: 0..<6, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
      if let failure = refusal(arguments) {
        #expect(failure.code == .usage && !failure.message.isEmpty, "seed \(seed): \(arguments)")
      }
    }
  }
}
