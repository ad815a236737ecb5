import Testing
import TestKit

@testable import Core

@Suite struct RetryAfterTests {
  static let values: [(text: String, meaning: RetryAfter?)] = [
    ("0", .seconds(0)), ("30", .seconds(30)), ("999999", .seconds(999_999)), ("1.5", .seconds(1.5)),
    ("99999999999999999999", .seconds(1e9)), (String(repeating: "9", count: 400), .seconds(1e9)),
    ("Fri, 31 Dec 1999 23:59:59 GMT", .dateText("Fri, 31 Dec 1999 23:59:59 GMT")),
    ("Friday, 31-Dec-99 23:59:59 GMT", .dateText("Friday, 31-Dec-99 23:59:59 GMT")),
    ("", nil), ("abc", nil), ("-5", nil), ("+5", nil), ("5s", nil), ("1.2.3", nil), ("0x10", nil), ("nan", nil),
    ("inf", nil), ("1e9", nil), (":", nil), ("30, 60", nil),
  ]

  @Test(arguments: values) func `D65 seconds and dates are told apart, junk is neither`(
    text: String, meaning: RetryAfter?
  ) {
    #expect(RetryAfter(text) == meaning)
  }

  @Test func `no value is read as a negative or endless wait`() {
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let text = random.text(of: ["1", "9", "0", ".", "-", "e", ":", " ", "GMT", ",", "٣"], maxCount: 10)
      guard case .seconds(let seconds) = RetryAfter(text) else { continue }
      #expect((0...1e9).contains(seconds), "SEED=\(seed) \(text)")
    }
  }
}
