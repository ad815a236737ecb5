import TestKit
import Testing

@testable import Gateway

@Suite struct HTTPDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_600_000_000, "Sun, 13 Sep 2020 12:26:40 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
  ])
  func `seconds and text are the same moment`(seconds: Int64, text: String) {
    #expect(HTTPDate(secondsSince1970: seconds).text == text)
    #expect(HTTPDate(text, now: 0)?.secondsSince1970 == seconds)
  }

  @Test func `every moment is read back as it was written`() {
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let date = HTTPDate(secondsSince1970: .random(in: -62_135_596_800..<253_402_300_800, using: &random))
      #expect(HTTPDate(date.text, now: 0) == date, "SEED=\(seed)")
    }
  }

  @Test(arguments: ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func `the obsolete forms are read`(text: String) {
    #expect(HTTPDate(text, now: 1_600_000_000)?.secondsSince1970 == 784_111_777)
  }

  @Test func `a two-digit year more than fifty years ahead is in the past century`() {
    #expect(HTTPDate("Tuesday, 01-Jan-30 00:00:00 GMT", now: 1_600_000_000)?.text.contains(" 2030 ") == true)
    #expect(HTTPDate("Wednesday, 01-Jan-75 00:00:00 GMT", now: 1_600_000_000)?.text.contains(" 1975 ") == true)
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
  ])
  func `anything else is no date`(text: String) {
    #expect(HTTPDate(text, now: 1_600_000_000) == nil)
  }
}
