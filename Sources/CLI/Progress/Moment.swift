import Core

/// Now, by both clocks that a view needs.
struct Moment: Hashable, Sendable {
  /// For pacing.
  var instant: Instant
  /// Seconds since 1970, for what is told in wall time.
  var wall: Double
}
