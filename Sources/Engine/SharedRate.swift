import Core

/// The rate limit that all connections share; nothing is counted when there is none.
///
/// What the bucket holds is dealt out in equal shares among the connections that wait for it: else the first in libcurl's
/// order would take it all.
struct SharedRate {
  /// What one connection may take before it waits for its next share. It may be overdrawn by a piece, since none can be
  /// split; the debt is taken off the next share, and what was not used is not lost (deficit round robin).
  struct Allowance {
    fileprivate var byteCount = 16 << 10

    mutating func add(_ share: Int) { byteCount = min(byteCount + share, max(2 * share, 16 << 10)) }
  }

  /// Shares are dealt so often, in seconds.
  static let dealSeconds = 0.02

  private var bucket: RateLimit?
  private(set) var nextMoment: Instant?

  init(bytesPerSecond: Int64?) { bucket = bytesPerSecond.map { RateLimit(bytesPerSecond: Double($0)) } }

  /// Takes the bytes, or says that they must wait.
  mutating func allows(_ byteCount: Int, of allowance: inout Allowance, now: Instant) -> Bool {
    guard bucket != nil else { return true }
    guard allowance.byteCount > 0 else { return wait(until: now + Self.dealSeconds) }
    if let delay = bucket?.take(Int64(byteCount), now: now) { return wait(until: now + delay) }
    allowance.byteCount -= byteCount
    return true
  }

  /// The share of each of `count` connections that wait; nil while it is too early.
  mutating func deal(among count: Int, now: Instant) -> Int? {
    guard let due = nextMoment, now >= due else { return nil }
    nextMoment = nil
    return Int(bucket?.available(now: now) ?? 0) / max(count, 1)
  }

  private mutating func wait(until moment: Instant) -> Bool {
    nextMoment = min(nextMoment ?? moment, moment)
    return false
  }
}
