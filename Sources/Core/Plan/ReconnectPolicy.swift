/// How long a session waits before it connects again: 1, 2, 4, 8, 15, 15 … seconds at most, at least half of that.
public struct ReconnectPolicy: Hashable, Sendable {
  public var firstSeconds: Double = 0.5
  public var maxSeconds: Double = 15
  /// A connection that was ready for so long was a good one: the delays start over.
  public var stableSeconds: Double = 10

  /// Attempts since the last good connection.
  public private(set) var attempts = 0
  private var readyAt: Instant?

  public init() {}

  /// The upper bound before attempt `number`, counted from 1.
  public func ceilingSeconds(before number: Int) -> Double {
    min(firstSeconds * Double(1 << min(max(number, 0), 5)), maxSeconds)
  }

  /// The session stands.
  public mutating func connectionReady(now: Instant) { readyAt = now }

  /// The connection is gone. An upgrade alone, and a session that breaks at once, count for nothing: a server that
  /// flaps is not hammered.
  public mutating func connectionEnded(now: Instant) {
    if let readyAt, now.seconds(since: readyAt) >= stableSeconds { attempts = 0 }
    readyAt = nil
  }

  /// The wait before the next attempt.
  ///
  /// - Parameter atLeast: what the server asked for (Retry-After), capped at an hour.
  public mutating func nextDelay(atLeast: Double? = nil, using generator: inout some RandomNumberGenerator) -> Double {
    attempts += 1
    let ceiling = ceilingSeconds(before: attempts)
    // Jitter only shortens, so that clients cut off together do not come back together.
    let delay = Double.random(in: (ceiling / 2)...ceiling, using: &generator)
    guard let atLeast else { return delay }
    let asked = min(max(atLeast, 0), RetryPolicy.retryAfterCapSeconds)
    return max(asked + Double.random(in: 0...(asked / 20 + 0.1), using: &generator), delay)
  }
}
