import Core
import TestKit
import Testing

@testable import Gateway

/// RFC 9110 §14.1.2 and §14.2.
@Suite struct RangeRequestTests {
  @Test(arguments: [
    ("bytes=0-", ByteRange(0, 1000)), ("bytes=0-0", ByteRange(0, 1)), ("bytes=999-", ByteRange(999, 1000)),
    ("bytes=100-199", ByteRange(100, 200)), ("bytes=900-5000", ByteRange(900, 1000)),
    ("bytes=-1", ByteRange(999, 1000)), ("bytes=-1000", ByteRange(0, 1000)), ("bytes=-5000", ByteRange(0, 1000)),
    ("BYTES=1-2", ByteRange(1, 3)), ("bytes= 1-2 ", ByteRange(1, 3)), ("bytes=,1-2,", ByteRange(1, 3)),
    ("bytes=5-99999999999999999999", ByteRange(5, 1000)), ("bytes=-99999999999999999999", ByteRange(0, 1000)),
    ("bytes=0-9223372036854775807", ByteRange(0, 1000)),
  ])
  func `one satisfiable range is a part`(text: String, range: ByteRange) {
    #expect(RangeRequest(text, of: 1000) == .part(range))
  }

  @Test(arguments: ["bytes=1000-", "bytes=1000-1001", "bytes=99999999999999999999-", "bytes=-0"])
  func `a range with no byte of the file is unsatisfiable`(text: String) {
    #expect(RangeRequest(text, of: 1000) == .unsatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=2-1", "bytes=1-2-3", "bytes=+1-2", "bytes=1 -2", "bytes=--1",
    "items=0-1", "bytes=0-1,5-6", "bytes=0x1-2", "bytes=1", "bytes:1-2",
  ])
  func `anything else is ignored, and so are several ranges`(text: String) {
    #expect(RangeRequest(text, of: 1000) == .whole)
  }

  @Test func `whatever is asked, a part lies within the file`() {
    let pieces = ["bytes", "=", "-", ",", "0", "9", "999", "1000", "9223372036854775807", " ", "\t", "items"]
    for seed in Seeds.fromEnvironment(count: 3000) {
      var random = SeededRandom(seed: seed)
      let count = Int64.random(in: 0...1000, using: &random)
      guard case .part(let range) = RangeRequest("bytes=" + random.text(of: pieces, maxCount: 6), of: count) else {
        continue
      }
      #expect(range.start >= 0 && range.end <= count && !range.isEmpty, "SEED=\(seed)")
    }
  }

  @Test func `no field is the whole`() {
    #expect(RangeRequest(nil, of: 1000) == .whole)
  }
}
