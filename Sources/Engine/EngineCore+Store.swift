import Core
import Curl
import Posix
import State

/// What goes to the store's thread and comes back: records, attempts, requests of other processes, finished files.
extension EngineCore {
  // MARK: The store

  typealias Reply = @Sendable (@escaping @Sendable (EngineCore) -> Void) -> Void

  /// Runs a job on the store's thread; what it replies runs back here.
  func store(_ job: @escaping @Sendable (Store, Reply) throws -> Void) {
    storeThread.post { [self] store in
      let reply: Reply = { work in self.loop.post { work(self) } }
      do {
        try job(store, reply)
      } catch {
        let failure = TransferFailure(storing: error)
        reply { core in core.stateFailed(failure) }
      }
    }
  }

  /// Without a state nothing may go on: what is not recorded would be lost silently.
  func stateFailed(_ failure: TransferFailure) {
    settling = 0
    guard stateFailure == nil else { return releaseStopWaiters() }
    stateFailure = failure
    isStopping = true
    for driver in drivers.values {
      driver.closeLanes()
      driver.isEnded = true
      driver.snapshot.state = .failed
      driver.snapshot.failure = failure
      emit(.failed, driver)
    }
    drivers = [:]
    for next in waiting.removeAll() {
      var snapshot = TransferSnapshot(record: next.record)
      snapshot.state = .failed
      snapshot.failure = failure
      tell(.failed, snapshot)
    }
    for session in sessions { session.stateFailed(failure) }
    waitingCount = 0
    finishing = []
    for ended in streams.values { ended(failure) }
    streams = [:]
    isFinisherBusy = false
    deliver()
    releaseStopWaiters()
  }

  func pollWanted() {
    let owner = owner.token
    store { store, reply in
      for (id, wanted) in try store.takeWanted(owner: owner) {
        reply { core in core.obey(wanted, id) }
      }
    }
  }

  func obey(_ wanted: Wanted, _ id: TransferID) {
    switch wanted {
    case .cancel, .remove: cancel(id)
    case .pause: drivers[id]?.pause()
    }
  }

  func cancel(_ id: TransferID) {
    if let driver = drivers[id] { return driver.cancel() }
    if sessions.contains(where: { $0.cancel(id) }) { return }
    for next in waiting.remove(where: { $0.record.id == id }) {
      let driver = next.makeDriver(core: self)
      drivers[id] = driver
      activeByOrigin[next.origin, default: 0] += 1
      driver.cancel()
    }
  }

  /// What other processes accepted for a session that this one holds.
  func lookForWork() {
    guard !sessions.isEmpty else { return }
    store { store, reply in
      let version = try store.dataVersion()
      reply { core in
        guard core.seenDataVersion != version else { return }
        core.seenDataVersion = version
        for session in core.sessions { session.lookIntoState() }
      }
    }
  }

  // MARK: Attempts

  func note(attempt result: CurlResult, of driver: DownloadDriver, head: ResponseHead?) {
    guard driver.sink == nil else { return }
    driver.attemptNumber += 1
    let times = result.times
    let error = result.wasStopped ? nil : result.error?.transferFault(host: driver.sources[0].host).failure.message
    attempts.append(
      AttemptRecord(
        transfer: driver.id, number: driver.record.attempts + driver.attemptNumber,
        startedAt: wallClock - times.total, dns: times.dns, connect: times.connect, tls: times.tls,
        firstByte: times.firstByte, total: times.total, byteCount: result.byteCount,
        bytesPerSecond: times.total > 0 ? Double(result.byteCount) / times.total : 0,
        httpStatus: head?.status ?? result.httpStatus, isReused: result.isReused,
        error: error))
  }

  /// A connection that was given up says nothing of its times any more.
  func note(stall failure: TransferFailure, of driver: DownloadDriver, on connection: LaneConnection) {
    guard driver.sink == nil else { return }
    driver.attemptNumber += 1
    let total = now.seconds(since: connection.startedAt)
    attempts.append(
      AttemptRecord(
        transfer: driver.id, number: driver.record.attempts + driver.attemptNumber, startedAt: wallClock - total,
        dns: 0, connect: 0, tls: 0, firstByte: 0, total: total, byteCount: connection.byteCount,
        bytesPerSecond: total > 0 ? Double(connection.byteCount) / total : 0, httpStatus: connection.head?.status,
        isReused: false, error: failure.message))
  }

  func flushAttempts() {
    guard !attempts.isEmpty else { return }
    let some = attempts
    attempts = []
    store { store, _ in try store.add(some) }
  }

  // MARK: Endings

  /// A driver has ended without a finished file; its last word goes to the store, then to the view.
  func settle(_ driver: DownloadDriver, _ event: TransferEventKind) {
    if driver.sink != nil { return streamEnded(driver, driver.snapshot.failure ?? Self.stopped) }
    settling += 1
    flushAttempts()
    let (id, part, written, folder) = (driver.id, driver.part, driver.written, configuration.stateFolder)
    let former = driver.formerPartName
    var record = driver.currentRecord()
    record.owner = nil
    let isCancelled = driver.snapshot.state == .cancelled
    let final = record
    store { store, reply in
      var record = final
      var note: String?
      if isCancelled {
        record.synced = RangeSet()
        do throws(TransferFailure) {
          try Leftovers.remove(of: record, stateFolder: folder, keepsSecrets: true, formerPartName: former)
          record.partName = nil
        } catch {
          // The record goes on naming it, for `remove` to try again.
          note = error.message
        }
      } else if let part {
        do throws(Errno) {
          try part.sync()
          record.synced = written
        } catch {
          // The record stays at what was synced before, and nobody may vouch for more.
          try WriteJournal.remove(folder: folder, id: id)
        }
      }
      try store.update([record], durably: true)
      try store.release([id])
      let said = note
      reply { core in core.settled(id, event, said) }
    }
  }

  private func settled(_ id: TransferID, _ event: TransferEventKind, _ note: String?) {
    guard stateFailure == nil else { return }
    settling -= 1
    guard let driver = drivers[id] else { return }
    let goesOn = sessions.contains { $0.downloadEnded(id, hasFailed: event == .failed) }
    leave(driver)
    if let note { emit(.note, driver, note: note) }
    if goesOn { driver.snapshot.state = .waiting }
    emit(goesOn ? .waiting : event, driver)
    settledAll()
  }

  /// All bytes are here: on to the batch that gives files their names.
  func finish(_ driver: DownloadDriver) {
    var record = driver.currentRecord()
    record.bytesTotal = driver.machine.total
    record.attempts = driver.snapshot.attempts
    let byteCount = driver.machine.total ?? driver.written.byteCount
    let buffer = driver.smallBuffer
    let content: FinishJob.Content = driver.part.map { .part($0) } ?? .memory(buffer)
    driver.smallBuffer = nil
    var checksums = driver.request.checksum.map { [$0] } ?? []
    if let promised = driver.promisedDigest { checksums.append(promised) }
    var job = FinishJob(
      record: record, content: content, formerPartName: driver.part == nil ? driver.formerPartName : nil,
      byteCount: byteCount, ifExists: driver.request.ifExists, checksums: checksums)
    job.isPrivate = driver.request.media != nil
    settling += 1
    leaveHost(driver)
    waitingSmallBytes += job.memoryByteCount
    if case .part(let part) = content, !checksums.isEmpty {
      emit(.progress, driver)
      return verify(part, job, driver.id)
    }
    finishing.append((driver, job, now + Limits.batchSeconds))
  }

  func verify(_ part: PartFile, _ job: FinishJob, _ id: TransferID) {
    let verification = Verification(part: part, job: job)
    verifySlice(verification, id)
  }

  func verifySlice(_ verification: Verification, _ id: TransferID) {
    store { _, reply in
      let isDone = verification.advance()
      reply { core in
        guard let driver = core.drivers[id], core.stateFailure == nil else { return }
        guard !core.isStopping || isDone else {
          // What is held is recorded; the next life verifies anew.
          core.settling -= 1
          driver.snapshot.state = .running
          return driver.pause()
        }
        guard isDone else { return core.verifySlice(verification, id) }
        core.verified(verification, driver)
      }
    }
  }

  func verified(_ verification: Verification, _ driver: DownloadDriver) {
    var job = verification.job
    job.checksums = []
    job.record.sha256 = verification.sha256
    driver.snapshot.sha256 = verification.sha256
    guard let failure = verification.failure else { return finishing.append((driver, job, now)) }
    settling -= 1
    enterHost(driver)
    driver.checksumFailed(failure)
  }

  func finishBatch() {
    guard !isFinisherBusy, let first = finishing.first else { return }
    // One sync and one transaction serve many: wait for company while there may be some, but not long.
    let isLast = drivers.count <= settling && waiting.count == 0
    guard isLast || finishing.count >= Limits.batchCount || now >= first.due else { return }
    isFinisherBusy = true
    let batch = Array(finishing.prefix(Limits.batchCount))
    finishing.removeFirst(batch.count)
    let jobs = batch.map(\.job)
    let ids = batch.map(\.driver.id)
    let smallBytes = jobs.reduce(0) { $0 + $1.memoryByteCount }
    let some = attempts
    attempts = []
    store { store, reply in
      var finisher = Finisher(store: store)
      let outcomes = try finisher.run(jobs, some)
      reply { core in
        core.waitingSmallBytes -= smallBytes
        core.finished(ids, outcomes)
      }
    }
  }

  func finished(_ ids: [TransferID], _ outcomes: [FinishOutcome]) {
    guard stateFailure == nil else { return }
    isFinisherBusy = false
    for (id, outcome) in zip(ids, outcomes) {
      settling -= 1
      guard let driver = drivers[id] else { continue }
      driver.finished(outcome)
      _ = sessions.contains { $0.downloadEnded(id, hasFailed: false) }
      leave(driver)
      emit(outcome.failure == nil ? .completed : .failed, driver)
    }
    settledAll()
  }
}
