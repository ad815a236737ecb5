/// How many connections one download uses: more while the sum of their rates grows by a tenth or more, fewer when it
/// does not pay.
public struct ConnectionRamp: Sendable {
  public static let ceiling = 32
  static let automaticCeiling = 16
  /// Below this a second connection costs more than it brings.
  static let smallestFile: Int64 = 16 << 20
  static let growth = 1.10
  /// A single connection this fast is bound by the processor or the disk, not by the line.
  static let fastBytesPerSecond = 200e6
  /// A line this far away is not the next room; going wide at once saves the seconds that slow steps cost
  /// (measured: doubling from one cost 0.8 s of 3.2 s).
  static let farSeconds = 0.002
  static let farStart = 8

  private let fixed: Int?
  private var limit: Int
  public private(set) var target = 1
  private var isOpen = false
  private var periodSeconds = 0.4
  private var nextDecision: Instant?
  private var previousRate = 0.0
  private var previousTarget = 1
  private var isHolding = false

  /// `fixed` connections, or as many as pay when nil; never more than `hostLimit`.
  public init(fixed: Int?, hostLimit: Int?) {
    self.fixed = fixed
    limit = min(fixed ?? Self.automaticCeiling, Self.ceiling, max(hostLimit ?? Self.ceiling, 1))
  }

  /// Size, validator and range support are known: may there be more than one connection?
  public mutating func open(total: Int64, roundTripSeconds: Double, now: Instant) {
    guard !isOpen, total >= Self.smallestFile || fixed != nil else { return }
    isOpen = true
    if let fixed {
      target = min(fixed, limit)
      return
    }
    periodSeconds = max(0.4, 8 * roundTripSeconds)
    if roundTripSeconds >= Self.farSeconds { target = min(Self.farStart, limit) }
    nextDecision = now + periodSeconds
  }

  /// The server turned extra connections away; `active` of them work.
  public mutating func refused(active: Int) {
    limit = max(1, min(limit, active))
    target = min(target, limit)
    isHolding = true
  }

  /// All connections are gone or start anew: measure again from one.
  public mutating func close() {
    isOpen = false
    target = 1
    previousRate = 0
    previousTarget = 1
    isHolding = false
    nextDecision = nil
  }

  /// Looks at the rate of the last period, all connections together.
  public mutating func update(now: Instant, bytesPerSecond rate: Double, remaining: Int64) {
    guard isOpen, fixed == nil, !isHolding, let due = nextDecision, now >= due else { return }
    nextDecision = now + periodSeconds
    let grew = rate >= previousRate * Self.growth
    if !grew, target > previousTarget {
      target = previousTarget
      isHolding = true
      return
    }
    guard grew, target < limit, rate / Double(target) < Self.fastBytesPerSecond else { return }
    // The last second is not worth new connections.
    guard Double(remaining) > rate * 1.0 else { return }
    previousTarget = target
    previousRate = rate
    target = min(target * 2, limit)
  }
}
