import Core
import Curl
import Posix
import State

/// Everything that lives on the network's thread: the line of waiting transfers, the running ones, the clock's tick.
///
/// `@unchecked Sendable`: only its own thread touches it. Other threads hold it to hand closures to `loop.post`.
final class EngineCore: @unchecked Sendable {
  let configuration: EngineConfiguration
  let loop: CurlLoop
  let storeThread: StoreThread
  let owner: OwnerLock
  let bootID: String
  var limit: SharedRate
  /// Read once a turn of the loop.
  var now = Instant.zero
  var wallClock = 0.0

  var waiting = WaitingLine<WaitingTransfer>()
  var drivers: [TransferID: DownloadDriver] = [:]
  var activeByOrigin: [String: Int] = [:]
  var heldUntil: [String: Instant] = [:]
  var connectionLimits: [String: Int] = [:]
  var turnNeeded: [DownloadDriver] = []
  var retired: [LaneConnection] = []
  var spareTransfers: [CurlTransfer] = []
  var optionsCache: (options: NetworkOptions, trusted: Bool, result: CurlOptions)?

  // What goes to the view.
  var snapshots: [TransferID: TransferSnapshot] = [:]
  var order: [TransferID] = []
  var events: [TransferEvent] = []
  var moved: Set<TransferID> = []
  var waiter: CheckedContinuation<[TransferEvent]?, Never>?
  var lastDelivery = Instant.zero

  // What goes to the store.
  var finishing: [(driver: DownloadDriver, job: FinishJob, due: Instant)] = []
  var isFinisherBusy = false
  var waitingSmallBytes: Int64 = 0
  var attempts: [AttemptRecord] = []
  var settling = 0
  /// Drivers between two tries.
  var waitingCount = 0
  /// Set when the state can no longer be written: everything ends.
  var stateFailure: TransferFailure?
  var isStopping = false
  var stopWaiters: [CheckedContinuation<Void, Never>] = []
  /// The state as it was when it was last looked through for work of other processes.
  var seenDataVersion: Int64?
  /// Sessions with gateways, and the media that go out over them.
  var sessions: [SessionDriver] = []
  /// What files that came by a link to a gateway are asked for with.
  var gatewayTokens: [SessionKey: Secret] = [:]
  var streams: [TransferID: (TransferFailure?) -> Void] = [:]

  var nextTick = Instant.zero
  var nextCheckpoint = Instant.zero
  var accepting = 0

  init(configuration: EngineConfiguration, loop: CurlLoop, storeThread: StoreThread, owner: OwnerLock) {
    self.configuration = configuration
    self.loop = loop
    self.storeThread = storeThread
    self.owner = owner
    bootID = Clocks.bootID()
    limit = SharedRate(bytesPerSecond: configuration.bytesPerSecond)
    now = Instant(nanoseconds: Clocks.monotonic())
    wallClock = Clocks.wallClock()
  }

  // MARK: The turn of the loop

  /// Called once a turn; answers when it wants to be called again at the latest.
  func turn(_ moment: Instant) -> Instant? {
    now = moment
    wallClock = Clocks.wallClock()
    performPending()
    for session in sessions { session.turn(moment) }
    if now >= nextTick { tick() }
    startNext()
    performPending()
    finishBatch()
    deliver()
    let sessionMoment = sessions.compactMap(\.nextMoment).min()
    let isMoving = sessions.contains { $0.uploads.contains(where: \.isMoving) }
    guard isMoving || !drivers.isEmpty || waiting.count > 0 || settling > 0 else {
      // A session that is held looks into the state now and then, for what other processes want to be sent.
      return [sessionMoment, newsMoment, sessions.isEmpty ? nil : nextCheckpoint].compactMap(\.self).min()
    }
    // While a batch is being finished the next one waits for its end, which wakes the loop; its due moment does not.
    let batchDue = isFinisherBusy ? nil : finishing.first?.due
    return [limit.nextMoment, batchDue, sessionMoment].reduce(nextTick) { moment, other in min(moment, other ?? moment)
    }
  }

  /// When somebody who waits is to be told what happened.
  private var newsMoment: Instant? {
    guard waiter != nil, !events.isEmpty || !moved.isEmpty else { return nil }
    return lastDelivery + Limits.eventSeconds
  }

  func performPending() {
    while !turnNeeded.isEmpty || !retired.isEmpty {
      let gone = retired
      retired = []
      for connection in gone { retire(connection) }
      let some = turnNeeded
      turnNeeded = []
      for driver in some { driver.performPending() }
    }
    resumeLimited()
  }

  func tick() {
    nextTick = now + Limits.tickSeconds
    for driver in drivers.values { driver.tick(now) }
    for session in sessions { session.tick(now) }
    if now >= nextCheckpoint {
      nextCheckpoint = now + Limits.checkpointSeconds
      for driver in drivers.values { driver.checkpoint() }
      flushAttempts()
      pollWanted()
      lookForWork()
    }
    heldUntil = heldUntil.filter { $0.value > now }
  }

  /// Lanes that wait for the rate limit go on once it has bytes to give.
  private func resumeLimited() {
    guard let due = limit.nextMoment, now >= due else { return }
    let waiting = drivers.values.flatMap { $0.lanes.compactMap { $0 } }.filter(\.isLimited)
    guard let share = limit.deal(among: waiting.count, now: now) else { return }
    for connection in waiting {
      connection.isLimited = false
      connection.allowance.add(share)
      connection.lastByteAt = now
      loop.resume(connection.transfer)
    }
  }

  func needsTurn(_ driver: DownloadDriver) { turnNeeded.append(driver) }
  func driver(_ id: TransferID) -> DownloadDriver? { drivers[id] }

  // MARK: Starting

  func startNext() {
    guard !isStopping else { return }
    while drivers.count - settling - waitingCount < configuration.maxTransfers,
      waitingSmallBytes < Limits.waitingSmallByteCount,
      let next = waiting.next(where: { isOpen($0) })
    {
      start(next)
    }
  }

  func isOpen(_ origin: String) -> Bool {
    heldUntil[origin] == nil && activeByOrigin[origin, default: 0] < configuration.maxPerHost
  }

  func start(_ next: WaitingTransfer) {
    let driver = next.makeDriver(core: self)
    drivers[driver.id] = driver
    activeByOrigin[next.origin, default: 0] += 1
    driver.start()
  }

  func leave(_ driver: DownloadDriver) {
    guard drivers.removeValue(forKey: driver.id) != nil else { return }
    leaveHost(driver)
  }

  /// Back among those that its host serves: it asks for more.
  func enterHost(_ driver: DownloadDriver) {
    guard !driver.hasHostPlace else { return }
    driver.hasHostPlace = true
    activeByOrigin[driver.sources[0].origin, default: 0] += 1
  }

  /// The host's place is free as soon as nothing more is asked of it.
  func leaveHost(_ driver: DownloadDriver) {
    guard driver.hasHostPlace else { return }
    driver.hasHostPlace = false
    activeByOrigin[driver.sources[0].origin, default: 1] -= 1
  }

  // MARK: Hosts

  func hold(origin: String, until: Instant) { heldUntil[origin] = max(heldUntil[origin] ?? until, until) }
  func connectionLimit(_ origin: String) -> Int? { connectionLimits[origin] }
  func setConnectionLimits(_ limits: [String: Int]) { connectionLimits = limits }

  func remember(limit count: Int, origin: String) {
    connectionLimits[origin] = count
    let until = wallClock + 86_400
    store { store, _ in try store.remember(origin: origin, connections: count, until: until) }
  }

  // MARK: Connections

  func takeTransfer() -> CurlTransfer { spareTransfers.popLast() ?? CurlTransfer() }

  /// Outside libcurl's callbacks: the connection is dropped now.
  func retire(_ connection: LaneConnection) {
    guard connection.hasHandle else { return }
    loop.cancel(connection.transfer)
    giveBack(connection)
  }

  /// From inside a callback: dropped in the next turn.
  func retireLater(_ connection: LaneConnection) {
    retired.append(connection)
  }

  func giveBack(_ connection: LaneConnection) {
    // Once: a handle that stood in the store of spares twice would get two transfers.
    guard connection.leaveHandle() else { return }
    // One that libcurl lets go of only after its callback is let go of by us, too.
    guard !connection.transfer.isRunning else { return }
    if spareTransfers.count < Limits.cachedConnections { spareTransfers.append(connection.transfer) }
  }

  func curlOptions(for driver: DownloadDriver, trusted: Bool, url: WebURL) -> CurlOptions {
    var options: CurlOptions
    if let cache = optionsCache, cache.trusted == trusted, cache.options == driver.request.network {
      options = cache.result
    } else {
      options = CurlOptions(driver.request.network, trusted: trusted)
      optionsCache = (driver.request.network, trusted, options)
    }
    options.connectSeconds = driver.request.limits.connectSeconds
    if options.httpVersion == nil {
      // Segments want a connection each; many files of one host want one connection for all.
      let origin = driver.sources[0].origin
      let many = waiting.count(origin: origin) + activeByOrigin[origin, default: 0] >= Limits.multiplexedCount
      options.httpVersion = url.scheme == .https && many ? .http2 : .http1
    }
    if trusted, let media = driver.request.media, media.needsToken {
      options.bearerToken = gatewayTokens[media.session]?.exposed
    }
    if driver.request.reach.needsPublicAddress(url) { options.keepPublic(url) }
    return options
  }
}
