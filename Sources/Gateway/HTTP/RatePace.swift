/// Spreads the bytes of one connection over time: a bucket that holds a twentieth of a second's worth.
struct RatePace: Sendable {
  /// At least 1.
  let bytesPerSecond: Int64
  /// The moment up to which everything sent is paid for, in monotonic nanoseconds.
  private var paidUntil: Int64 = .min

  init(bytesPerSecond: Int64) {
    self.bytesPerSecond = max(1, bytesPerSecond)
  }

  /// What may be sent now, or when to ask again.
  enum Allowance: Equatable {
    case byteCount(Int64)
    case wait(untilNanoseconds: Int64)
  }

  /// Takes at most `byteCount` bytes (at least 1) out of the bucket.
  mutating func take(upTo byteCount: Int64, now: Int64) -> Allowance {
    let count = min(byteCount, max(1, Int64(Double(windowNanoseconds) * Double(bytesPerSecond) / 1e9)))
    // Time in which the connection had nothing to send is not saved up.
    let due = max(paidUntil, now - windowNanoseconds) + nanoseconds(for: count)
    guard due <= now else { return .wait(untilNanoseconds: due) }
    paidUntil = due
    return .byteCount(count)
  }

  /// At a few bytes a second the bucket must still hold one.
  private var windowNanoseconds: Int64 { max(50_000_000, nanoseconds(for: 1)) }

  private func nanoseconds(for byteCount: Int64) -> Int64 {
    Int64((Double(byteCount) * 1e9 / Double(bytesPerSecond)).rounded(.up))
  }
}
