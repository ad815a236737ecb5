import Core

/// A whole life of one upload over a session under one seed: both machines, a store with a queue and a page cache, a
/// line that loses what is on it, a gateway, a clock; cuts, silences, refusals, kills and power cuts between any two
/// events. No port, no sleep.
public struct SimulatedSession {
  /// Why the invariants do not hold; nil when they do.
  public private(set) var fault: String?
  /// How it ended: the outcome's word, or `session` when that ended for good.
  public private(set) var ending = ""
  public private(set) var lives = 1
  public private(set) var events = 0
  /// What happened, one line an event, when asked to be told.
  public private(set) var story: [String] = []
  private let isTold: Bool

  private struct Socket {
    let connection: Int
    var isUpgraded = false
    /// Nothing moves any more, and nobody says so.
    var isBlackHole = false
    var toGateway: [SimulatedGateway.Message] = []
    var toClient: [SimulatedGateway.Reply] = []
    var keepAlive = KeepAlive(now: .zero)
    var ledger = PingLedger()
    /// The media message being written, and how many steps it still takes.
    var writing: (message: SimulatedGateway.Message, steps: Int)?
  }

  private struct Job { var saved: MediaUploadMachine.Saved, number: UInt64? }

  private let deathRarity: Int
  private let cutRarity: Int
  private var random: SeededRandom
  private var gateway: SimulatedGateway
  private var session: SessionMachine
  private var upload: MediaUploadMachine
  private var settings: MediaUploadMachine.Settings
  private var socket: Socket?
  private var now = Instant.zero
  private var jobs: [Job] = []
  private var cached: MediaUploadMachine.Saved
  private var synced: MediaUploadMachine.Saved
  private var sourceVersion = 0
  private var opened: Set<Int> = []
  private var ended: Set<Int> = []
  private var lastEnd = Instant.zero

  public init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = SeededRandom(seed: seed)
    deathRarity = random.pick([20, 100, 1_000])
    cutRarity = random.pick([10, 30, 200, 2_000])
    gateway = SimulatedGateway(&random)
    let part = random.pick([48 << 10, 200_000, 1 << 20, 3 << 20])
    let byteCount = random.oneIn(6) ? 0 : Int64.random(in: 1...Int64(part * random.pick([1, 2, 9])), using: &random)
    settings = MediaUploadMachine.Settings(
      id: "u", kind: .document, mime: "text/plain", byteCount: byteCount, fileName: "a", caption: "c")
    settings.isAtMostOnce = random.oneIn(3)
    cached = MediaUploadMachine.Saved(partByteCount: part / 3 * 3)
    synced = cached
    session = SessionMachine()
    upload = MediaUploadMachine(settings, saved: cached)
  }

  /// Lives until the end, or until the events are used up: a line that breaks for ever is tried for ever.
  public mutating func run(maxEvents: Int = 4_000) {
    perform(session.connect(now: now))
    while ending.isEmpty, fault == nil, events < maxEvents {
      events += 1
      step()
      check()
    }
    if ending.isEmpty, fault == nil { ending = "unfinished" }
  }

  // MARK: Events

  private mutating func step() {
    now = now + Double.random(in: 0.001...0.05, using: &random)
    if random.oneIn(deathRarity) { return die(losingPageCache: random.oneIn(2)) }
    if random.oneIn(4_000) { sourceVersion += 1 }
    if socket != nil, random.oneIn(cutRarity) { return trouble() }
    var choices: [(inout SimulatedSession) -> Void] = []
    if !jobs.isEmpty { choices.append { $0.work() } }
    if let socket, !socket.isBlackHole {
      if !socket.isUpgraded {
        choices.append { $0.upgrade() }
      } else {
        if socket.writing != nil { choices.append { $0.write() } }
        if !socket.toGateway.isEmpty { choices.append { $0.deliverToGateway() } }
        if !socket.toClient.isEmpty { choices.append { $0.deliverToClient() } }
      }
    }
    guard let choice = choices.randomElement(using: &random) else { return passTime() }
    choice(&self)
  }

  private mutating func trouble() {
    guard let connection = socket?.connection else { return }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      tell("black hole")
      socket?.isBlackHole = true
    case 1:
      let code = random.pick([1000, 1001, 1002, 1011, 1012] as [UInt16])
      tell("gateway closes with \(code)")
      perform(session.closed(connection, code: code, reason: "", now: now))
    case 2: perform(session.networkUp(now: now))
    case 3 where random.oneIn(20):
      perform(session.closed(connection, code: 1008, reason: "", now: now))
    default:
      tell("cut")
      perform(session.lost(connection, .transient(TransferFailure(.connectionFailed, "cut")), now: now))
    }
  }

  private mutating func upgrade() {
    guard let connection = socket?.connection else { return }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: perform(session.upgradeRefused(connection, status: random.pick([429, 500, 503]), retryAfter: 20, now: now))
    case 1: perform(session.lost(connection, .transient(TransferFailure(.connectionFailed, "refused")), now: now))
    default:
      socket?.isUpgraded = true
      socket?.keepAlive = KeepAlive(now: now)
      perform(session.upgraded(connection, now: now))
    }
  }

  private mutating func write() {
    guard var writing = socket?.writing else { return }
    socket?.keepAlive.bytesSent(now: now)
    writing.steps -= 1
    socket?.writing = writing
    guard writing.steps == 0 else { return }
    socket?.writing = nil
    socket?.toGateway.append(writing.message)
    tell("written")
    perform(upload.partWritten(now: now))
  }

  private mutating func deliverToGateway() {
    guard var current = socket, !current.toGateway.isEmpty else { return }
    let message = current.toGateway.removeFirst()
    gateway.receive(message, &current.toClient)
    socket = current
  }

  private mutating func deliverToClient() {
    guard var current = socket, !current.toClient.isEmpty else { return }
    let reply = current.toClient.removeFirst()
    current.keepAlive.bytesReceived(now: now)
    socket = current
    tell("gateway: \(reply)")
    switch reply {
    case .ready(let frame): perform(session.readyReceived(current.connection, frame, now: now))
    case .pong(let payload):
      if let barrier = socket?.ledger.pongReceived(payload) { perform(upload.barrierPassed(barrier, now: now)) }
    case .status(let frame): perform(upload.statusReceived(frame, now: now))
    case .done(let frame): perform(upload.doneReceived(frame))
    case .close(let code, let reason):
      perform(session.closed(current.connection, code: code, reason: reason, now: now))
    case .reset:
      perform(
        session.lost(current.connection, .transient(TransferFailure(.connectionFailed, "reset")), now: now))
    }
  }

  /// The store takes the next record: cached at once, synced when it is waited for, or by chance.
  private mutating func work() {
    let job = jobs.removeFirst()
    cached = job.saved
    if job.number != nil || random.oneIn(4) { synced = cached }
    if let number = job.number { perform(upload.recorded(number, now: now)) }
  }

  /// Nothing can happen before the next deadline.
  private mutating func passTime() {
    let deadlines = [session.deadline, upload.deadline, socket.flatMap { $0.isUpgraded ? $0.keepAlive.deadline : nil }]
    guard let next = deadlines.compactMap({ $0 }).min() else {
      if ending.isEmpty { fault = "nothing runs and nothing waits" }
      return
    }
    now = max(now, next)
    perform(session.timerFired(now: now))
    perform(upload.timerFired(now: now))
    guard let current = socket, current.isUpgraded else { return }
    switch socket?.keepAlive.timerFired(now: now) {
    case .ping:
      if let payload = socket?.ledger.ping() { socket?.toGateway.append(.ping(payload)) }
      socket?.keepAlive.pingSent(now: now)
    case .dead: perform(session.lost(current.connection, .transient(TransferFailure(.stalled, "silence")), now: now))
    case .alive, nil: break
    }
  }

  /// The process is gone; with the power, what was not synced is gone too.
  private mutating func die(losingPageCache: Bool) {
    lives += 1
    tell(losingPageCache ? "power cut" : "kill -9")
    dropSocket()
    jobs = []
    if losingPageCache { cached = synced }
    synced = cached
    (opened, ended) = ([], [])
    session = SessionMachine()
    upload = MediaUploadMachine(settings, saved: cached)
    perform(session.connect(now: now))
  }

  /// What is on the line may still arrive, up to anywhere; what is on its way to us never does.
  private mutating func dropSocket() {
    guard var current = socket else { return }
    socket = nil
    while !current.isBlackHole, !current.toGateway.isEmpty, !random.oneIn(3) {
      gateway.receive(current.toGateway.removeFirst(), &current.toClient)
    }
    gateway.connectionLost(&random)
  }

  // MARK: Actions

  private mutating func perform(_ actions: [SessionMachine.Action]) {
    for action in actions where ending.isEmpty {
      tell("  \(action)")
      switch action {
      case .open(let connection):
        if socket != nil { fault = "a second connection" }
        opened.insert(connection)
        socket = Socket(connection: connection)
      case .greet: socket?.toGateway.append(.hello)
      case .close: break
      case .release, .drop: dropSocket()
      case .ended(let connection, let end):
        if !opened.contains(connection) || !ended.insert(connection).inserted { fault = "\(connection) ended twice" }
        perform(upload.connectionLost(end, now: now))
      case .stateChanged(.connected): perform(upload.sessionReady(session.ready?.media, now: now))
      case .stateChanged(.failed): if ending.isEmpty { ending = "session" }
      case .stateChanged: break
      }
    }
  }

  private mutating func perform(_ actions: [MediaUploadMachine.Action]) {
    for action in actions where ending.isEmpty {
      tell("  \(action)")
      switch action {
      case .askStatus: socket?.toGateway.append(.status(id: settings.id))
      case .send(let frame, let range): send(frame, range)
      case .barrier(let number):
        if let payload = socket?.ledger.ping(barrier: number) { socket?.toGateway.append(.ping(payload)) }
      case .checkSource:
        perform(sourceVersion == 0 ? upload.sourceChecked(now: now) : upload.sourceFailed(Self.sourceChanged))
      case .digestSource:
        let digest = SimulatedGateway.digest(0, settings.byteCount)
        perform(sourceVersion == 0 ? upload.sourceDigested(digest) : upload.sourceFailed(Self.sourceChanged))
      case .record: jobs.append(Job(saved: upload.saved, number: nil))
      case .recordDurably(let number): jobs.append(Job(saved: upload.saved, number: number))
      case .rememberPartSize(let size): settings.rememberedPartByteCount = size
      case .reachedSent, .note: break
      case .end(let outcome): end(outcome)
      }
    }
  }

  private static let sourceChanged = TransferFailure(.sourceChanged, "the file changed while it was sent")

  private mutating func send(_ frame: MediaFrame, _ range: ByteRange) {
    guard sourceVersion == 0 else { return perform(upload.sourceFailed(Self.sourceChanged)) }
    if socket == nil || socket?.writing != nil || !session.maySend { fault = "sends where nothing can be sent" }
    let unread = (socket?.toGateway ?? []).count { if case .media = $0 { true } else { false } }
    if unread >= 2 { fault = "a third part is sent before the first was read" }
    socket?.writing = (.media(frame, range, version: sourceVersion), Int.random(in: 1...3, using: &random))
  }

  // MARK: Truth

  private mutating func end(_ outcome: MediaUploadMachine.Outcome) {
    let whole = SimulatedGateway.digest(0, settings.byteCount)
    switch outcome {
    case .sent:
      ending = "sent"
      if !gateway.files.contains(whole) { fault = "sent, and the gateway has not read it" }
    case .delivered:
      ending = "delivered"
      if !gateway.files.contains(whole) { fault = "delivered, and the gateway has no such file" }
    case .uncertain: ending = "uncertain"
    case .failed(let failure): ending = failure.code.rawValue
    case .cancelled: ending = "cancelled"
    }
  }

  private mutating func check() {
    if let bad = gateway.fault { fault = bad }
    let whole = SimulatedGateway.digest(0, settings.byteCount)
    if gateway.files.contains(where: { $0 != whole }) { fault = "the gateway has \(gateway.files)" }
    // On the floor: once, again with the same ID, and once for each of two sizes that seemed to be refused.
    let limit = gateway.resumes || settings.isAtMostOnce ? 1 : 4
    if gateway.files.count > limit { fault = "\(gateway.files.count) files, \(limit) may be" }
    let parts = Int(upload.parts)
    for saved in [upload.saved, cached, synced] where saved.partByteCount == upload.saved.partByteCount {
      for range in saved.acknowledged.ranges {
        let known =
          ending == "delivered"
          || (range.start..<range.end).allSatisfy { gateway.read[parts]?.contains(Int($0)) ?? false }
        if !known { fault = "acknowledged what was never read: \(range)" }
      }
    }
  }

  private mutating func tell(_ line: @autoclosure () -> String) { if isTold { story.append(line()) } }
}
