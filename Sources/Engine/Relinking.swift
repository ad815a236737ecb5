import Core
import Crypto
import Posix
import State

/// Gives an unfinished transfer another URL for the same bytes: signed URLs expire. Jobs of the store's thread.
struct Relinking: Sendable {
  let id: TransferID
  let url: String
  let owner: OwnerToken
  let stateFolder: String

  /// Makes the transfer ours and says how to ask the new URL for the end of what is held; nil when nothing is.
  func begin(_ store: Store) -> Result<WaitingTransfer?, TransferFailure> {
    do {
      let acceptance = Acceptance(ids: [id], owner: owner, stateFolder: stateFolder)
      if let record = try store.record(id) {
        try Acceptance.checkIsDownload(record)
        guard !acceptance.isOurs(record) else { throw TransferFailure(.inUse, "\(id) is at work in this process") }
      }
      try acceptance.claim([id], store)
    } catch {
      return .failure(TransferFailure(storing: error))
    }
    do { return .success(try question(store)) } catch {
      let failure = TransferFailure(storing: error)
      do throws(StateError) { try store.release([id]) } catch { return .failure(error.failure) }
      return .failure(failure)
    }
  }

  private func question(_ store: Store) throws -> WaitingTransfer? {
    let acceptance = Acceptance(ids: [id], owner: owner, stateFolder: stateFolder)
    guard var record = try store.record(id) else { throw TransferFailure(.usage, "no transfer \(id)") }
    guard record.state != .completed else { throw TransferFailure(.usage, "\(id) is complete already") }
    guard record.partName != nil else { return nil }
    var request = try relinked(record, acceptance)
    request.mirrors = []
    request.onChange = .fail
    request.connections = 1
    // Tags of two hosts say nothing about each other: the bytes decide.
    record.entityTag = nil
    record.lastModified = nil
    record.isLastModifiedStrong = false
    record.deadlineAt = Clocks.wallClock() + request.limits.deadlineSeconds
    return WaitingTransfer(record: record, request: request, sources: try Acceptance.sources(of: request))
  }

  /// The request with the new URL; what was given for the origin of the old one stays there.
  private func relinked(_ record: TransferRecord, _ acceptance: Acceptance) throws -> DownloadRequest {
    var request = try acceptance.storedRequest(of: record)
    let old = try Acceptance.sources(of: request)[0].origin
    request.url = url
    if try Acceptance.sources(of: request)[0].origin != old { request.network.forgetCredentials() }
    return request
  }

  /// Records the new URL, with the validator of its answer, and lets the transfer go.
  func end(_ store: Store, _ proof: Result<ResponseHead?, TransferFailure>) -> TransferFailure? {
    do {
      if case .success(let head) = proof, var record = try store.record(id) {
        let acceptance = Acceptance(ids: [id], owner: owner, stateFolder: stateFolder)
        let request = try relinked(record, acceptance)
        let address = try Acceptance.sources(of: request)[0]
        record.url = address.redacted
        record.options = RequestOptions(request).json()
        record.urlDigest = Acceptance.digest(of: url)
        if let validator = head.map({ Validator(of: $0) }) {
          record.entityTag = validator.entityTag
          record.lastModified = validator.lastModified
          record.isLastModifiedStrong = validator.isStrong && validator.entityTag == nil
        }
        record.state = .paused
        record.failure = nil
        record.finishedAt = nil
        try acceptance.writeSecrets(of: request, address, to: &record)
        try store.update([record], durably: true)
      }
      try store.release([id])
      return nil
    } catch {
      return TransferFailure(storing: error)
    }
  }
}

/// Takes nothing: all that is asked for is held already, and only compared.
final class ProbeSink: ByteSink {
  var lock: String? { "the bytes held cannot be compared" }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, driver: DownloadDriver) -> Bool { true }
}
