public import Core
import Curl
import Posix
public import State

/// Performs what one `DownloadMachine` decides. Lives on the network's thread.
final class DownloadDriver {
  let id: TransferID
  unowned let core: EngineCore
  var request: DownloadRequest
  /// What the store has, or will have once the queued jobs are done.
  var record: TransferRecord
  var machine: DownloadMachine
  var snapshot: TransferSnapshot
  let sources: [WebURL]
  var lanes: [LaneConnection?] = [nil]
  var part: PartFile?
  var journal: WriteJournal?
  /// Only asking whether a finished file is still the server's; over with the first answer that brings bytes.
  var isRecheck = false
  /// The part file that an earlier record names and that holds nothing for us.
  var formerPartName: String?
  /// Bytes in the part file, by pwrite.
  var written: RangeSet
  var checkpointed: RangeSet
  var isCheckpointing = false
  var meter = RateMeter()
  /// Actions decided inside libcurl's callbacks, performed in the next turn of the loop.
  private var pending: [DownloadMachine.Action] = []
  /// Where the last answered request of the first source ended up, after redirects.
  var finalURL: WebURL?
  var suggestedName: String?
  /// The head of the last answer that was taken.
  var answer: ResponseHead?
  var promisedDigest: Checksum?
  var isEnded = false
  /// Between two tries: its place among the running goes to others, its host's stays taken.
  private var isWaiting = false {
    didSet { if isWaiting != oldValue { core.waitingCount += isWaiting ? 1 : -1 } }
  }
  /// Whether it counts among those that its host serves.
  var hasHostPlace = true
  var sink: (any ByteSink)?
  /// A small file's whole content, between its last byte and its finishing.
  var smallBuffer: Buffer?
  var attemptNumber = 0

  var origin: String { sources[machine.source].origin }
  var isActive: Bool { !isEnded }

  init(
    core: EngineCore, request: DownloadRequest, sources: [WebURL], record: TransferRecord, held: RangeSet,
    part: PartFile?, finished: Validator?, onlyCompares: Bool = false
  ) {
    self.core = core
    self.request = request
    self.sources = sources
    self.record = record
    self.part = part
    id = record.id
    written = held
    checkpointed = part == nil ? RangeSet() : record.synced
    var saved = DownloadMachine.Saved()
    saved.held = held
    saved.total = held.isEmpty ? nil : record.bytesTotal
    saved.validator =
      held.isEmpty
      ? Validator()
      : Validator(
        entityTag: record.entityTag, lastModified: record.lastModified,
        isLastModifiedStrong: record.isLastModifiedStrong)
    saved.restarts = 0
    var settings = DownloadMachine.Settings()
    settings.connections = request.connections
    settings.hostConnectionLimit = core.connectionLimit(sources[0].origin)
    settings.sourceCount = sources.count
    settings.hasChecksum = request.checksum != nil
    settings.failsOnChange = request.onChange == .fail
    settings.waitsForDisk = request.waitsForDisk
    settings.maxAttempts = request.limits.maxAttempts
    settings.retryMaxWaitSeconds = request.limits.retryMaxWaitSeconds
    settings.finished = finished
    settings.onlyCompares = onlyCompares
    machine = DownloadMachine(settings, saved: saved)
    snapshot = TransferSnapshot(record: record)
    isRecheck = finished != nil
    if part == nil, !isRecheck { forgetPart() }
    snapshot.bytesDone = held.byteCount
  }

  // MARK: Steering

  func start() {
    snapshot.state = .running
    core.emit(.started, self)
    perform(machine.start(now: core.now))
  }

  /// Called each tick while the transfer runs or waits.
  func tick(_ now: Instant) {
    // Whole already, it is not late any more, and waits for nobody but the disk.
    guard !isEnded, snapshot.state != .verifying else { return }
    if let deadline = record.deadlineAt, core.wallClock >= deadline { return exceedDeadline() }
    watchStalls(now)
    // Nobody is asked for bytes that have no place yet.
    if snapshot.reason != .disk || hasRoom { perform(machine.timerFired(now: now)) }
    meter.record(byteCount: machine.byteCountReceived, now: now)
    refreshSnapshot(now)
  }

  private func exceedDeadline() {
    end(
      TransferFailure(
        .deadlineExceeded, "deadline passed after \(Int(core.wallClock - record.createdAt)) s",
        hint: "the partial is kept: hermes-transfer retry \(id)"))
  }

  private func watchStalls(_ now: Instant) {
    let limit = request.limits.stallSeconds
    for case .some(let connection) in lanes
    where !connection.isHeld && !connection.isLimited && now.seconds(since: connection.lastByteAt) > limit {
      let failure = TransferFailure(.stalled, "no byte for \(Quantity.seconds(limit))")
      detach(connection, flushing: true)
      core.note(stall: failure, of: self, on: connection)
      perform(machine.laneEnded(connection.lane, .fault(.transient(failure)), now: now))
    }
  }

  private func refreshSnapshot(_ now: Instant) {
    snapshot.bytesDone = machine.bytesDone
    snapshot.bytesTotal = machine.total
    snapshot.attempts = machine.attempts
    snapshot.bytesRefetched = record.bytesRefetched + machine.bytesRefetched
    snapshot.connections = machine.activeLanes
    guard snapshot.state == .running else {
      snapshot.bytesPerSecond = nil
      snapshot.etaSeconds = nil
      return
    }
    snapshot.bytesPerSecond = meter.bytesPerSecond
    snapshot.etaSeconds = machine.total.flatMap { meter.etaSeconds(remaining: $0 - machine.bytesDone) }
    core.progressed(self)
  }

  // MARK: Actions

  /// Keeps actions for the next turn: libcurl must not be called from its own callbacks.
  func postpone(_ actions: [DownloadMachine.Action]) {
    guard !actions.isEmpty else { return }
    pending += actions
    core.needsTurn(self)
  }

  func performPending() {
    let actions = pending
    pending = []
    perform(actions)
  }

  func perform(_ actions: [DownloadMachine.Action]) {
    for action in actions where !isEnded { perform(action) }
  }

  private func perform(_ action: DownloadMachine.Action) {
    switch action {
    case .open(let lane, let ask): if machine.isOpen(lane, ask) { open(lane, ask) }
    case .close(let lane): if lane < lanes.count, let connection = lanes[lane] { detach(connection, flushing: true) }
    case .learned: learned()
    case .restart(let cause): restart(cause)
    case .wait(let until, let reason, let failure): wait(until, reason, failure)
    case .finish: finish()
    case .alreadyComplete: core.alreadyComplete(self)
    case .fail(let failure): end(failure)
    case .note(let text): core.emit(.note, self, note: text)
    case .rememberLimit(let count): core.remember(limit: count, origin: origin)
    }
  }

  private func wait(_ until: Instant, _ reason: WaitReason, _ failure: TransferFailure?) {
    let seconds = until.seconds(since: core.now)
    snapshot.state = .waiting
    snapshot.reason = reason
    snapshot.nextTry = core.wallClock + seconds
    snapshot.failure = failure
    snapshot.connections = 0
    isWaiting = true
    if reason == .serverBackoff { core.hold(origin: origin, until: until) }
    core.emit(.waiting, self)
    save()
  }

  func backToRunning() {
    guard snapshot.state == .waiting else { return }
    isWaiting = false
    snapshot.state = .running
    snapshot.reason = nil
    snapshot.nextTry = nil
    snapshot.failure = nil
    core.emit(.started, self)
    save()
  }

  /// Everything thrown away, in an order that no crash can twist: first the journal, then the record, then new bytes.
  private func restart(_ cause: ResponseCheck.RestartCause) {
    if let lock = sink?.lock {
      closeLanes()
      return end(TransferFailure(.contentChanged, "\(cause.rawValue), and \(lock)"))
    }
    do throws(TransferFailure) {
      try removeJournal()
    } catch {
      // A journal that stayed could vouch for bytes of the new partial that never came.
      closeLanes()
      return end(error)
    }
    written = RangeSet()
    checkpointed = RangeSet()
    forgetPart()
    promisedDigest = nil
    record.restarts += 1
    let (id, record, name) = (id, storedRecord, part?.name)
    part = nil
    core.store { store, reply in
      try store.update([record], durably: true)
      do throws(Errno) {
        if let name { try Files.unlink(name, in: Files.openFolder(record.folder), ifThere: true) }
      } catch {
        // Tried again, and told, when the new one is made.
      }
      reply { core in core.driver(id)?.restarted() }
    }
  }

  func restarted() {
    perform(machine.restarted(now: core.now))
    for case .some(let connection) in lanes where connection.isHeld {
      connection.isHeld = false
      connection.lastByteAt = core.now
      if machine.total.map({ $0 > Limits.smallByteCount }) ?? true { ensurePart() }
      core.loop.resume(connection.transfer)
    }
  }

  // MARK: Checkpoints

  /// Lets the store sync what was written and then record it: recorded ≤ synced ≤ written.
  func checkpoint() {
    guard let part, !isCheckpointing, !isEnded, snapshot.state == .running, written != checkpointed else { return }
    isCheckpointing = true
    let (id, written, refetched, attempts) = (id, written, snapshot.bytesRefetched, snapshot.attempts)
    core.store { store, reply in
      do throws(Errno) { try part.sync() } catch {
        let error = error
        return reply { core in core.driver(id)?.syncFailed(error, of: part) }
      }
      try store.checkpoint([Checkpoint(id: id, synced: written, bytesRefetched: refetched, attempts: attempts)])
      reply { core in core.driver(id)?.checkpointDone(written) }
    }
  }

  private func checkpointDone(_ synced: RangeSet) {
    isCheckpointing = false
    guard part != nil, !machine.isRestarting else { return }
    checkpointed = synced
    record.synced = synced
  }

  /// What was written since the last sync that went well may be gone, whatever the next one says: it is not held.
  private func syncFailed(_ error: Errno, of part: PartFile) {
    isCheckpointing = false
    // One that is being finished fails there by itself.
    guard self.part === part, !isEnded, snapshot.state != .verifying, let name = part.name else { return }
    written = checkpointed
    machine.keepOnly(written)
    do throws(TransferFailure) { try removeJournal() } catch { return abort(error) }
    do throws(Errno) { self.part = try PartFile.open(folder: part.folder, name: name) ?? part } catch {
      // The old one stays, and with it nothing more is recorded.
    }
    diskFailed(error, doing: "cannot sync \(part.place)")
  }

  // MARK: Ends

  /// The batch has given the file its name, or not.
  func finished(_ outcome: FinishOutcome) {
    isEnded = true
    // Done, and recorded as such: a journal that stays is not looked at again.
    if part != nil || formerPartName != nil {
      do throws(TransferFailure) { try removeJournal() } catch { core.emit(.note, self, note: error.message) }
    }
    record = outcome.record
    snapshot.state = outcome.record.state
    snapshot.failure = outcome.failure
    snapshot.path = outcome.record.path
    snapshot.name = outcome.record.path.map { Paths.lastName($0) } ?? snapshot.name
    snapshot.sha256 = outcome.record.sha256
    snapshot.finishedAt = outcome.record.finishedAt
    snapshot.bytesDone = machine.total ?? snapshot.bytesDone
    snapshot.bytesTotal = machine.total
    snapshot.connections = 0
    snapshot.bytesPerSecond = nil
    snapshot.etaSeconds = nil
  }

  /// The bytes are not what was promised; another source may have the right ones.
  func checksumFailed(_ failure: TransferFailure) {
    snapshot.state = .running
    perform(machine.checksumFailed(failure))
  }

  /// Ends in failure; what is held stays for another try.
  func end(_ failure: TransferFailure) {
    guard !isEnded else { return }
    flushAll()
    closeLanes()
    isEnded = true
    snapshot.state = .failed
    snapshot.failure = failure
    settle(.failed)
  }

  /// Ends because the user or the process stops.
  func pause() {
    // Whole already: it gets its name, or fails, by itself.
    guard !isEnded, snapshot.state != .verifying else { return }
    flushAll()
    closeLanes()
    isEnded = true
    snapshot.state = .paused
    settle(.paused)
  }

  /// Ends for good and leaves nothing behind.
  func cancel() {
    guard !isEnded, snapshot.state != .verifying else { return }
    closeLanes()
    isEnded = true
    snapshot.state = .cancelled
    snapshot.bytesDone = 0
    written = RangeSet()
    // The store's thread removes it with the other leftovers.
    journal = nil
    part = nil
    settle(.cancelled)
  }

  private func settle(_ event: TransferEventKind) {
    snapshot.reason = nil
    snapshot.nextTry = nil
    isWaiting = false
    snapshot.connections = 0
    snapshot.bytesPerSecond = nil
    snapshot.etaSeconds = nil
    if snapshot.state.isFinal { snapshot.finishedAt = core.wallClock }
    core.settle(self, event)
  }

  func closeLanes() {
    for case .some(let connection) in lanes { detach(connection, flushing: false) }
  }

  /// The record with all that is known now; `synced` only moves by checkpoints.
  func currentRecord() -> TransferRecord {
    // Only asked about: the finished file stays what the state says of it, however the asking ends.
    guard !isRecheck else { return record }
    record.state = snapshot.state
    record.reason = snapshot.reason
    record.nextTry = snapshot.nextTry
    record.failure = snapshot.failure
    record.attempts = snapshot.attempts
    record.finishedAt = snapshot.finishedAt
    record.path = snapshot.path
    return storedRecord
  }

  /// The record as the store is to have it: an earlier life's useless partial is named until there is another, or nobody
  /// would ever remove it. It comes without synced bytes.
  private var storedRecord: TransferRecord {
    var stored = record
    stored.partName = record.partName ?? formerPartName
    return stored
  }

  /// Queues the record for the store.
  func save() {
    guard sink == nil else { return }
    let record = currentRecord()
    core.store { store, _ in try store.update([record], durably: false) }
  }
}

extension TransferSnapshot {
  /// What the state tells of a transfer that does not run here.
  public init(record: TransferRecord) {
    self.init(
      id: record.id, kind: record.kind, state: record.state, url: record.url,
      name: record.path.map { Paths.lastName($0) } ?? record.requestedName ?? Self.lastPart(of: record.url),
      createdAt: record.createdAt)
    reason = record.reason
    nextTry = record.nextTry
    path = record.path
    let whole = record.kind == .download ? record.fileByteCount ?? 0 : record.bytesTotal ?? 0
    bytesDone = record.state.isSuccess ? whole : record.synced.byteCount
    bytesTotal = record.bytesTotal
    attempts = record.attempts
    bytesRefetched = record.bytesRefetched
    failure = record.failure
    sha256 = record.sha256
    finishedAt = record.finishedAt
    priority = record.priority
  }

  private static func lastPart(of url: String) -> String {
    url.split(separator: "/").last.map(String.init) ?? url
  }
}
