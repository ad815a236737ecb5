import Core
import Posix
import State
import WebSocket

/// A frame on its way out.
struct OutgoingFrame {
  let bytes: [UInt8]
  var offset = 0
  /// The message of the outbox that it is.
  var outboxID: String?
  var isPrompt = false

  init(_ frame: ClientFrame) { bytes = frame.encoded }

  init(_ message: OutboxRecord) {
    bytes = Array(message.payload.utf8)
    outboxID = message.id
    isPrompt = message.kind == .prompt
  }
}

/// What is proven when the other side has read everything until somewhere.
enum Barrier {
  case upload(MediaUploadDriver, UInt64)
  case message(OutgoingFrame)
}

/// What goes out, and in which order: the greeting, then answers to cards, then texts, and between them one media's parts.
extension SessionDriver {
  func wake() { link?.wake() }

  func enqueue(_ frame: ClientFrame) { controls.append(OutgoingFrame(frame)) }

  func send(_ part: MediaPart, of upload: MediaUploadDriver) { self.part = (part, upload) }

  /// Asks the other side to prove that it has read everything that was written until now.
  func ask(_ meaning: Barrier) {
    lastBarrier += 1
    barriers.append((lastBarrier, meaning))
    link?.ping(barrier: lastBarrier)
  }

  func linkHasRoom() -> Bool {
    if openFrame != nil { return writeFrame() }
    if isPartOpen { return writePart() }
    guard let next = nextFrame() else { return part != nil && (link?.maySend ?? false) ? writePart() : false }
    openFrame = next
    return writeFrame()
  }

  private func nextFrame() -> OutgoingFrame? {
    if let greeting {
      self.greeting = nil
      return greeting
    }
    guard link?.maySend ?? false else { return nil }
    if !controls.isEmpty { return controls.removeFirst() }
    if !prompts.isEmpty { return prompts.removeFirst() }
    return texts.isEmpty ? nil : texts.removeFirst()
  }

  private func writeFrame() -> Bool {
    guard var frame = openFrame else { return false }
    link?.sendFragment(.text) { writer in
      frame.offset += writer.append(frame.bytes, from: frame.offset)
      return frame.offset == frame.bytes.count
    }
    let isDone = frame.offset == frame.bytes.count
    openFrame = isDone ? nil : frame
    if isDone, frame.outboxID != nil { ask(.message(frame)) }
    return true
  }

  private func writePart() -> Bool {
    guard let (part, upload) = part else { return false }
    link?.sendFragment(.text) { writer in part.write(&writer) }
    isPartOpen = !part.isDone
    if let failure = part.failure {
      // Half a message can't be taken back, and must not be made whole: the connection goes, and with it the message.
      self.part = nil
      upload.sourceFailed(TransferFailure(.localFile, "cannot read the rest of the file: \(failure)"))
      breakOff()
      return false
    }
    if part.isDone {
      self.part = nil
      upload.partWritten()
    }
    return true
  }

  private func breakOff() {
    link?.abandon(.transient(TransferFailure(.connectionFailed, "the connection was given up within a message")))
  }

  // MARK: Uploads

  /// The next media has the socket when the one before has nothing more to send.
  func startUpload() {
    guard link?.maySend ?? false, part == nil else { return }
    guard let next = uploads.first(where: { $0.isSending }), next.machine.state != .running else { return }
    next.sessionReady(offer)
  }

  func take(_ found: [MediaUpload]) {
    for upload in found where knownUploads.insert(upload.record.id).inserted {
      let driver = MediaUploadDriver(upload, remembered: rememberedPartByteCount, session: self, core: core)
      uploads.append(driver)
      core.tell(.added, driver.snapshot)
    }
    // Higher priorities first, and otherwise in the order they were accepted.
    let order = uploads.enumerated().sorted {
      ($1.element.record.priority, $0.offset) < ($0.element.record.priority, $1.offset)
    }
    uploads = order.map(\.element)
    startUpload()
    if case .failed(let failure, _) = link?.state { for upload in uploads { upload.fail(failure) } }
  }

  /// Says something of an upload that ends nothing.
  func note(_ text: String, _ id: TransferID) {
    if let upload = uploads.first(where: { $0.id == id }) { core.tell(.note, upload.snapshot, note: text) }
  }

  /// It has ended, and the socket is for others.
  func letGo(_ upload: MediaUploadDriver) {
    if let part, part.upload === upload {
      let wasOpen = isPartOpen
      self.part = nil
      isPartOpen = false
      // A media that was given up must not become whole over there.
      if wasOpen { breakOff() }
    }
    startUpload()
  }

  /// Its end is recorded.
  func ended(_ upload: MediaUploadDriver) {
    uploads.removeAll { $0 === upload }
    knownUploads.remove(upload.id)
    core.deliver()
  }

  func cancel(_ id: TransferID) -> Bool {
    guard let upload = uploads.first(where: { $0.id == id }) else { return false }
    upload.cancel()
    return true
  }

  // MARK: Messages

  func take(_ messages: [OutboxRecord]) {
    for message in messages where takenMessages.insert(message.id).inserted {
      if message.kind == .prompt {
        prompts.append(OutgoingFrame(message))
      } else {
        texts.append(OutgoingFrame(message))
      }
    }
    wake()
  }

  func proven(_ frame: OutgoingFrame) {
    guard let id = frame.outboxID else { return }
    let now = core.wallClock
    core.store { [self] store, reply in
      try store.sent([id], at: now)
      // Not before: a look into the state that was under way would take it up once more.
      reply { _ in self.takenMessages.remove(id) }
    }
    tell(.messageSent(id: id))
  }

  /// Takes up what is to be sent, by whichever process it was accepted.
  func lookIntoState() {
    guard !isStopped else { return }
    let key = profile.key
    let owner = core.owner.token
    core.store { [self] store, reply in
      let messages = try store.openMessages(of: key)
      let found = try store.unfinishedMedia(of: key)
      // One by one: what a living other process holds is its own business.
      let ours = try found.filter { try store.claim([$0.record.id], owner: owner).isEmpty }
      reply { _ in
        self.take(messages)
        self.take(ours)
      }
    }
  }
}
