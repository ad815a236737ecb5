/// A moment of a monotonic clock. Decisions take it as an argument and never read a clock.
public struct Instant: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  public static let zero = Instant(nanoseconds: 0)

  /// Seconds since `earlier`; negative when it is later.
  public func seconds(since earlier: Instant) -> Double { Double(nanoseconds - earlier.nanoseconds) / 1e9 }

  public static func < (one: Instant, other: Instant) -> Bool { one.nanoseconds < other.nanoseconds }

  public static func + (moment: Instant, seconds: Double) -> Instant {
    // Capped well below Int64's end: a header may ask for any number of seconds.
    Instant(nanoseconds: moment.nanoseconds + Int64(min(max(seconds, 0), 1e9) * 1e9))
  }
}
