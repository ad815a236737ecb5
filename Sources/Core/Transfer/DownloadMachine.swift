/// Decides everything about one download and performs nothing: requests, ranges, retries, restarts, the end.
///
/// Bytes do not pass through it; counts and offsets do. What must survive a crash is `Saved`; a restart of the process
/// and a reconnect take the same path through `start`.
public struct DownloadMachine: Sendable {
  /// What does not change during one run.
  public struct Settings: Sendable {
    /// Nil lets the measured rate decide.
    public var connections: Int?
    public var hostConnectionLimit: Int?
    public var sourceCount = 1
    /// Sources may be mixed only when a digest of the whole will judge the result.
    public var hasChecksum = false
    public var failsOnChange = false
    public var waitsForDisk = false
    public var maxAttempts: Int? = 5
    public var retryMaxWaitSeconds: Double = 300
    /// Ask for nothing but the end of what is held, compare it, and finish.
    public var onlyCompares = false
    /// The validator of a finished file: ask first whether it is still the one.
    public var finished: Validator?

    public init() {}
  }

  /// What the store keeps between two lives.
  public struct Saved: Sendable, Hashable {
    public var total: Int64?
    public var validator = Validator()
    public var held = RangeSet()
    public var restarts = 0

    public init() {}
  }

  /// One request.
  public struct Ask: Sendable, Hashable {
    /// 0 for the URL itself, then the mirrors.
    public var source: Int
    /// Nil asks for the whole without a Range header.
    public var start: Int64?
    /// Exclusive; nil for an open end.
    public var end: Int64?
    public var ifRange: String?
    /// Asks for the file only if it is no longer this one.
    public var unless: Validator?

    /// The value of the Range header after `bytes=`.
    public var rangeText: String? {
      start.map { start in "\(start)-" + (end.map { String($0 - 1) } ?? "") }
    }
  }

  public enum Action: Sendable, Hashable {
    case open(lane: Int, Ask)
    /// Drop the lane's connection.
    case close(lane: Int)
    /// Length or validator are known now: choose the name, look at the disk, record it.
    case learned
    /// Throw what is held away, durably; then say `restarted`.
    case restart(because: ResponseCheck.RestartCause)
    /// Nothing runs until then.
    case wait(until: Instant, WaitReason, TransferFailure?)
    /// Every byte has been handed over: write, check, sync, name.
    case finish
    /// The finished file is still the one the server has.
    case alreadyComplete
    case fail(TransferFailure)
    case note(String)
    /// The host takes no more than this many connections.
    case rememberLimit(Int)
  }

  /// What to do with a piece of body: skip, then compare with what is held, then keep.
  public struct BodyVerdict: Sendable, Hashable {
    /// The file's offset of the first byte after those skipped.
    public var offset: Int64
    public var skip = 0
    public var compare = 0
    public var keep = 0
    /// The lane needs nothing more from this connection.
    public var stops = false
  }

  public enum HeadVerdict: Sendable, Hashable {
    case take
    /// Take it after `restarted` was said.
    case hold
    case drop
  }

  /// How a lane's request ended.
  public enum LaneEnd: Sendable, Hashable {
    case complete
    case fault(TransferFault)
  }

  enum Phase: Sendable, Hashable { case idle, running, restarting, waiting(until: Instant), finishing, ended }

  struct Lane: Sendable {
    var ask: Ask
    /// The file's offset of the next body byte.
    var bodyPosition: Int64 = 0
    /// Where the body should end; nil when the head does not tell.
    var bodyEnd: Int64?
    var isAnswered = false
    /// More came than the head announced.
    var isOverrun = false
    /// Whether the answer is a range.
    var isRange = false
    /// Bytes that were new.
    var keptByteCount: Int64 = 0
    /// Held bytes up to here are compared, not kept.
    var compareEnd: Int64 = 0
    var rateBase: (moment: Instant, byteCount: Int64) = (.zero, 0)
    var byteCount: Int64 = 0
  }

  static let comparedByteCount: Int64 = 64 << 10
  static let maxRestarts = 3
  static let maxAsksAgain = 2
  /// An extra lane that failed is not opened again before this.
  static let laneRestSeconds = 1.0

  public let settings: Settings
  public internal(set) var total: Int64?
  public internal(set) var validator: Validator
  /// Everything accepted so far, buffered or written.
  public internal(set) var received: RangeSet
  public internal(set) var restarts: Int
  public internal(set) var attempts = 0
  /// Bytes that were held and had to be thrown away.
  public internal(set) var bytesRefetched: Int64 = 0
  public internal(set) var source = 0

  var phase = Phase.idle
  var lanes: [Lane?]
  var planner: RangePlanner
  var ramp: ConnectionRamp
  var retry: RetryPolicy
  /// The first answer since `start` is still to come: it says what there is to share.
  var isOpening = false
  var asksAgain = 0
  /// False once a server would not answer a range: then the whole is asked for.
  var asksRanges = true
  var servesRanges: Bool?
  var isMultiplexed = false
  /// Set when held bytes belong to no strong validator: their end is fetched again and compared.
  var needsComparison = false
  var roundTripSeconds = 0.0
  var laneRest: Instant = .zero
  var sourceFailed: [Bool]
  /// Bytes of bodies that came in this life, wanted or not.
  public internal(set) var byteCountReceived: Int64 = 0
  var checksFinished: Bool
  /// Where a range of a file of unknown length ended: what is behind it is asked for next.
  var rangeEnd: Int64?

  public init(_ settings: Settings, saved: Saved = Saved()) {
    self.settings = settings
    total = saved.total
    validator = saved.validator
    received = saved.held
    restarts = saved.restarts
    // More are made when they are wanted: most files need one.
    lanes = [nil]
    planner = RangePlanner(laneCount: 1)
    ramp = ConnectionRamp(fixed: settings.connections, hostLimit: settings.hostConnectionLimit)
    retry = RetryPolicy(maxAttempts: settings.maxAttempts, maxWaitSeconds: settings.retryMaxWaitSeconds)
    sourceFailed = Array(repeating: false, count: max(settings.sourceCount, 1))
    checksFinished = settings.finished != nil
    needsComparison = !saved.held.isEmpty && !saved.validator.isStrong
  }

  /// Whether the store must forget what was held before any new byte is kept.
  public var isRestarting: Bool { phase == .restarting }
  /// Whether all bytes were handed over, and nothing came between since.
  public var isFinishing: Bool { phase == .finishing }
  /// Whether a lane still waits for what was asked: an `.open` that was overtaken by the end must not be performed.
  public func isOpen(_ lane: Int, _ ask: Ask) -> Bool { lane < lanes.count && lanes[lane]?.ask == ask }
  public var activeLanes: Int { lanes.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }
  public var bytesDone: Int64 { received.byteCount }
  public var isWhole: Bool { total.map { received.contains(ByteRange(0, $0)) } ?? false }
  /// What ties the held bytes to the file, for the store: nothing when they came from several places.
  public var savedValidator: Validator { source == 0 ? validator : Validator() }

  // MARK: Events from outside

  /// Begins, goes on after a wait, or begins again after a restart.
  public mutating func start(now: Instant) -> [Action] {
    phase = .running
    if isWhole, !checksFinished, !settings.onlyCompares { return finish() }
    if settings.onlyCompares, received.isEmpty { return finish() }
    if received.isEmpty {
      // A length without a byte binds us to nothing.
      total = nil
      validator = Validator()
    }
    attempts += 1
    planner.reset(gaps: [])
    isOpening = true
    return [open(0, firstAsk(), now: now)]
  }

  /// The store has forgotten what was held.
  public mutating func restarted(now: Instant) -> [Action] {
    guard phase == .restarting else { return [] }
    // A held answer goes on by itself; without one, ask anew.
    if activeLanes > 0 {
      phase = .running
      return []
    }
    return start(now: now)
  }

  /// The network came back or a wait was cut short.
  public mutating func hurry(now: Instant) -> [Action] {
    guard case .waiting = phase else { return [] }
    return start(now: now)
  }

  public mutating func timerFired(now: Instant) -> [Action] {
    switch phase {
    case .waiting(let until): return now >= until ? start(now: now) : []
    case .running: return adjustLanes(now: now)
    case .idle, .restarting, .finishing, .ended: return []
    }
  }

  /// Room is missing; what is held stays.
  public mutating func diskFull(_ failure: TransferFailure, now: Instant, checkSeconds: Double) -> [Action] {
    guard phase != .ended else { return [] }
    let closing = closeAll()
    guard settings.waitsForDisk else { return closing + fail(failure) }
    let until = now + checkSeconds
    phase = .waiting(until: until)
    return closing + [.wait(until: until, .disk, failure)]
  }

  /// Something outside the protocol makes going on senseless.
  public mutating func abort(_ failure: TransferFailure) -> [Action] { fail(failure) }

  /// Bytes that were taken could not be written: only `held` is there.
  public mutating func keepOnly(_ held: RangeSet) { received = held }

  /// The compared bytes of a lane differ from what is held.
  public mutating func comparisonFailed(_ lane: Int) -> [Action] {
    closeAll() + restart(.comparisonFailed)
  }

  /// The finished file's digest is wrong: another source may have the right bytes, else it is the end.
  public mutating func checksumFailed(_ failure: TransferFailure) -> [Action] {
    sourceFailed[source] = true
    guard settings.sourceCount > 1, let other = sourceFailed.firstIndex(of: false) else { return fail(failure) }
    source = other
    servesRanges = nil
    return [.note("source is given up: \(failure.message)")] + restart(.comparisonFailed)
  }

  // MARK: The first question

  private mutating func firstAsk() -> Ask {
    var ask = Ask(source: source, start: nil, end: nil, ifRange: nil, unless: nil)
    if checksFinished { ask.unless = settings.finished }
    guard asksRanges else {
      return ask
    }
    let start = firstMissing
    ask.start = start
    if start > 0 || !received.isEmpty { ask.ifRange = currentValidator.ifRange }
    if needsComparison { ask.start = max(0, start - Self.comparedByteCount) }
    // Gaps behind this one belong to other lanes; with one gap the request is open-ended.
    if let gap = firstGap, let total, gap.end < total { ask.end = gap.end }
    if settings.onlyCompares { ask.end = start }
    // Several connections are wanted for certain: an open-ended first request would be cut, and all that is on its way
    // would be sent twice. One that is bounded tells length, validator and ranges just as well.
    if let wanted = settings.connections, wanted > 1, received.isEmpty || currentValidator.isStrong {
      ask.end = min(ask.end ?? .max, start + RangePlanner.nearAsk)
    }
    return ask
  }

  var currentValidator: Validator { source == 0 ? validator : Validator() }

  var firstGap: ByteRange? { received.gaps(in: ByteRange(0, total ?? RangePlanner.unbounded)).first }
  var firstMissing: Int64 { firstGap?.start ?? received.end }

  mutating func open(_ lane: Int, _ ask: Ask, now: Instant) -> Action {
    var opened = Lane(ask: ask)
    opened.rateBase = (now, 0)
    lanes[lane] = opened
    return .open(lane: lane, ask)
  }

  // MARK: Endings

  mutating func finish() -> [Action] {
    phase = .finishing
    return [.finish]
  }

  mutating func fail(_ failure: TransferFailure) -> [Action] {
    phase = .ended
    return [.fail(failure)]
  }

  mutating func closeAll() -> [Action] {
    var actions: [Action] = []
    for (number, lane) in lanes.enumerated() where lane != nil {
      lanes[number] = nil
      actions.append(.close(lane: number))
    }
    planner.reset(gaps: [])
    ramp.close()
    return actions
  }

  /// Everything held goes, because it cannot belong to the file there is now.
  mutating func restart(_ cause: ResponseCheck.RestartCause) -> [Action] {
    if settings.failsOnChange, cause != .rangeIgnored, !received.isEmpty {
      return fail(
        TransferFailure(
          .contentChanged, "\(cause.rawValue), \(received.byteCount) bytes of the old one are held",
          hint: "--on-change restart fetches it anew"))
    }
    guard countRestart() else { return fail(restartedTooOften(cause)) }
    let lost = received.byteCount
    bytesRefetched += lost
    received = RangeSet()
    total = nil
    validator = Validator()
    needsComparison = false
    asksAgain = 0
    rangeEnd = nil
    phase = .restarting
    var actions: [Action] = [.restart(because: cause)]
    if lost > 0 { actions.append(.note("\(cause.rawValue): \(Quantity.bytes(lost)) are fetched again")) }
    return actions
  }

  /// False when there were too many.
  mutating func countRestart() -> Bool {
    restarts += 1
    return restarts <= Self.maxRestarts
  }

  func restartedTooOften(_ cause: ResponseCheck.RestartCause) -> TransferFailure {
    TransferFailure(.contentChanged, "\(cause.rawValue), again and again (\(restarts - 1) restarts)")
  }
}
