import Core
import Crypto
import Posix
import State
import WebSocket

/// Performs what a `MediaAssembler` decides: media that come in parts, assembled on disk. On the loop's thread.
///
/// While a part is on its way to the disk nothing more is read from the gateway, so that memory holds one message.
/// `@unchecked Sendable`: only that thread touches it; replies of the store hold it on their way.
final class MediaReceiver: @unchecked Sendable {
  private unowned let session: SessionDriver
  private let core: EngineCore
  private let folder: String
  private var assembler: MediaAssembler
  private let shelf: AssemblyShelf
  /// Writes under way.
  private var busyCount = 0

  init(session: SessionDriver, folder: String, limits: MediaLimits, core: EngineCore) {
    self.session = session
    self.core = core
    self.folder = folder
    assembler = MediaAssembler(limits)
    shelf = AssemblyShelf(
      session: session.profile.key, folder: folder, limits: limits, bootID: core.bootID)
  }

  var deadline: Instant? { assembler.deadline }
  /// Something is on its way to the disk.
  var isBusy: Bool { busyCount > 0 }

  /// Takes over what earlier lives left: parts that are there, and files that got their name but not their receipt.
  func begin() {
    let shelf = shelf
    busy(1)
    core.store { [self] store, reply in
      let found = try shelf.restore(store, now: Clocks.wallClock())
      reply { core in
        for finished in found.finished { self.tell(finished.head, finished.finish) }
        for saved in found.saved { self.takeOver(saved) }
        self.busy(-1)
      }
    }
  }

  private func takeOver(_ found: AssemblyShelf.Found) {
    guard let (number, actions) = assembler.restore(found.saved, now: core.now) else {
      return core.store { [shelf] store, _ in try shelf.giveUp(found.record, store) }
    }
    let record = found.record
    core.store { [shelf] _, _ in shelf.adopt(record, as: number) }
    perform(actions, nil)
  }

  func connected() { assembler.connected() }
  func connectionLost() {}

  func turn(_ now: Instant) {
    guard let deadline, now >= deadline else { return }
    perform(assembler.timerFired(now: now), nil)
  }

  // MARK: From the wire

  func rejected(_ rejection: MediaRejection) { perform(assembler.rejected(rejection), nil) }

  func partReceived(_ frame: MediaFrame, _ part: PartBytes) {
    let actions = assembler.partReceived(
      frame, byteCount: Int64(part.bytes.count), tag: EqualityTag.of(part.bytes), now: core.now)
    perform(actions, part)
  }

  // MARK: Performing

  private func perform(_ actions: [MediaAssembler.Action], _ bytes: PartBytes?) {
    for action in actions {
      switch action {
      case .begin(let number, let head): begin(number, head)
      case .write(let number, let part): if let bytes { write(number, part, bytes) }
      case .amend(let number, let head): core.store { [shelf] store, _ in try shelf.amend(number, head, store) }
      case .discard(let number): discard(number)
      case .finish(let number, let head, let join): finish(number, head, join)
      case .event(let event): tell(event)
      }
    }
  }

  private func begin(_ number: Int, _ head: MediaFrame) {
    let now = core.wallClock
    core.store { [shelf] store, _ in try shelf.begin(number, head, store, now: now) }
  }

  private func write(_ number: Int, _ part: HeldPart, _ data: PartBytes) {
    busy(1)
    let now = core.wallClock
    core.store { [self] store, reply in
      let failure = try shelf.write(number, part, data.bytes, store, now: now)
      reply { core in
        self.session.decoder.reuse(&data.bytes)
        self.busy(-1)
        if let failure {
          self.perform(self.assembler.partFailed(number, failure), nil)
        } else {
          self.perform(self.assembler.partRecorded(number, part: part.part, now: core.now), nil)
        }
      }
    }
  }

  private func discard(_ number: Int) {
    core.store { [shelf] store, _ in try shelf.discard(number, store) }
  }

  private func finish(_ number: Int, _ head: MediaFrame, _ join: MediaJoin) {
    busy(1)
    let now = core.wallClock
    core.store { [self] store, reply in
      let finish = try shelf.finish(number, head, join, store, now: now)
      reply { _ in
        self.busy(-1)
        self.perform(self.assembler.finished(number, finish), nil)
      }
    }
  }

  /// Something more, or less, is on its way to the disk.
  func busy(_ change: Int) {
    busyCount += change
    core.settling += change
    session.link?.isTakingIn = isBusy
    guard change < 0 else { return }
    core.settledAll()
    session.tellEnders()
  }

  // MARK: Events

  private func tell(_ event: MediaAssembler.Event) {
    switch event {
    case .rejected(let rejection) where rejection.reason == .empty:
      session.tell(.mediaEmpty(id: rejection.id ?? ""))
    case .rejected(let rejection):
      session.tell(
        .mediaFailed(
          id: rejection.id, TransferFailure(.protocolViolation, "cannot take a media: \(rejection.message)")))
    case .restarted(let id): session.tell(.mediaRestarted(id: id))
    case .incomplete(let id, let missing): session.tell(.mediaIncomplete(id: id, missing: missing))
    case .finished(let head, let finish): tell(head, finish)
    }
  }

  private func tell(_ head: MediaFrame, _ finish: MediaAssembler.Finish) {
    switch finish {
    case .saved(let path, let count, let sha256): session.tell(.media(received(head, path, count, sha256)))
    case .duplicate(let path, let count, let sha256): session.tell(.duplicate(received(head, path, count, sha256)))
    case .failed(let failure): session.tell(.mediaFailed(id: head.id, failure))
    }
  }

  private func received(_ head: MediaFrame, _ path: String?, _ count: Int64, _ sha256: String) -> ReceivedMedia {
    ReceivedMedia(
      id: head.id, kind: head.kind, mime: head.mime, caption: head.caption, path: path, byteCount: count,
      sha256: sha256)
  }

  // MARK: Media by link

  func linkReceived(_ frame: MediaFrame) {
    switch MediaURLRule.resolve(frame.url ?? "", gateway: session.profile.url, scope: session.link?.scope) {
    case .failure(let failure): session.tell(.mediaFailed(id: frame.id, failure))
    case .success(let target): fetch(frame, target)
    }
  }

  private func fetch(_ frame: MediaFrame, _ target: MediaURLRule.Download) {
    var request = DownloadRequest(url: target.url.text, folder: folder)
    request.name = SafeFileName(frame.fileName ?? target.url.lastPathName, fallback: frame.fallbackName).text
    request.limits = session.options.downloads
    request.network = session.options.network
    request.network.allowsDowngrade = false
    request.reach = target.reach
    // What the user gave for the gateway is nobody else's.
    if !target.sendsToken { request.network.forgetCredentials() }
    let key = session.profile.key
    request.media = MediaOrigin(gateway: key.gateway, device: key.device, needsToken: target.sendsToken)
    session.fetch(frame, request)
  }
}

/// The bytes of one part, in memory that goes from the decoder to the disk and back.
///
/// `@unchecked Sendable`: with whoever has it, one at a time.
final class PartBytes: @unchecked Sendable {
  var bytes: [UInt8]

  init(_ bytes: consuming [UInt8]) { self.bytes = bytes }
}

extension MediaFrame {
  /// The name of a media without one: its kind, its ID's digest, and what its type suggests.
  var fallbackName: String {
    let digest = sha256Hexadecimal(of: id).prefix(12)
    return "\(kind.rawValue)-\(digest).\(MediaExtensionName.of(mime: mime))"
  }
}

/// The usual ending of a file of some type.
enum MediaExtensionName {
  private static let names = [
    "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/heic": "heic",
    "image/svg+xml": "svg", "video/mp4": "mp4", "video/quicktime": "mov", "video/webm": "webm", "audio/ogg": "ogg",
    "audio/opus": "ogg", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/wav": "wav", "audio/x-wav": "wav",
    "application/pdf": "pdf", "application/zip": "zip", "text/plain": "txt", "text/html": "html", "text/csv": "csv",
    "application/json": "json",
  ]

  static func of(mime: String) -> String {
    names[mime.prefix { $0 != ";" && $0 != " " }.lowercased()] ?? "bin"
  }
}
