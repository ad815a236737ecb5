import Core
import Crypto
import Curl
import Posix
import State
import WebSocket

/// One Hermes session on the loop's thread: its connection, what goes out in which order, what comes in.
///
/// `@unchecked Sendable`: only that thread touches it once it has begun.
final class SessionDriver: @unchecked Sendable {
  let profile: SessionProfile
  let options: SessionOptions
  let core: EngineCore
  private let lock: SessionLock
  private(set) var link: SessionLink?
  /// What a gateway offers beyond the floor; nil from one that never heard of it, and while not connected.
  private(set) var offer: MediaExtension?
  var rememberedPartByteCount: Int?
  /// The session stays when nothing is left to be sent.
  var isHeld = false
  private(set) var isStopped = false

  // Going out.
  var greeting: OutgoingFrame?
  var controls: [OutgoingFrame] = []
  var prompts: [OutgoingFrame] = []
  var texts: [OutgoingFrame] = []
  var openFrame: OutgoingFrame?
  var part: (part: MediaPart, upload: MediaUploadDriver)?
  var isPartOpen = false
  var uploads: [MediaUploadDriver] = []
  var barriers: [(number: UInt64, meaning: Barrier)] = []
  var lastBarrier: UInt64 = 0
  /// Outbox messages that were taken up, so that a look into the state does not take them twice.
  var takenMessages: Set<String> = []
  var knownUploads: Set<TransferID> = []

  // Coming in.
  var reader = FrameReader()
  var decoder = Base64Decoder()
  private(set) var receiver: MediaReceiver?
  var ignoredCount = 0
  /// Links that came for downloads while they were at work.
  var newerLinks: [TransferID: MediaFetch] = [:]
  private var inbox: MessageInbox

  // What goes to the user.
  var events: [SessionEvent] = []
  private var eventByteCount = 0
  var waiter: CheckedContinuation<[SessionEvent]?, Never>?
  private var enders: [CheckedContinuation<Void, Never>] = []

  init(profile: SessionProfile, options: SessionOptions, lock: SessionLock, core: EngineCore) {
    self.profile = profile
    self.options = options
    self.lock = lock
    self.core = core
    inbox = MessageInbox(profile.key)
    var settings = SessionMachine.Settings()
    settings.jitterSeed = UInt64.random(in: .min ... .max)
    link = SessionLink(loop: core.loop, owner: self, settings: settings)
    if let folder = options.mediaFolder {
      receiver = MediaReceiver(session: self, folder: folder, limits: options.limits, core: core)
    }
  }

  /// Takes up what earlier lives left, and joins the loop.
  func begin() {
    core.sessions.append(self)
    core.gatewayTokens[profile.key] = profile.token
    receiver?.begin()
    lookIntoState()
    if options.resumesDownloads { resumeDownloads() }
    let key = profile.key
    let since = core.wallClock - Store.receivedSeconds
    core.store { [self] store, reply in
      let size = try store.partByteCount(gateway: key.gateway)
      let known = try store.recentlyReceived(.message, of: key, since: since, limit: MessageInbox.maxCount)
      reply { _ in
        if self.rememberedPartByteCount == nil { self.rememberedPartByteCount = size }
        self.inbox.restore(known)
      }
    }
  }

  private func resumeDownloads() {
    let key = profile.key
    core.beginAccepting()
    core.storeThread.post { [self] store in
      var accepted = Acceptance.Accepted()
      var failures: [TransferFailure] = []
      do {
        // One by one: what another process works on comes without us.
        for id in try store.unfinishedMediaDownloads(of: key) {
          switch Acceptance(ids: [id], core: core).run(store) {
          case .success(let one): accepted.add(one)
          case .failure(let failure): if failure.code != .inUse { failures.append(failure) }
          }
        }
      } catch {
        failures.append(TransferFailure(storing: error))
      }
      let (all, failed) = (accepted, failures)
      core.loop.post {
        do throws(TransferFailure) { _ = try self.core.endAccepting(.success(all)) } catch {
          self.tell(.mediaFailed(id: nil, error))
        }
        for failure in failed { self.tell(.mediaFailed(id: nil, failure)) }
        self.core.deliver()
      }
    }
  }

  func connect() {
    guard !isStopped else { return }
    link?.connect()
  }

  /// Nothing is left to be sent, and nobody wants to hear more.
  var isDone: Bool { !isHeld && uploads.isEmpty }

  func disconnect(_ continuation: CheckedContinuation<Void, Never>) {
    enders.append(continuation)
    link?.disconnect()
    tellEnders()
  }

  /// The process stops: what is on its way waits for the next life.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    isHeld = false
    for upload in uploads { upload.pause() }
    uploads = []
    part = nil
    link?.disconnect()
    tellEnders()
    deliver()
  }

  /// Nothing can be recorded any more, so nothing may be said to be sent.
  func stateFailed(_ failure: TransferFailure) {
    isStopped = true
    for upload in uploads { upload.lose(failure) }
    uploads = []
    part = nil
    link?.disconnect()
    tell(.stateChanged(.failed(failure)))
  }

  /// Who waits for the end waits for the disk too.
  func tellEnders() {
    guard receiver?.isBusy != true else { return }
    switch link?.state {
    case .idle, .failed, nil: break
    default: return
    }
    for ender in enders { ender.resume() }
    enders = []
  }

  // MARK: The loop

  func turn(_ now: Instant) {
    link?.turn(now)
    receiver?.turn(now)
  }

  func tick(_ now: Instant) {
    for upload in uploads { upload.tick(now) }
  }

  var nextMoment: Instant? {
    // Uploads look at their deadlines once a tick.
    let upload = uploads.compactMap(\.machine.deadline).min().map { max($0, core.nextTick) }
    return [link?.nextMoment, receiver?.deadline, upload].compactMap(\.self).min()
  }

  // MARK: State

  var state: SessionState {
    switch link?.state ?? .idle {
    case .idle: .idle
    case .connecting: .connecting
    case .connected: .connected
    case .reconnecting(let until, let end):
      .reconnecting(nextTry: core.wallClock + max(0, until.seconds(since: core.now)), because: end.failure)
    case .failed(let failure, _): .failed(failure)
    }
  }

  /// What waits to be told stays in memory: when nobody takes it, the gateway has to wait.
  func tell(_ event: SessionEvent) {
    // Connections come and go also while nobody reads; then the newest state is what there is to know.
    if link?.isReadingPaused == true, case .stateChanged = event, case .stateChanged = events.last {
      events[events.count - 1] = event
    } else {
      events.append(event)
      eventByteCount += event.byteCount
    }
    if eventByteCount > Limits.eventByteCount { link?.isReadingPaused = true }
    deliver()
  }

  func nextEvents(_ continuation: CheckedContinuation<[SessionEvent]?, Never>) {
    waiter?.resume(returning: [])
    waiter = continuation
    deliver()
  }

  private func deliver() {
    guard let waiter, !events.isEmpty || isStopped else { return }
    self.waiter = nil
    var batch: [SessionEvent] = []
    swap(&batch, &events)
    eventByteCount = 0
    link?.isReadingPaused = false
    waiter.resume(returning: batch.isEmpty ? nil : batch)
  }
}

extension SessionDriver: SessionLinkOwner {
  func linkTarget() -> Result<WebSocketConnection.Target, TransferFailure> {
    if let refusal = profile.plaintextRefusal { return .failure(refusal) }
    var network = options.network
    network.headers += profile.upgradeHeaders
    return .success(
      WebSocketConnection.Target(
        url: profile.upgradeURL, subprotocols: [], network: network,
        limits: WebSocketLimits(maxMessageByteCount: options.limits.maxMessageByteCount)))
  }

  func linkShown(_ text: String) -> String { profile.token?.hidden(in: text) ?? text }

  func linkOpened() {
    greeting = OutgoingFrame(.hello(profile.hello))
    link?.wake()
  }

  func linkStateChanged(_ state: SessionMachine.State) {
    tell(.stateChanged(self.state))
    switch state {
    case .connected:
      receiver?.connected()
      startUpload()
    case .reconnecting(let until, let end):
      let next = core.wallClock + max(0, until.seconds(since: core.now))
      for upload in uploads { upload.wait(end.waitReason, until: next, because: end.failure) }
    case .failed(let failure, _):
      for upload in uploads { upload.fail(failure) }
    case .idle, .connecting: break
    }
    tellEnders()
  }

  func linkEnded(_ end: SessionEnd) {
    offer = nil
    greeting = nil
    controls = []
    // What was not proven is sent again, under the same IDs.
    let unproven = barriers.compactMap { if case .message(let frame) = $0.meaning { frame } else { nil } }
    let open = openFrame.map { $0.outboxID == nil ? [] : [$0] } ?? []
    openFrame = nil
    barriers = []
    part = nil
    isPartOpen = false
    for frame in (unproven + open).reversed() { requeue(frame) }
    for upload in uploads { upload.connectionLost(end) }
    receiver?.connectionLost()
  }

  private func requeue(_ frame: OutgoingFrame) {
    var again = frame
    again.offset = 0
    if frame.isPrompt { prompts.insert(again, at: 0) } else { texts.insert(again, at: 0) }
  }

  func linkProved(barrier: UInt64) {
    while let first = barriers.first, first.number <= barrier {
      barriers.removeFirst()
      switch first.meaning {
      case .upload(let upload, let number): upload.barrierPassed(number)
      case .message(let frame): proven(frame)
      }
    }
  }

  // MARK: Messages

  func linkMessageBegan(_ kind: MessageKind) {
    reader.messageBegan()
    decoder.begin()
  }

  func linkMessageReceived(_ bytes: UnsafeRawBufferPointer) {
    let takesData = receiver != nil
    unsafe reader.read(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self))) { piece in
      guard takesData else { return }
      decoder.append(piece)
    }
  }

  func linkMessageEnded() {
    switch ServerFrame.decode(reader.messageEnded()) {
    case .frame(let frame): take(frame)
    case .rejected(let rejection): receiver?.rejected(rejection)
    case .ignored: ignoredCount += 1
    }
  }

  private func take(_ frame: ServerFrame) {
    switch frame {
    case .ready(let ready):
      offer = ready.media
      link?.ready(ready)
    case .error(let frame):
      let error = ErrorFrame(
        code: linkShown(frame.code), message: linkShown(frame.message), isFatal: frame.isFatal)
      if !error.isFatal { tell(.complaint(error)) }
      link?.error(error)
    case .typing(let isOn): tell(.typing(isOn: isOn))
    case .message(let message): take(message)
    case .prompt(let prompt): tell(.prompt(prompt))
    case .promptDone(let done): tell(.promptDone(done))
    case .avatar(let state): tell(.avatar(state))
    case .media(let media): take(media)
    case .mediaStatus(let status): upload(status.id)?.statusReceived(status)
    case .mediaDone(let done): upload(done.id)?.doneReceived(done)
    }
  }

  /// What an earlier connection, or an earlier life, was told already is not told again.
  private func take(_ message: MessageFrame) {
    if let record = inbox.take(message, connection: link?.machine.connection ?? 0, now: core.wallClock) {
      core.store { store, _ in try store.remember([record]) }
      tell(.message(message))
    }
  }

  private func take(_ media: MediaFrame) {
    guard let receiver else { return }
    guard media.hasData else { return receiver.linkReceived(media) }
    guard decoder.finish() else { return receiver.rejected(MediaRejection(media.id, .badData)) }
    receiver.partReceived(media, PartBytes(decoder.take()))
  }

  private func upload(_ wireID: String) -> MediaUploadDriver? { uploads.first { $0.wireID == wireID } }
}
