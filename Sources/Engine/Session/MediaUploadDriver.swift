import Core
import Crypto
import Posix
import State

/// Performs what a `MediaUploadMachine` decides, for one file on its way out. On the loop's thread.
///
/// `@unchecked Sendable`: only that thread touches it; replies of the store hold it on their way.
final class MediaUploadDriver: @unchecked Sendable {
  private(set) var machine: MediaUploadMachine
  private(set) var record: TransferRecord
  private(set) var snapshot: TransferSnapshot
  private var media: MediaUploadRecord
  private unowned let session: SessionDriver
  private let core: EngineCore
  private var meter: RateMeter

  init(_ upload: MediaUpload, remembered: Int?, session: SessionDriver, core: EngineCore) {
    record = upload.record
    media = upload.media
    self.session = session
    self.core = core
    var settings = MediaUploadMachine.Settings(
      id: media.wireID, kind: MediaKind(rawValue: media.mediaKind) ?? .document, mime: media.mime,
      byteCount: media.source.byteCount, fileName: media.fileName, caption: media.caption)
    settings.isAtMostOnce = media.isAtMostOnce
    settings.rememberedPartByteCount = remembered
    machine = MediaUploadMachine(settings, saved: media.saved)
    snapshot = TransferSnapshot(record: record)
    meter = RateMeter()
    refresh()
  }

  var id: TransferID { record.id }
  var wireID: String { media.wireID }
  /// Whether its parts have the socket, or it waits for it.
  var isSending: Bool {
    switch machine.state {
    case .queued, .waiting, .running: true
    default: false
    }
  }

  /// Whether its numbers change by themselves; one that waits has only its deadlines.
  var isMoving: Bool { machine.state == .running || machine.state == .sent }

  // MARK: The session

  func sessionReady(_ offer: MediaExtension?) {
    if let deadline = record.deadlineAt, core.wallClock >= deadline { return exceedDeadline() }
    if record.attempts == 0 { core.tell(.started, snapshot) }
    record.attempts += 1
    list(as: .running)
    perform(machine.sessionReady(offer, now: core.now))
  }

  func connectionLost(_ end: SessionEnd) { perform(machine.connectionLost(end, now: core.now)) }
  func statusReceived(_ frame: MediaStatusFrame) { perform(machine.statusReceived(frame, now: core.now)) }
  func doneReceived(_ frame: MediaDoneFrame) { perform(machine.doneReceived(frame)) }
  func partWritten() { perform(machine.partWritten(now: core.now)) }
  func barrierPassed(_ barrier: UInt64) { perform(machine.barrierPassed(barrier, now: core.now)) }
  func sourceFailed(_ failure: TransferFailure) { perform(machine.sourceFailed(failure)) }
  func cancel() { perform(machine.cancel()) }

  /// The session will not come to stand again.
  func fail(_ failure: TransferFailure) {
    guard !machine.isEnded else { return }
    end(.failed, failure, .failed)
  }

  /// The state is lost: what is known of it cannot be recorded.
  func lose(_ failure: TransferFailure) {
    guard !machine.isEnded else { return }
    _ = machine.cancel()
    snapshot.state = .failed
    snapshot.failure = failure
    core.tell(.failed, snapshot)
  }

  /// Why it waits, and until when.
  func wait(_ reason: WaitReason, until: Double?, because failure: TransferFailure) {
    guard !machine.isEnded else { return }
    snapshot.failure = failure
    snapshot.state = .waiting
    snapshot.reason = reason
    snapshot.nextTry = until
    snapshot.bytesPerSecond = nil
    core.tell(.waiting, snapshot)
    list(as: .waiting, reason, until)
  }

  /// What other processes see of it.
  private func list(as state: TransferState, _ reason: WaitReason? = nil, _ nextTry: Double? = nil) {
    guard record.state != state || record.nextTry != nextTry else { return }
    (record.state, record.reason, record.nextTry) = (state, reason, nextTry)
    checkpoint()
  }

  /// The process stops; the next life goes on.
  func pause() {
    guard !machine.isEnded else { return }
    // Whatever is still recorded of it, a pong of the last moment, says so too.
    record.state = .paused
    record.reason = nil
    record.nextTry = nil
    record.owner = nil
    snapshot.state = .paused
    snapshot.connections = 0
    core.tell(.paused, snapshot)
    save(upload, releasing: true)
  }

  func tick(_ now: Instant) {
    guard !machine.isEnded else { return }
    if let deadline = record.deadlineAt, core.wallClock >= deadline { return exceedDeadline() }
    if let deadline = machine.deadline, now >= deadline { perform(machine.timerFired(now: now)) }
    meter.record(byteCount: machine.bytesDone, now: now)
    refresh()
  }

  private func exceedDeadline() {
    end(.failed, TransferFailure(.deadlineExceeded, "deadline passed before the gateway had the file"), .failed)
  }

  // MARK: Performing

  private func perform(_ actions: [MediaUploadMachine.Action]) {
    for action in actions { perform(action) }
    refresh()
    session.wake()
  }

  private func perform(_ action: MediaUploadMachine.Action) {
    switch action {
    case .askStatus: session.enqueue(.mediaStatus(id: wireID))
    case .send(let frame, let range): send(frame, range)
    case .barrier(let number): session.ask(.upload(self, number))
    case .checkSource: checkSource()
    case .digestSource: digestSource()
    case .record: checkpoint()
    case .recordDurably(let number): recordDurably(number)
    case .rememberPartSize(let size): remember(size)
    case .reachedSent: break
    case .note(let text): core.tell(.note, snapshot, note: text)
    case .end(let outcome): end(outcome)
    }
  }

  private func send(_ frame: MediaFrame, _ range: ByteRange) {
    if let failure = media.source.failure { return perform(machine.sourceFailed(failure)) }
    do throws(Errno) {
      session.send(try MediaPart(frame: frame, range: range, path: media.source.path), of: self)
    } catch {
      sourceFailed(TransferFailure(.localFile, "cannot read \(media.source.path): \(error)"))
    }
  }

  private func checkSource() {
    if let failure = media.source.failure { return perform(machine.sourceFailed(failure)) }
    perform(machine.sourceChecked(now: core.now))
  }

  private func digestSource() {
    let digest = SourceDigest(media.source)
    core.settling += 1
    step(digest)
  }

  /// Slice by slice, so that others use the store's thread in between.
  private func step(_ digest: SourceDigest) {
    core.store { [self] _, reply in
      let result = digest.advance()
      reply { core in
        guard core.stateFailure == nil else { return }
        switch result {
        case nil: return self.step(digest)
        case .success(let hexadecimal): self.perform(self.machine.sourceDigested(hexadecimal))
        case .failure(let failure): self.sourceFailed(failure)
        }
        core.settling -= 1
        core.settledAll()
      }
    }
  }

  // MARK: The record

  private var upload: MediaUpload {
    media.keep(machine.saved)
    record.synced = media.bytesAcknowledged
    record.bytesRefetched = machine.bytesResent
    return MediaUpload(record: record, media: media)
  }

  private func checkpoint() {
    let upload = upload
    core.store { store, _ in try store.update(media: [upload], durably: false) }
  }

  private func recordDurably(_ number: UInt64) {
    let upload = upload
    core.store { [self] store, reply in
      try store.update(media: [upload], durably: true)
      reply { core in self.perform(self.machine.recorded(number, now: core.now)) }
    }
  }

  private func remember(_ size: Int) {
    let (gateway, now) = (media.session.gateway, core.wallClock)
    session.rememberedPartByteCount = size
    core.store { store, _ in try store.remember(gateway: gateway, partByteCount: size, at: now) }
  }

  private func save(
    _ upload: MediaUpload, releasing: Bool, _ then: @escaping @Sendable (EngineCore) -> Void = { _ in }
  ) {
    core.settling += 1
    core.store { store, reply in
      try store.update(media: [upload], durably: true)
      if releasing { try store.release([upload.record.id]) }
      reply { core in
        core.settling -= 1
        then(core)
        core.settledAll()
      }
    }
  }

  // MARK: The end

  private func end(_ outcome: MediaUploadMachine.Outcome) {
    switch outcome {
    case .sent: end(.sent, nil, .completed)
    case .delivered: end(.delivered, nil, .completed)
    case .uncertain:
      end(
        .uncertain,
        TransferFailure(
          .uncertain, "everything was sent, but the connection broke before the gateway had read it for certain",
          hint: "look whether it arrived; hermes-transfer retry \(id) sends it again"), .failed)
    case .failed(let failure): end(.failed, failure, .failed)
    case .cancelled: end(.cancelled, nil, .cancelled)
    }
  }

  private func end(_ state: TransferState, _ failure: TransferFailure?, _ event: TransferEventKind) {
    if !machine.isEnded { _ = machine.cancel() }
    record.state = state
    record.reason = nil
    record.nextTry = nil
    record.failure = failure
    record.finishedAt = core.wallClock
    record.owner = nil
    refresh()
    snapshot.state = state
    snapshot.reason = nil
    snapshot.nextTry = nil
    snapshot.failure = failure
    snapshot.finishedAt = record.finishedAt
    snapshot.connections = 0
    snapshot.bytesPerSecond = nil
    snapshot.etaSeconds = nil
    session.letGo(self)
    // Told when it is recorded, so that nobody hears of an end that a crash would forget.
    save(upload, releasing: true) { [self] core in
      core.tell(event, snapshot)
      session.ended(self)
    }
  }

  private func refresh() {
    snapshot.bytesDone = machine.bytesDone
    snapshot.bytesTotal = machine.settings.byteCount
    snapshot.attempts = record.attempts
    snapshot.bytesRefetched = machine.bytesResent
    guard !machine.isEnded, snapshot.state != .paused else { return }
    switch machine.state {
    case .running:
      snapshot.state = .running
      snapshot.connections = 1
      snapshot.bytesPerSecond = meter.bytesPerSecond
      snapshot.etaSeconds = meter.etaSeconds(remaining: machine.settings.byteCount - machine.bytesDone)
    // All was read; the proof is still to come.
    case .sent: snapshot.state = .verifying
    default: return
    }
    snapshot.reason = nil
    snapshot.nextTry = nil
    snapshot.failure = nil
    core.moved.insert(id)
    core.snapshots[id] = snapshot
  }
}

extension MediaUploadRecord {
  /// What the machine takes over from an earlier life.
  var saved: MediaUploadMachine.Saved {
    var saved = MediaUploadMachine.Saved(partByteCount: partByteCount)
    saved.acknowledged = partsAcknowledged
    saved.isLastPartBegun = isLastPartBegun
    saved.isResent = isResent
    return saved
  }

  mutating func keep(_ saved: MediaUploadMachine.Saved) {
    partByteCount = saved.partByteCount
    partsAcknowledged = saved.acknowledged
    isLastPartBegun = saved.isLastPartBegun
    isResent = saved.isResent
  }
}

/// SHA-256 of a pinned source, slice by slice, on the store's thread.
///
/// `@unchecked Sendable`: one job after the other touches it.
final class SourceDigest: @unchecked Sendable {
  private let pin: SourcePin
  private let digest = Digest(.sha256)
  private var offset: Int64 = 0

  init(_ pin: SourcePin) { self.pin = pin }

  /// Reads on; nil until the end is reached.
  func advance() -> Result<String, TransferFailure>? {
    do throws(Errno) {
      let source = try Files.openToRead(pin.path)
      var room = [UInt8](repeating: 0, count: 256 << 10)
      let end = min(offset + Int64(Limits.verifiedByteCount), pin.byteCount)
      while offset < end {
        let count = try source.read(into: &room, at: offset)
        guard count > 0 else { break }
        let used = Int(min(Int64(count), pin.byteCount - offset))
        unsafe room.withUnsafeBytes { unsafe digest.update(UnsafeRawBufferPointer(rebasing: $0[..<used])) }
        offset += Int64(used)
      }
      guard offset >= end else { return .failure(TransferFailure(.sourceChanged, "\(pin.path) became shorter")) }
    } catch {
      return .failure(TransferFailure(.localFile, "cannot read \(pin.path): \(error)"))
    }
    guard offset == pin.byteCount else { return nil }
    if let failure = pin.failure { return .failure(failure) }
    return .success(digest.finishHexadecimal())
  }
}
