import Core
import Testing

@testable import HermesTransfer

@Suite struct SharedRateTests {
  /// Connections that always want more share the rate: each gets its part, and together they get all of it.
  @Test(arguments: [1, 2, 3, 8]) func `those who wait get equal shares of the whole rate`(count: Int) {
    let rate: Int64 = 8 << 20
    let piece = 16 << 10
    var shared = SharedRate(bytesPerSecond: rate)
    var allowances = Array(repeating: SharedRate.Allowance(), count: count)
    var isWaiting = Array(repeating: false, count: count)
    var taken = Array(repeating: 0, count: count)
    var now = Instant.zero
    for _ in 0..<2_000 {
      now = now + 0.005
      let waiting = isWaiting.indices.filter { isWaiting[$0] }
      if let share = shared.deal(among: waiting.count, now: now) {
        for index in waiting {
          allowances[index].add(share)
          isWaiting[index] = false
        }
      }
      // In libcurl's order: the first takes all it is given before the next has its turn.
      for index in 0..<count {
        while !isWaiting[index] {
          if shared.allows(piece, of: &allowances[index], now: now) {
            taken[index] += piece
          } else {
            isWaiting[index] = true
          }
        }
      }
    }
    let whole = Double(taken.reduce(0, +)) / 10
    #expect(abs(whole / Double(rate) - 1) < 0.05, "\(whole)")
    for one in taken { #expect(abs(Double(one) * Double(count) / Double(taken.reduce(0, +)) - 1) < 0.1, "\(taken)") }
  }

  @Test func `without a limit nothing waits`() {
    var shared = SharedRate(bytesPerSecond: nil)
    var allowance = SharedRate.Allowance()
    for _ in 0..<1_000 { #expect(shared.allows(1 << 20, of: &allowance, now: .zero)) }
  }
}
