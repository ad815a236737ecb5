import Core

/// The rate limit that all transfers share; nothing is counted when there is none.
struct SharedRate {
  private var bucket: RateLimit?
  /// Whether a connection was told to wait.
  private(set) var isWaiting = false
  private(set) var nextMoment: Instant?

  init(bytesPerSecond: Int64?) { bucket = bytesPerSecond.map { RateLimit(bytesPerSecond: Double($0)) } }

  /// Takes the bytes, or says that they must wait.
  mutating func allows(_ byteCount: Int, now: Instant) -> Bool {
    guard bucket != nil else { return true }
    guard let delay = bucket?.take(Int64(byteCount), now: now) else { return true }
    isWaiting = true
    nextMoment = now + delay
    return false
  }

  /// Whether those that wait may try again.
  mutating func refill(now: Instant) -> Bool {
    guard isWaiting, nextMoment.map({ now >= $0 }) ?? true else { return false }
    isWaiting = false
    nextMoment = nil
    return true
  }
}
