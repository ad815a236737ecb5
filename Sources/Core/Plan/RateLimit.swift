/// A bucket of bytes that fills at a steady rate; all who share the rate take from the same one.
///
/// It may be overdrawn by one taking, since libcurl hands over whole pieces (16 KiB) and none can be split; the debt is
/// waited off. From 64 KiB/s on, the bytes of any 10 s are within 5 % of the rate.
public struct RateLimit: Hashable, Sendable {
  /// How much of the past may be made up for: more than a slow turn of the loop, little enough to be no burst.
  static let burstSeconds: Double = 0.25

  public private(set) var bytesPerSecond: Double
  /// Negative while bytes are owed.
  private var balance: Double = 0
  private var filledAt: Instant?

  /// - Parameter bytesPerSecond: at least 1; less is taken as 1.
  public init(bytesPerSecond: Double) { self.bytesPerSecond = max(bytesPerSecond, 1) }

  /// Takes the bytes and answers nil, or takes none and answers how many seconds to wait before asking again.
  public mutating func take(_ byteCount: Int64, now: Instant) -> Double? {
    fill(now)
    guard balance >= 0 else { return -balance / bytesPerSecond }
    balance -= Double(byteCount)
    return nil
  }

  /// Bytes that may be taken at once; 0 while some are owed.
  public mutating func available(now: Instant) -> Double {
    fill(now)
    return max(balance, 0)
  }

  /// Goes on at another rate from now on; what is owed stays owed, in bytes.
  public mutating func change(bytesPerSecond: Double, now: Instant) {
    fill(now)
    self.bytesPerSecond = max(bytesPerSecond, 1)
    balance = min(balance, burstByteCount)
  }

  private var burstByteCount: Double { bytesPerSecond * Self.burstSeconds }

  private mutating func fill(_ now: Instant) {
    let seconds = filledAt.map { max(now.seconds(since: $0), 0) } ?? 0
    filledAt = max(now, filledAt ?? now)
    balance = min(balance + seconds * bytesPerSecond, burstByteCount)
  }
}
