import Core
import Testing

/// The ramp against lines of which the rate for each number of connections is known.
@Suite struct ConnectionRampTests {
  /// Runs a download of `total` bytes and gives the targets it went through.
  private func targets(
    total: Int64, roundTrip: Double, fixed: Int? = nil, rate: (Int) -> Double
  ) -> [Int] {
    var ramp = ConnectionRamp(fixed: fixed, hostLimit: nil)
    var now = Instant.zero
    var byteCount: Int64 = 0
    ramp.open(total: total, roundTripSeconds: roundTrip, byteCount: 0, now: now)
    var targets = [ramp.target]
    while byteCount < total {
      now = now + 0.1
      byteCount += Int64(rate(ramp.target) * 0.1)
      ramp.update(now: now, byteCount: byteCount, active: ramp.target, remaining: total - byteCount)
      if targets.last != ramp.target { targets.append(ramp.target) }
    }
    return targets
  }

  @Test func `a server that limits each connection is asked by as many as pay`() {
    #expect(targets(total: 1 << 30, roundTrip: 0.0001) { Double($0) * 2e6 } == [1, 2, 4, 8, 16])
  }

  @Test func `near by, a step that brings nothing is taken back`() {
    #expect(targets(total: 1 << 30, roundTrip: 0.0001) { _ in 50e6 } == [1, 2, 1])
    #expect(targets(total: 1 << 30, roundTrip: 0.0001) { min(Double($0), 4) * 10e6 } == [1, 2, 4, 8, 4])
  }

  @Test func `a connection as fast as a disk is left alone`() {
    #expect(targets(total: 8 << 30, roundTrip: 0.0001) { _ in 900e6 } == [1])
  }

  @Test func `far away it goes wide at once, and tries half on a long way`() {
    #expect(targets(total: 64 << 20, roundTrip: 0.04) { Double($0) * 1e6 } == [16])
    // It pays: after the trial all are back.
    let paying = targets(total: 4 << 30, roundTrip: 0.04) { Double($0) * 1e6 }
    #expect(paying.prefix(3) == [16, 8, 16])
    // It does not: half, and later half of that.
    let idle = targets(total: 8 << 30, roundTrip: 0.04) { _ in 20e6 }
    #expect(idle.prefix(3) == [16, 8, 4])
  }

  @Test func `small files and fixed numbers are not measured`() {
    #expect(targets(total: 1 << 20, roundTrip: 0.04) { _ in 1e6 } == [1])
    #expect(targets(total: 64 << 20, roundTrip: 0.04, fixed: 32) { _ in 1e6 } == [32])
  }
}
