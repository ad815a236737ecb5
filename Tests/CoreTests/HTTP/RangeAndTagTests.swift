import TestKit
import Testing

@testable import Core

@Suite struct ContentRangeTests {
  static let ranges: [(text: String, meaning: ContentRange)] = [
    ("bytes 0-99/100", .bytes(ByteRange(0, 100), total: 100)), ("bytes 5-5/10", .bytes(ByteRange(5, 6), total: 10)),
    ("bytes 0-99/*", .bytes(ByteRange(0, 100), total: nil)), ("Bytes 1-2/3", .bytes(ByteRange(1, 3), total: 3)),
    ("bytes  0-99/100", .bytes(ByteRange(0, 100), total: 100)), ("bytes */100", .unsatisfied(total: 100)),
    ("bytes */0", .unsatisfied(total: 0)),
    ("bytes 0-9223372036854775806/9223372036854775807", .bytes(ByteRange(0, .max), total: .max)),
    ("items 0-9/10", .otherUnit), ("pages whatever", .otherUnit),
    // Ends that contradict each other or the whole.
    ("bytes 9-0/10", .malformed), ("bytes 0-100/100", .malformed), ("bytes 0-0/0", .malformed),
    // Numbers that do not fit, and what is none.
    ("bytes 0-9223372036854775807/*", .malformed), ("bytes 0-99999999999999999999/*", .malformed),
    ("bytes 99999999999999999999-99999999999999999999/99999999999999999999", .malformed),
    ("bytes */99999999999999999999", .malformed), ("bytes +0-1/2", .malformed), ("bytes 0x0-1/2", .malformed),
    ("bytes ٠-١/٢", .malformed), ("bytes -5/10", .malformed), ("bytes 5-/10", .malformed), ("bytes --1/2", .malformed),
    ("", .malformed), ("bytes", .malformed), ("bytes 0-1", .malformed), ("bytes 0-1/", .malformed),
    ("bytes /2", .malformed),
    ("bytes */*", .malformed), ("bytes 0-1/2/3", .malformed), ("bytes 0-1-2/3", .malformed),
    ("bytes 0-1 /2", .malformed),
    ("0-1/2", .malformed),
  ]

  @Test(arguments: ranges) func `a range is read, and junk has no offsets`(text: String, meaning: ContentRange) {
    #expect(ContentRange(text) == meaning)
  }

  @Test func `what is read is a range within its whole`() {
    let pieces = ["bytes", " ", "0", "9", "-", "/", "*", "9223372036854775807", "+", "bytes 0-9/10", "items"]
    for seed in Seeds.fromEnvironment(count: 5000) {
      var random = SeededRandom(seed: seed)
      let text = (random.oneIn(2) ? "bytes " : "") + random.text(of: pieces, maxCount: 8)
      guard case .bytes(let range, let total) = ContentRange(text) else { continue }
      #expect(!range.isEmpty && total.map { range.end <= $0 } ?? true, "SEED=\(seed) \(text)")
    }
  }

  @Test func `every range is read back from its header`() {
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let end = Int64.random(in: 1...(.max >> Int64.random(in: 0...62, using: &random)), using: &random)
      let range = ByteRange(Int64.random(in: 0..<end, using: &random), end)
      let total = random.oneIn(3) ? nil : Int64.random(in: end...(.max), using: &random)
      let text = "bytes \(range)/\(total.map(String.init) ?? "*")"
      #expect(ContentRange(text) == .bytes(range, total: total), "SEED=\(seed) \(text)")
    }
  }
}

@Suite struct EntityTagTests {
  static let tags: [(text: String, opaque: String?, isWeak: Bool)] = [
    ("\"a\"", "\"a\"", false), ("W/\"a\"", "\"a\"", true), ("\"\"", "\"\"", false), ("W/\"\"", "\"\"", true),
    ("\"W/a\"", "\"W/a\"", false), ("\"a,b\"", "\"a,b\"", false), ("\"ü\"", "\"ü\"", false),
    ("\"a\\\"", "\"a\\\"", false),
    ("", nil, false), ("\"", nil, false), ("a", nil, false), ("W/", nil, false), ("W/a", nil, false),
    ("w/\"a\"", nil, false),
    ("\"a", nil, false), ("a\"", nil, false), ("\"a\"b\"", nil, false), ("\"a\", \"b\"", nil, false),
    ("\"a b\"", nil, false),
    (" \"a\"", nil, false), ("W/ \"a\"", nil, false), ("\"a\u{7f}\"", nil, false), ("\"\n\"", nil, false),
    ("*", nil, false),
  ]

  @Test(arguments: tags) func `a tag is whole or none`(text: String, opaque: String?, isWeak: Bool) {
    let tag = EntityTag(text)
    #expect(tag?.opaque == opaque)
    if let tag { #expect(tag.isWeak == isWeak) }
  }

  /// RFC 9110 §8.8.3.2.
  static let pairs: [(one: String, other: String, isEqual: Bool)] = [
    ("W/\"1\"", "W/\"1\"", false), ("W/\"1\"", "W/\"2\"", false), ("W/\"1\"", "\"1\"", false), ("\"1\"", "\"1\"", true),
    ("\"1\"", "\"2\"", false), ("\"a\"", "\"A\"", false),
  ]

  @Test(arguments: pairs) func `only strong tags are the same bytes`(one: String, other: String, isEqual: Bool) throws {
    let (one, other) = (try #require(EntityTag(one)), try #require(EntityTag(other)))
    #expect(one.isStronglyEqual(to: other) == isEqual)
    #expect(other.isStronglyEqual(to: one) == isEqual)
  }

  @Test func `what is taken for a tag can go back into a header`() {
    for seed in Seeds.fromEnvironment(count: 3000) {
      var random = SeededRandom(seed: seed)
      let text = random.text(of: ["\"", "W/", "a", "!", " ", "\r\n", "ü", ",", "\u{0}", "\u{301}"], maxCount: 6)
      guard let tag = EntityTag(text) else { continue }
      #expect(text == (tag.isWeak ? "W/" : "") + tag.opaque, "SEED=\(seed) \(text.debugDescription)")
      #expect(!text.utf8.contains { $0 <= 0x20 || $0 == 0x7f }, "SEED=\(seed) \(text.debugDescription)")
    }
  }
}
