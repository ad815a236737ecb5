/// How many connections one download uses: more while the sum of their rates grows by a tenth or more, fewer when it
/// does not pay.
///
/// Near by, it climbs from one by doubling and judges each step. Far away it goes wide at once: a step judged during slow
/// start says nothing, and slow steps cost 0.8 s of 3.2 s (measured). There it tries later, on long downloads, whether
/// half would do.
public struct ConnectionRamp: Sendable {
  public static let ceiling = 32
  static let automaticCeiling = 16
  /// Below this a second connection costs more than it brings.
  static let smallestFile: Int64 = 16 << 20
  static let growth = 1.10
  /// A single connection this fast is bound by the processor or the disk, not by the line.
  static let fastBytesPerSecond = 200e6
  /// A round trip of this many seconds and more is a line, and not the next room.
  static let farSeconds = 0.005
  /// How long a step may take effect before it is measured, and is then measured.
  static let settlingSeconds = 0.15
  static let measuringSeconds = 0.4
  /// A step up must have this many seconds left to pay off.
  static let payoffSeconds = 1.0
  /// On long downloads half of the connections are tried after so many seconds, when so many more are to go.
  static let steadySeconds = 5.0
  static let trialWorthSeconds = 30.0
  static let trialMeasuringSeconds = 3.0
  static let trialPauseSeconds = 60.0

  private enum Phase: Sendable, Hashable {
    case closed
    /// The number is settled from outside.
    case fixed
    /// Judging whether `target` brings more than the step before it.
    case climbing
    case steady
    /// Fewer are tried: waiting for the surplus to end, then measuring.
    case leaving, trying
  }

  private let fixed: Int?
  private var limit: Int
  public private(set) var target = 1
  private var phase = Phase.closed
  private var since = Instant.zero
  private var sinceByteCount: Int64 = 0
  private var previousRate = 0.0
  private var previousTarget = 1
  private var noTrialBefore = Instant.zero

  /// `fixed` connections, or as many as pay when nil; never more than `hostLimit`.
  public init(fixed: Int?, hostLimit: Int?) {
    self.fixed = fixed
    limit = min(fixed ?? Self.automaticCeiling, Self.ceiling, max(hostLimit ?? Self.ceiling, 1))
  }

  /// Size, validator and range support are known: may there be more than one connection?
  public mutating func open(total: Int64, roundTripSeconds: Double, byteCount: Int64, now: Instant) {
    guard phase == .closed, total >= Self.smallestFile || fixed != nil else { return }
    if let fixed {
      phase = .fixed
      target = min(fixed, limit)
    } else if roundTripSeconds >= Self.farSeconds {
      begin(.steady, now, byteCount)
      noTrialBefore = now + Self.steadySeconds
      target = limit
    } else {
      begin(.climbing, now, byteCount)
    }
  }

  /// The server turned extra connections away; `active` of them work.
  public mutating func refused(active: Int) {
    limit = max(1, min(limit, active))
    target = min(target, limit)
    if phase != .closed { phase = .fixed }
  }

  /// All connections are gone or start anew: measure again from one.
  public mutating func close() {
    phase = .closed
    target = 1
    previousRate = 0
    previousTarget = 1
  }

  /// Looks at what came: `byteCount` in all, over all connections, of which `active` run; `remaining` bytes are to come.
  public mutating func update(now: Instant, byteCount: Int64, active: Int, remaining: Int64) {
    let seconds = now.seconds(since: since)
    let rate = seconds > 0 ? Double(byteCount - sinceByteCount) / seconds : 0
    switch phase {
    case .closed, .fixed: break
    case .climbing: climb(now, byteCount, seconds, rate, remaining)
    case .steady: look(now, byteCount, seconds, rate, remaining)
    case .leaving:
      if active <= target { begin(.trying, now, byteCount) }
    case .trying:
      guard seconds >= Self.trialMeasuringSeconds else { return }
      // What half of them bring nearly as well is not worth the other half.
      if rate * Self.growth < previousRate { target = previousTarget }
      noTrialBefore = now + Self.trialPauseSeconds
      begin(.steady, now, byteCount)
    }
  }

  private mutating func climb(
    _ now: Instant, _ byteCount: Int64, _ seconds: Double, _ rate: Double, _ remaining: Int64
  ) {
    guard seconds >= Self.settlingSeconds + Self.measuringSeconds else {
      // The first moments of a step belong to the handshakes: they are left out.
      if seconds < Self.settlingSeconds { sinceByteCount = byteCount }
      return
    }
    let measured = rate * seconds / Self.measuringSeconds
    if measured < previousRate * Self.growth {
      target = previousTarget
      return begin(.steady, now, byteCount)
    }
    guard target < limit, measured / Double(target) < Self.fastBytesPerSecond,
      Double(remaining) > measured * Self.payoffSeconds
    else { return begin(.steady, now, byteCount) }
    previousTarget = target
    previousRate = measured
    target = min(target * 2, limit)
    begin(.climbing, now, byteCount)
  }

  private mutating func look(
    _ now: Instant, _ byteCount: Int64, _ seconds: Double, _ rate: Double, _ remaining: Int64
  ) {
    guard target > 1, now >= noTrialBefore, seconds >= Self.steadySeconds else { return }
    guard Double(remaining) > rate * Self.trialWorthSeconds else { return begin(.steady, now, byteCount) }
    previousRate = rate
    previousTarget = target
    target = max(target / 2, 1)
    begin(.leaving, now, byteCount)
  }

  private mutating func begin(_ next: Phase, _ now: Instant, _ byteCount: Int64) {
    phase = next
    since = now
    sinceByteCount = byteCount
  }
}
