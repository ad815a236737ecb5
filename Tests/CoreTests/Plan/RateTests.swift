import TestKit
import Testing

@testable import Core

extension Instant {
  fileprivate static func seconds(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
}

@Suite struct RateMeterTests {
  /// A meter fed at 10 Hz with `bytesPerSecond` for `seconds`, from `start` on.
  private func feed(
    _ meter: inout RateMeter, _ bytesPerSecond: Double, for seconds: Double, from start: Double, at held: Double = 0
  ) {
    for tick in 0...Int(seconds * 10) {
      let elapsed = Double(tick) / 10
      meter.record(byteCount: Int64(held + elapsed * bytesPerSecond), now: .seconds(start + elapsed))
    }
  }

  @Test func `a steady stream has its rate and its end`() {
    var meter = RateMeter()
    feed(&meter, 1_000_000, for: 3, from: 100)
    #expect(meter.bytesPerSecond == 1_000_000)
    #expect(meter.etaSeconds(remaining: 5_000_000) == 5)
    #expect(meter.etaSeconds(remaining: 0) == 0)
    #expect(meter.etaSeconds(remaining: -1) == 0)
  }

  @Test func `nothing is known at first`() {
    var meter = RateMeter()
    #expect(meter.bytesPerSecond == nil && meter.etaSeconds(remaining: 1) == nil)
    meter.record(byteCount: 0, now: .seconds(1))
    #expect(meter.bytesPerSecond == nil)
    meter.record(byteCount: 1000, now: .seconds(1.2))
    #expect(meter.bytesPerSecond == nil)
    meter.record(byteCount: 1000, now: .seconds(1.25))
    #expect(meter.bytesPerSecond == 4000)
  }

  @Test func `D84 bytes that were there at the start are no speed`() {
    var meter = RateMeter()
    feed(&meter, 1000, for: 1, from: 0, at: 5e9)
    #expect(meter.bytesPerSecond == 1000)
  }

  @Test func `a change shows within ten seconds, a stall as nought without an end`() throws {
    var meter = RateMeter()
    feed(&meter, 1_000_000, for: 60, from: 0)
    feed(&meter, 100_000, for: 4, from: 60, at: 60e6)
    let between = try #require(meter.bytesPerSecond)
    #expect(between > 200_000 && between < 900_000)
    feed(&meter, 100_000, for: 6, from: 64, at: 60.4e6)
    #expect(abs(try #require(meter.bytesPerSecond) - 100_000) < 1)
    feed(&meter, 0, for: 10, from: 70, at: 61e6)
    #expect(meter.bytesPerSecond == 0)
    #expect(meter.etaSeconds(remaining: 1) == nil)
  }

  @Test func `after a reset, a count that fell or a clock that ran backwards it starts over`() {
    var meter = RateMeter()
    feed(&meter, 1000, for: 5, from: 0)
    meter.reset()
    #expect(meter.bytesPerSecond == nil)
    feed(&meter, 2000, for: 1, from: 100, at: 50_000)
    #expect(meter.bytesPerSecond == 2000)
    meter.record(byteCount: 10, now: .seconds(102))
    #expect(meter.bytesPerSecond == nil)
    meter.record(byteCount: 20, now: .seconds(90))
    #expect(meter.bytesPerSecond == nil)
  }

  @Test func `an uneven stream is shown evenly, whenever it is looked at`() throws {
    for seed in Seeds.fromEnvironment(count: 200) {
      var random = SeededRandom(seed: seed)
      var meter = RateMeter()
      var now = 0.0
      var byteCount = 0.0
      while now < 60 {
        let step = Double.random(in: 0.001...0.3, using: &random)
        now += step
        // 1 MB/s, of which each step brings none to twice as much.
        byteCount += step * Double.random(in: 0...2e6, using: &random)
        meter.record(byteCount: Int64(byteCount), now: .seconds(now))
        guard now > 10 else { continue }
        let rate = try #require(meter.bytesPerSecond)
        #expect(rate > 0.6e6 && rate < 1.4e6, "SEED=\(seed) \(rate) after \(now) s")
      }
    }
  }
}

@Suite struct RateLimitTests {
  /// Bytes that `consumerCount` always hungry takers get in `seconds`, when each comes up to 20 ms late.
  private func taken(
    _ limit: inout RateLimit, from start: Double, for seconds: Double, consumerCount: Int, _ random: inout SeededRandom
  ) -> Int64 {
    var total: Int64 = 0
    var wakings = Array(repeating: start, count: consumerCount)
    while let index = wakings.indices.min(by: { wakings[$0] < wakings[$1] }), wakings[index] < start + seconds {
      let byteCount = Int64.random(in: 1...16384, using: &random)
      if let delay = limit.take(byteCount, now: .seconds(wakings[index])) {
        wakings[index] += delay + Double.random(in: 0.0001...0.02, using: &random)
      } else {
        total += byteCount
        wakings[index] += 0.00001
      }
    }
    return total
  }

  @Test(arguments: [65_536, 1_000_000, 20_000_000])
  func `ten seconds hold the rate within 5 percent, however many share it`(rate: Int) {
    for seed in Seeds.fromEnvironment(count: 20) {
      var random = SeededRandom(seed: seed)
      var limit = RateLimit(bytesPerSecond: Double(rate))
      for round in 0..<3 {
        let consumerCount = random.pick([1, 3, 16])
        let total = taken(&limit, from: Double(round) * 10, for: 10, consumerCount: consumerCount, &random)
        #expect(abs(Double(total) / Double(rate * 10) - 1) < 0.05, "SEED=\(seed) \(total) for \(consumerCount)")
      }
    }
  }

  @Test func `idle time is made up for by a quarter of a second at most`() {
    var limit = RateLimit(bytesPerSecond: 1000)
    #expect(limit.take(1, now: .seconds(0)) == nil)
    #expect(limit.take(250, now: .seconds(100)) == nil)
    #expect(limit.take(1, now: .seconds(100)) == nil)
    #expect(limit.take(1, now: .seconds(100)) == 0.001)
  }

  @Test func `a piece larger than the rate passes and is waited off`() {
    var limit = RateLimit(bytesPerSecond: 1000)
    #expect(limit.take(16_000, now: .seconds(0)) == nil)
    #expect(limit.take(1, now: .seconds(0)) == 16)
    #expect(limit.take(1, now: .seconds(10)) == 6)
    #expect(limit.take(1, now: .seconds(16)) == nil)
  }

  @Test func `a new rate counts at once, for the debt too`() {
    var limit = RateLimit(bytesPerSecond: 1000)
    #expect(limit.take(16_000, now: .seconds(0)) == nil)
    limit.change(bytesPerSecond: 8000, now: .seconds(8))
    #expect(limit.take(1, now: .seconds(8)) == 1)
    var random = SeededRandom(seed: 1)
    limit.change(bytesPerSecond: 200_000, now: .seconds(20))
    #expect(abs(Double(taken(&limit, from: 20, for: 10, consumerCount: 2, &random)) / 2e6 - 1) < 0.05)
    limit.change(bytesPerSecond: 100_000, now: .seconds(30))
    #expect(abs(Double(taken(&limit, from: 30, for: 10, consumerCount: 2, &random)) / 1e6 - 1) < 0.05)
  }

  @Test func `a clock that steps back gives nothing away, and no rate stops for ever`() {
    var limit = RateLimit(bytesPerSecond: 1000)
    #expect(limit.take(1000, now: .seconds(10)) == nil)
    #expect(limit.take(1, now: .seconds(5)) == 1)
    #expect(limit.take(1, now: .seconds(10)) == 1)
    var slow = RateLimit(bytesPerSecond: 0)
    #expect(slow.take(10, now: .seconds(0)) == nil)
    #expect(slow.take(10, now: .seconds(0)) == 10)
  }
}
