import Core
import Crypto
import Curl
import Posix
import State

/// What goes to the view, and the ways in and out of the engine.
extension EngineCore {
  // MARK: Events

  func emit(_ kind: TransferEventKind, _ driver: DownloadDriver, note: String? = nil) {
    // Who only asks whether bytes are the same is no transfer to look at.
    if !(driver.sink is ProbeSink) { tell(kind, driver.snapshot, note: note) }
  }

  func tell(_ kind: TransferEventKind, _ snapshot: TransferSnapshot, note: String? = nil) {
    if snapshots.updateValue(snapshot, forKey: snapshot.id) == nil { order.append(snapshot.id) }
    events.append(TransferEvent(kind, snapshot, note: note))
  }

  func progressed(_ driver: DownloadDriver) {
    guard !(driver.sink is ProbeSink) else { return }
    snapshots[driver.id] = driver.snapshot
    moved.insert(driver.id)
  }

  var isAllDone: Bool {
    drivers.isEmpty && waiting.count == 0 && accepting == 0 && sessions.allSatisfy(\.isDone)
  }

  func nextEvents(_ continuation: CheckedContinuation<[TransferEvent]?, Never>) {
    waiter?.resume(returning: [])
    waiter = continuation
    nextTick = min(nextTick, now)
    deliver()
  }

  /// Hands over what happened: at once at the end, else in batches, since each hand-over costs a change of threads.
  func deliver() {
    guard let waiter else { return }
    let isDue = now.seconds(since: lastDelivery) >= Limits.eventSeconds
    guard isAllDone || (isDue && !(events.isEmpty && moved.isEmpty)) else { return }
    self.waiter = nil
    lastDelivery = now
    var batch: [TransferEvent] = []
    swap(&batch, &events)
    for id in moved {
      if let snapshot = snapshots[id], snapshot.state == .running { batch.append(TransferEvent(.progress, snapshot)) }
    }
    moved = []
    if isAllDone { releaseStopWaiters() }
    waiter.resume(returning: batch.isEmpty && isAllDone ? nil : batch)
  }

  // MARK: Stopping

  func stop(_ continuation: CheckedContinuation<Void, Never>) {
    isStopping = true
    stopWaiters.append(continuation)
    for driver in drivers.values where !driver.isEnded { driver.pause() }
    for session in sessions { session.stop() }
    pauseWaiting()
    settledAll()
  }

  /// What has not begun goes back into the state as paused.
  func pauseWaiting() {
    let left = waiting.removeAll()
    guard !left.isEmpty else { return }
    var records: [TransferRecord] = []
    for next in left {
      var record = next.record
      record.state = .paused
      record.owner = nil
      records.append(record)
      tell(.paused, TransferSnapshot(record: record))
    }
    let all = records
    settling += 1
    store { store, reply in
      try store.update(all, durably: true)
      try store.release(all.map(\.id))
      reply { core in
        core.settling -= 1
        core.settledAll()
      }
    }
  }

  func settledAll() { if drivers.isEmpty, settling == 0 { releaseStopWaiters() } }

  func releaseStopWaiters() {
    guard !stopWaiters.isEmpty, drivers.isEmpty, settling <= 0, accepting == 0 else { return }
    let some = stopWaiters
    stopWaiters = []
    for continuation in some { continuation.resume() }
  }

  // MARK: Ways in

  func beginAccepting() { accepting += 1 }

  func endAccepting(
    _ result: Result<Acceptance.Accepted, TransferFailure>
  ) throws(TransferFailure) -> [AcceptedTransfer] {
    accepting -= 1
    defer { settledAll() }
    let accepted = try result.get()
    if let stateFailure { throw stateFailure }
    connectionLimits = accepted.connectionLimits
    for next in accepted.waiting {
      waiting.append(next, origin: next.origin, priority: next.record.priority)
      tell(.added, TransferSnapshot(record: next.record))
    }
    if isStopping { pauseWaiting() }
    return accepted.transfers
  }

  /// The server has what we have: nothing to fetch.
  func alreadyComplete(_ driver: DownloadDriver) {
    emit(.note, driver, note: "already complete, the server has nothing newer")
    conclude(driver)
  }

  /// The name is taken, and the user wants it left alone.
  func skip(_ driver: DownloadDriver) {
    driver.closeLanes()
    emit(.note, driver, note: "the file exists and is left as it is")
    if let path = driver.record.path {
      do throws(Errno) {
        let status = try Files.status(path)
        driver.record.fileByteCount = status.byteCount
        driver.record.fileModifiedNanoseconds = status.modifiedNanoseconds
        driver.snapshot.bytesDone = status.byteCount
      } catch {
        // It was there a moment ago; what it is now is not ours to say.
      }
    }
    conclude(driver)
  }

  /// Ends a transfer whose file was there before.
  private func conclude(_ driver: DownloadDriver) {
    driver.isEnded = true
    driver.snapshot.state = .completed
    driver.snapshot.finishedAt = wallClock
    driver.snapshot.connections = 0
    if let path = driver.record.path { driver.snapshot.path = path }
    settle(driver, .completed)
  }

  // MARK: Standard output

  static let stopped = TransferFailure(.interrupted, "stopped")

  func stream(
    _ request: DownloadRequest, _ sources: [WebURL], _ continuation: CheckedContinuation<TransferFailure?, Never>
  ) {
    var request = request
    request.connections = 1
    var generator = SecureRandom()
    let record = TransferRecord(
      id: .random(using: &generator), kind: .download, state: .running, url: sources[0].redacted, urlDigest: "",
      folder: "/", createdAt: wallClock)
    let driver = DownloadDriver(
      core: self, request: request, sources: sources, record: record, held: RangeSet(), part: nil, finished: nil)
    driver.sink = OutputSink()
    driver.record.deadlineAt = wallClock + request.limits.deadlineSeconds
    run(driver) { continuation.resume(returning: $0) }
  }

  /// Runs a driver that has no record of its own; its sink takes the bytes.
  private func run(_ driver: DownloadDriver, _ ended: @escaping (TransferFailure?) -> Void) {
    guard !isStopping else { return ended(Self.stopped) }
    streams[driver.id] = ended
    drivers[driver.id] = driver
    activeByOrigin[driver.sources[0].origin, default: 0] += 1
    driver.start()
  }

  /// Asks a fresh URL for the end of what is held, and compares.
  func probe(_ waiting: WaitingTransfer, _ done: @escaping (Result<ResponseHead?, TransferFailure>) -> Void) {
    let driver = waiting.makeDriver(core: self, onlyCompares: true)
    driver.sink = ProbeSink()
    run(driver) { [unowned driver] failure in
      done(failure.map { .failure($0) } ?? .success(driver.answer))
    }
  }

  func finishedStream(_ driver: DownloadDriver) {
    driver.closeLanes()
    driver.isEnded = true
    driver.snapshot.state = .completed
    streamEnded(driver, nil)
  }

  func streamEnded(_ driver: DownloadDriver, _ failure: TransferFailure?) {
    leave(driver)
    emit(failure == nil ? .completed : failure?.code == .interrupted ? .paused : .failed, driver)
    streams.removeValue(forKey: driver.id)?(failure)
    settledAll()
  }
}
