/// How fast bytes come over the wire: a moving average that follows changes within seconds and does not flicker.
///
/// It is fed with a growing count. Where that count stood at first is no speed: what lay on the disk never counts.
public struct RateMeter: Hashable, Sendable {
  private struct Sample: Hashable {
    let moment: Instant
    let byteCount: Int64
  }

  /// Long enough to even out TCP's saw and the ticks of a rate limit, short enough to show a stall.
  static let windowSeconds: Double = 8
  static let sampleSeconds: Double = 0.25

  /// Oldest first; about `windowSeconds / sampleSeconds` of them.
  private var samples: [Sample] = []
  private var last: Sample?

  public init() {}

  /// Notes how many bytes have come in all. A count below the last one means that counting started over.
  public mutating func record(byteCount: Int64, now: Instant) {
    if let last, byteCount < last.byteCount || now < last.moment { reset() }
    let sample = Sample(moment: now, byteCount: byteCount)
    last = sample
    if let newest = samples.last, now.seconds(since: newest.moment) < Self.sampleSeconds { return }
    samples.append(sample)
    // The one just outside stays: the window is never shorter than it says once it could be filled.
    let expired = samples.dropFirst().prefix { now.seconds(since: $0.moment) >= Self.windowSeconds }.count
    samples.removeFirst(expired)
  }

  /// Forgets everything, as after a pause: the time that passed is no time of transfer.
  public mutating func reset() {
    samples = []
    last = nil
  }

  /// Nil until a first quarter of a second has passed; 0 when nothing came for the window's length.
  public var bytesPerSecond: Double? {
    guard let first = samples.first, let last else { return nil }
    let seconds = last.moment.seconds(since: first.moment)
    guard seconds >= Self.sampleSeconds else { return nil }
    return Double(last.byteCount - first.byteCount) / seconds
  }

  /// Seconds until that many bytes more have come; nil while nothing comes.
  public func etaSeconds(remaining byteCount: Int64) -> Double? {
    if byteCount <= 0 { return 0 }
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    return Double(byteCount) / bytesPerSecond
  }
}
