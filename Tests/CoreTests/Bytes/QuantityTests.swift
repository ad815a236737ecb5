import TestKit
import Testing

@testable import Core

@Suite struct QuantityReadingTests {
  static let sizes: [(text: String, byteCount: Int64)] = [
    ("0", 0), ("1000", 1000), ("1000B", 1000), ("1k", 1024), ("1K", 1024), ("2M", 2 << 20), ("3G", 3 << 30),
    ("4T", 4 << 40), ("1kB", 1000), ("1KB", 1000), ("2MB", 2_000_000), ("3GB", 3_000_000_000),
    ("4TB", 4_000_000_000_000),
    ("5MiB", 5 << 20), ("1.5M", 1_572_864), ("1.5MB", 1_500_000), ("0.1k", 102), ("007", 7),
    ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max), ("8388607T", 8_388_607 << 40),
  ]

  @Test(arguments: sizes) func `a size is read`(text: String, byteCount: Int64) throws {
    #expect(try Quantity.byteCount(reading: text) == byteCount)
  }

  @Test(arguments: [
    "", "k", "-1", "+1", "1.5", "1.5B", ".5k", "1.k", "1,5k", "1 k", " 1k", "1k ", "1kk", "1Mb", "1kb", "1kiB/s", "1P",
    "0x10", "1e3",
    "٣k", "1k\u{301}", "1\u{301}", "nan", "inf", "1/s",
  ])
  func `what is no size is refused`(text: String) {
    #expect(throws: Quantity.Invalid.size) { try Quantity.byteCount(reading: text) }
  }

  @Test(arguments: [
    "9223372036854775808", "99999999999999999999999", "8388608T", "9999999.9T",
    "\(String(repeating: "9", count: 400)).9k",
  ])
  func `a size beyond counting is refused as too large`(text: String) {
    #expect(throws: Quantity.Invalid.tooLarge) { try Quantity.byteCount(reading: text) }
  }

  @Test func `a rate is a size a second, and never nought`() throws {
    #expect(try Quantity.bytesPerSecond(reading: "500k") == 512_000)
    #expect(try Quantity.bytesPerSecond(reading: "1.5MB/s") == 1_500_000)
    #expect(try Quantity.bytesPerSecond(reading: "1/s") == 1)
    for text in ["0", "0.0001k", "/s", "", "1k/", "1k/h", "1k/s/s", "-1k"] {
      #expect(throws: Quantity.Invalid.rate) { try Quantity.bytesPerSecond(reading: text) }
    }
  }

  static let durations: [(text: String, seconds: Double)] = [
    ("500ms", 0.5), ("30s", 30), ("5m", 300), ("2h", 7200), ("7d", 604_800), ("1.5h", 5400), ("0s", 0), ("1h30m", 5400),
    ("1d2h3m4s5ms", 93_784.005), ("1m1ms", 60.001),
  ]

  @Test(arguments: durations) func `a duration is read`(text: String, seconds: Double) throws {
    #expect(try Quantity.seconds(reading: text) == seconds)
  }

  @Test(arguments: [
    "", "30", "s", "-1s", "1 s", "1S", "1M", "30m1h", "1s1s", "1ms1s", "1w", "1h 30m", ".5s", "1h30", "1s\u{301}",
  ])
  func `what is no duration is refused`(text: String) {
    #expect(throws: Quantity.Invalid.duration) { try Quantity.seconds(reading: text) }
  }

  @Test func `decades are a slip of the finger`() {
    #expect(throws: Quantity.Invalid.tooLarge) { try Quantity.seconds(reading: "99999999d") }
    #expect(throws: Quantity.Invalid.tooLarge) {
      try Quantity.seconds(reading: String(repeating: "9", count: 400) + "d")
    }
  }

  /// Made with `date -u -d … +%s`.
  static let times: [(text: String, seconds: Double)] = [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00Z", 951_825_600), ("2026-12-01T08:00:30Z", 1_796_112_030),
    ("2026-12-01t08:00:30.5z", 1_796_112_030.5), ("2026-12-01T08:00:30+01:00", 1_796_108_430),
    ("2026-12-01T08:00:30-0530", 1_796_131_830), ("2026-12-01T08:00:30+01", 1_796_108_430),
    // Without an offset: two hours east of UTC.
    ("2026-12-01T08:00:30", 1_796_104_830), ("2026-12-01 08:00", 1_796_104_800), ("2026-12-01", 1_796_076_000),
    ("9999-12-31T23:59:60Z", 253_402_300_800),
    ("+2h30m", 1_000_009_000), ("+0s", 1_000_000_000), ("+500ms", 1_000_000_000.5),
  ]

  @Test(arguments: times) func `a time is read`(text: String, seconds: Double) throws {
    #expect(try Quantity.time(reading: text, now: 1_000_000_000, utcOffsetSeconds: 7200) == seconds)
  }

  @Test(arguments: [
    "", "now", "08:00", "+", "+2", "-2h", "2h", "2026", "2026-12", "2026-13-01", "2026-00-01", "2026-12-00",
    "2026-02-29", "2100-02-29",
    "2026-04-31", "1969-12-31", "2026-12-01T", "2026-12-01T24:00", "2026-12-01T08", "2026-12-01T08:60",
    "2026-12-01T08:00:61",
    "2026-12-01T08:00:00.", "2026-12-01T08:00:00.1234567890", "2026-12-01T08:00+", "2026-12-01T08:00+1",
    "2026-12-01T08:00+24:00",
    "2026-12-01T08:00+01:60", "2026-12-01T08:00ZZ", "2026-12-01Z", "2026-12-01  08:00", "20261201T0800Z", " 2026-12-01",
    "٢٠٢٦-12-01",
  ])
  func `what is no time is refused`(text: String) {
    #expect(throws: Quantity.Invalid.time) { try Quantity.time(reading: text, now: 0, utcOffsetSeconds: 0) }
  }

  @Test func `days follow one another through four centuries`() {
    var days = 0
    for year in 1970...2400 {
      for month in 1...12 {
        for day in 1...CivilDate.dayCount(ofMonth: month, year: year) {
          if CivilDate.daysSince1970(year: year, month: month, day: day) != days {
            Issue.record("\(year)-\(month)-\(day) is not day \(days)")
            return
          }
          days += 1
        }
      }
    }
    #expect(days == 157_420)
  }

  @Test func `no text brings a reader down, and what is read is in bounds`() {
    let pieces = [
      "1", "9", "0", ".", "k", "M", "T", "B", "iB", "/s", "ms", "s", "m", "h", "d", "-", ":", "+", "T", "Z",
      "2026-12-01", "99999999999",
    ]
    for seed in Seeds.fromEnvironment(count: 5000) {
      var random = SeededRandom(seed: seed)
      let text = random.text(of: pieces, maxCount: 8)
      if let byteCount = try? Quantity.byteCount(reading: text) { #expect(byteCount >= 0, "SEED=\(seed) \(text)") }
      if let rate = try? Quantity.bytesPerSecond(reading: text) { #expect(rate >= 1, "SEED=\(seed) \(text)") }
      if let seconds = try? Quantity.seconds(reading: text) {
        #expect((0..<1e9).contains(seconds), "SEED=\(seed) \(text)")
      }
      if let time = try? Quantity.time(reading: text, now: 0, utcOffsetSeconds: 0) {
        #expect((0...253_402_387_200).contains(time), "SEED=\(seed) \(text)")
      }
    }
  }
}

@Suite struct QuantityTextTests {
  static let sizes: [(byteCount: Int64, text: String, compact: String)] = [
    (0, "0 B", "0B"), (-1, "0 B", "0B"), (999, "999 B", "999B"), (1000, "1000 B", "1.0K"), (1023, "1023 B", "1.0K"),
    (1024, "1.0 KiB", "1.0K"), (1536, "1.5 KiB", "1.5K"), (10_188, "9.9 KiB", "9.9K"), (10_200, "10.0 KiB", "10K"),
    (1_048_524, "1023.9 KiB", "1.0M"), (1_048_525, "1.0 MiB", "1.0M"), (1_048_576, "1.0 MiB", "1.0M"),
    (122_683_392, "117.0 MiB", "117M"), (5_046_586_573, "4.7 GiB", "4.7G"), (.max, "8.0 EiB", "8.0E"),
  ]

  @Test(arguments: sizes) func `bytes are shown for people`(byteCount: Int64, text: String, compact: String) {
    #expect(Quantity.bytes(byteCount) == text)
    #expect(Quantity.compactBytes(byteCount) == compact)
  }

  static let rates: [(rate: Double, text: String)] = [
    (0, "0 B/s"), (0.4, "0 B/s"), (1023.6, "1.0 KiB/s"), (12_897_485, "12.3 MiB/s"), (-1, "0 B/s"), (.nan, "0 B/s"),
    (.infinity, "0 B/s"), (1e300, "4.0 EiB/s"),
  ]

  @Test(arguments: rates) func `rates are shown for people`(rate: Double, text: String) {
    #expect(Quantity.rate(rate) == text)
  }

  static let durations: [(seconds: Double, text: String)] = [
    (0, "0:00"), (-5, "0:00"), (0.1, "0:01"), (42, "0:42"), (59.5, "1:00"), (3599, "59:59"), (3600, "1:00:00"),
    (3723, "1:02:03"), (359_999, "99:59:59"), (360_000, "4d 4h"), (86_399_999, "999d 23h"), (86_400_000, "∞"),
    (.infinity, "∞"), (.nan, "∞"),
  ]

  @Test(arguments: durations) func `durations are shown like a clock`(seconds: Double, text: String) {
    #expect(Quantity.duration(seconds) == text)
  }

  static let seconds: [(seconds: Double, text: String)] = [
    (60, "60 s"), (1.5, "1.5 s"), (0.25, "0.25 s"), (0.0001, "0 s"), (2.9999, "3 s"), (604_800, "604800 s"),
    (.infinity, "inf s"),
  ]

  @Test(arguments: seconds) func `messages have plain seconds`(seconds: Double, text: String) {
    #expect(Quantity.seconds(seconds) == text)
  }

  @Test func `no figure is wider than its column`() {
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let byteCount = Int64.random(in: 0...(.max >> Int64.random(in: 0...62, using: &random)), using: &random)
      #expect(Quantity.bytes(byteCount).count <= 10, "SEED=\(seed) \(byteCount)")
      #expect(Quantity.compactBytes(byteCount).count <= 4, "SEED=\(seed) \(byteCount)")
      #expect(Quantity.rate(Double(byteCount)).count <= 12, "SEED=\(seed) \(byteCount)")
      #expect(Quantity.duration(Double(byteCount) / 1000).count <= 8, "SEED=\(seed) \(byteCount)")
      // What is shown can be read again, and is within its rounding.
      let shown = Quantity.bytes(byteCount).filter { $0 != " " }
      if byteCount < 1 << 50, let read = try? Quantity.byteCount(reading: shown) {
        #expect(abs(Double(read - byteCount)) <= Double(byteCount) * 0.051, "SEED=\(seed) \(byteCount) \(shown)")
      }
    }
  }
}
