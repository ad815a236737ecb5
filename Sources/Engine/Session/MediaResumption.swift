import Core
import Crypto
import Posix
import State

/// Takes up uploads over a session that earlier lives left, whatever ended them. Runs on the store's thread; all of it is
/// durable before the caller hears of it.
struct MediaResumption: Sendable {
  let ids: [TransferID]
  /// Failed and cancelled ones too, with the file as it is now.
  let isAnew: Bool
  let session: SessionKey
  /// Nil leaves them to whichever process has the session.
  let owner: OwnerToken?

  func run(_ store: Store) -> Result<[MediaUpload], TransferFailure> {
    do {
      let found = try store.media(ids)
      for upload in found { try check(upload) }
      if let owner {
        let held = try store.claim(ids, owner: owner)
        if let (id, _) = held.first { throw TransferFailure(.inUse, "\(id) is at work in another process") }
      }
      let queued = try found.map { try self.queued($0) }
      try store.update(media: queued, durably: true)
      return .success(queued)
    } catch {
      return .failure(TransferFailure(storing: error))
    }
  }

  private func check(_ upload: MediaUpload) throws(TransferFailure) {
    let (id, state) = (upload.record.id, upload.record.state)
    guard upload.media.session == session else {
      throw TransferFailure(
        .usage, "\(id) goes to \(upload.media.session.gateway)",
        hint: "--profile \(upload.media.profile) talks to that gateway")
    }
    if state.isSuccess { throw TransferFailure(.usage, "\(id) is \(state.rawValue) already") }
    guard state.isFinal, !isAnew else { return }
    throw TransferFailure(
      .usage, "\(id) is \(state.rawValue)", hint: "hermes-transfer retry \(id) starts it again")
  }

  private func queued(_ upload: MediaUpload) throws(TransferFailure) -> MediaUpload {
    var upload = upload
    if isAnew {
      let now = Clocks.wallClock()
      upload.record.deadlineAt = now + TransferLimits().deadlineSeconds
      upload.record.attempts = 0
      try repin(&upload)
    }
    upload.record.state = .queued
    upload.record.reason = nil
    upload.record.nextTry = nil
    upload.record.failure = nil
    upload.record.finishedAt = nil
    return upload
  }

  /// A file that is another one by now is another media to the gateway: with a new ID, from the first part.
  private func repin(_ upload: inout MediaUpload) throws(TransferFailure) {
    let pin: SourcePin
    do throws(Errno) { pin = try SourcePin(path: upload.media.source.path) } catch {
      throw TransferFailure(.localFile, "cannot read \(upload.media.source.path): \(error)")
    }
    guard pin != upload.media.source else { return }
    var random = SecureRandom()
    upload.media.source = pin
    upload.media.wireID = random.uuid()
    upload.media.partsAcknowledged = RangeSet()
    upload.media.isLastPartBegun = false
    upload.media.isResent = false
    upload.record.bytesTotal = pin.byteCount
  }
}
