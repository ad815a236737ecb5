/// Decides when a session connects, waits, gives up and is connected; performs nothing.
///
/// Every connection has a number. What is said of another than the current one is late, and disturbs nothing.
public struct SessionMachine: Sendable {
  public struct Settings: Sendable, Hashable {
    /// For connecting and the upgrade together.
    public var upgradeSeconds: Double = 15
    /// From the upgrade to `ready`.
    public var readySeconds: Double = 15
    /// For the close handshake.
    public var closeSeconds: Double = 3
    public var policy = ReconnectPolicy()
    /// If not, the session stands with the upgrade: a plain WebSocket that reconnects.
    public var waitsForReady = true
    /// Tells clients apart that are cut off at the same moment.
    public var jitterSeed: UInt64 = 0

    public init() {}
  }

  public enum State: Hashable, Sendable {
    case idle
    case connecting
    case connected
    /// Tries again at `until`, because the last connection ended like that.
    case reconnecting(until: Instant, because: SessionEnd)
    /// Nothing more happens without the user.
    case failed(TransferFailure, because: SessionEnd)
  }

  public enum Action: Hashable, Sendable {
    /// Connect and ask for the upgrade.
    case open(connection: Int)
    /// The upgrade is done: send `hello`.
    case greet(connection: Int)
    /// Send a close frame; the end is said by `closed` or `lost`.
    case close(connection: Int, code: UInt16)
    /// Send a close frame unless one was sent, and what is queued, within `closeSeconds`; read to the end and close.
    /// Nothing more need be said of it, and an `open` that follows drops what is left.
    case release(connection: Int)
    /// Close the connection now; nothing more need be said of it.
    case drop(connection: Int)
    /// The one word about a connection's end.
    case ended(connection: Int, SessionEnd)
    /// Show it.
    case stateChanged(State)
  }

  private enum Phase: Hashable {
    case idle
    case connecting(SessionEnd.Stage, deadline: Instant)
    case greeting(deadline: Instant)
    case connected
    case closing(deadline: Instant, opensAgain: Bool)
    case waiting(until: Instant, because: SessionEnd)
    case failed(TransferFailure, because: SessionEnd)
  }

  public let settings: Settings
  /// The number of the current connection, or of the last one; 0 before the first.
  public private(set) var connection = 0
  /// What the gateway said when the session came to stand.
  public private(set) var ready: ReadyFrame?
  private var phase = Phase.idle
  private var policy: ReconnectPolicy
  private var protocolEnds = 0

  public init(_ settings: Settings = Settings()) {
    self.settings = settings
    policy = settings.policy
  }

  public var state: State {
    switch phase {
    case .idle: .idle
    case .connecting, .greeting: .connecting
    case .connected, .closing: .connected
    case .waiting(let until, let end): .reconnecting(until: until, because: end)
    case .failed(let failure, let end): .failed(failure, because: end)
    }
  }

  /// When `timerFired` is to be called next; nil for never.
  public var deadline: Instant? {
    switch phase {
    case .connecting(_, let deadline), .greeting(let deadline), .closing(let deadline, _): deadline
    case .waiting(let until, _): until
    case .idle, .connected, .failed: nil
    }
  }

  /// Whether frames other than `hello` may go out.
  public var maySend: Bool { phase == .connected }

  /// Attempts since the last good connection.
  public var attempts: Int { policy.attempts }

  // MARK: The user

  /// Connects; however often it is said, there is one connection.
  public mutating func connect(now: Instant) -> [Action] {
    switch phase {
    case .idle, .failed:
      protocolEnds = 0
      return open(now: now)
    case .waiting: return hurry(now: now)
    case .closing(let deadline, _):
      phase = .closing(deadline: deadline, opensAgain: true)
      return []
    case .connecting, .greeting, .connected: return []
    }
  }

  /// Ends the session; within the wait at once, and otherwise after a close handshake of `closeSeconds` at most.
  public mutating func disconnect(now: Instant) -> [Action] {
    switch phase {
    case .idle: return []
    case .failed, .waiting: return become(.idle)
    case .connecting, .greeting: return [.drop(connection: connection)] + end(.asked, becoming: .idle, now: now)
    case .connected:
      phase = .closing(deadline: now + settings.closeSeconds, opensAgain: false)
      return [.close(connection: connection, code: 1000)]
    case .closing(let deadline, _):
      phase = .closing(deadline: deadline, opensAgain: false)
      return []
    }
  }

  // MARK: The network

  /// The network is there again: a wait for it is over. What a server asked to wait is waited.
  public mutating func networkUp(now: Instant) -> [Action] { hurry(now: now) }

  /// The connection is made, the upgrade still to come.
  public mutating func socketConnected(_ connection: Int) -> [Action] {
    guard connection == self.connection, case .connecting(_, let deadline) = phase else { return [] }
    phase = .connecting(.upgrade, deadline: deadline)
    return []
  }

  /// The upgrade was answered with 101.
  public mutating func upgraded(_ connection: Int, now: Instant) -> [Action] {
    guard connection == self.connection, case .connecting = phase else { return [] }
    guard settings.waitsForReady else { return stand(nil, now: now) }
    phase = .greeting(deadline: now + settings.readySeconds)
    return [.greet(connection: connection)]
  }

  /// The upgrade was answered with something else.
  public mutating func upgradeRefused(
    _ connection: Int, status: Int, retryAfter: Double? = nil, location: String? = nil, text: String = "", now: Instant
  ) -> [Action] {
    guard let location, (300..<400).contains(status) else {
      return ended(connection, .refused(status: status, retryAfter: retryAfter, text: text), now: now)
    }
    // The query may hold our token.
    let target = String(location.prefix { $0 != "?" && $0 != "#" })
    return ended(connection, .redirected(status: status, target: target), now: now)
  }

  /// The frame `ready` came.
  public mutating func readyReceived(_ connection: Int, _ frame: ReadyFrame, now: Instant) -> [Action] {
    guard connection == self.connection, case .greeting = phase else { return [] }
    return stand(frame, now: now)
  }

  /// The frame `error` came; only a fatal one ends anything.
  public mutating func errorReceived(_ connection: Int, _ frame: ErrorFrame, now: Instant) -> [Action] {
    frame.isFatal ? ended(connection, .error(frame), now: now) : []
  }

  /// A close frame came, or we send one (`byPeer` false) because of what came. Said before the connection is looked at
  /// any further: the code is worth more than the reset that may follow it.
  public mutating func closed(
    _ connection: Int, code: UInt16?, reason: String, byPeer: Bool = true, now: Instant
  ) -> [Action] {
    ended(connection, .closed(code: code ?? 1005, reason: reason, byPeer: byPeer), now: now)
  }

  /// The connection could not be made, or broke without a close frame.
  public mutating func lost(_ connection: Int, _ fault: TransferFault, now: Instant) -> [Action] {
    ended(connection, .lost(fault), now: now)
  }

  public mutating func timerFired(now: Instant) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    switch phase {
    case .connecting(let stage, _):
      return timedOut(stage, settings.upgradeSeconds, now: now)
    case .greeting: return timedOut(.ready, settings.readySeconds, now: now)
    case .closing: return [.drop(connection: connection)] + closingEnded(now: now)
    case .waiting: return open(now: now)
    case .idle, .connected, .failed: return []
    }
  }

  // MARK: Deciding

  private mutating func hurry(now: Instant) -> [Action] {
    guard case .waiting(_, let end) = phase, end.waitReason == .network else { return [] }
    return open(now: now)
  }

  private mutating func open(now: Instant) -> [Action] {
    connection += 1
    ready = nil
    let opening = become(.connecting(.connect, deadline: now + settings.upgradeSeconds))
    return [.open(connection: connection)] + opening
  }

  private mutating func stand(_ frame: ReadyFrame?, now: Instant) -> [Action] {
    ready = frame
    policy.connectionReady(now: now)
    return become(.connected)
  }

  private mutating func timedOut(_ stage: SessionEnd.Stage, _ seconds: Double, now: Instant) -> [Action] {
    [.drop(connection: connection)] + reconnect(after: .timedOut(stage, seconds: seconds), now: now)
  }

  /// The one way by which the current connection ends from outside.
  private mutating func ended(_ connection: Int, _ end: SessionEnd, now: Instant) -> [Action] {
    guard connection == self.connection else { return [] }
    switch phase {
    case .idle, .waiting, .failed: return []
    case .closing: return [.release(connection: connection)] + closingEnded(now: now)
    case .connecting, .greeting, .connected:
      return [.release(connection: connection)] + reconnect(after: end, now: now)
    }
  }

  private mutating func closingEnded(now: Instant) -> [Action] {
    guard case .closing(_, opensAgain: true) = phase else { return end(.asked, becoming: .idle, now: now) }
    policy.connectionEnded(now: now)
    return [.ended(connection: connection, .asked)] + open(now: now)
  }

  private mutating func reconnect(after end: SessionEnd, now: Instant) -> [Action] {
    protocolEnds = end.isProtocolError ? protocolEnds + 1 : 0
    policy.connectionEnded(now: now)
    switch SessionVerdict.judge(end, protocolEnds: protocolEnds) {
    case .fail(let failure): return self.end(end, becoming: .failed(failure, because: end), now: now)
    case .reconnect(let atLeast):
      var generator = JitterSource(now: now, salt: connection, seed: settings.jitterSeed)
      let until = now + policy.nextDelay(atLeast: atLeast, using: &generator)
      return self.end(end, becoming: .waiting(until: until, because: end), now: now)
    }
  }

  private mutating func end(_ end: SessionEnd, becoming next: Phase, now: Instant) -> [Action] {
    policy.connectionEnded(now: now)
    return [.ended(connection: connection, end)] + become(next)
  }

  private mutating func become(_ next: Phase) -> [Action] {
    let before = state
    phase = next
    if next != .connected { ready = nil }
    return state == before ? [] : [.stateChanged(state)]
  }
}
