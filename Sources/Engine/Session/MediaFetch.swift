import Core
import Crypto
import Posix
import State

/// Turns a media that came by a link into a download: the one of before where there is one. Runs on the store's thread.
struct MediaFetch: Sendable {
  enum Taken: Sendable {
    case accepted(Acceptance.Accepted)
    /// A download of it is at work in this process, from another link.
    case atWork(TransferID)
    /// A file of it is there, from another link: the end of it is to be compared.
    case comparison(WaitingTransfer, Earlier)
    /// The file is there, from an earlier time.
    case duplicate(Earlier)
  }

  struct Earlier: Sendable {
    let path: String
    let byteCount: Int64
    let sha256: String
  }

  let frame: MediaFrame
  let request: DownloadRequest
  private let session: SessionKey
  private let acceptance: Acceptance
  private let duplicateSeconds: Double
  private var comparesFiles = true

  init(frame: MediaFrame, request: DownloadRequest, session: SessionKey, limits: MediaLimits, core: EngineCore) {
    self.frame = frame
    self.request = request
    self.session = session
    duplicateSeconds = limits.duplicateSeconds
    acceptance = Acceptance(requests: [request], core: core)
  }

  /// The same, where a file of before turned out to be another one.
  var anew: MediaFetch {
    var fetch = self
    fetch.comparesFiles = false
    return fetch
  }

  func run(_ store: Store) -> Result<Taken, TransferFailure> {
    do { return .success(try take(store)) } catch { return .failure(TransferFailure(storing: error)) }
  }

  private func take(_ store: Store) throws -> Taken {
    let digest = sha256Hexadecimal(of: frame.id)
    let urlDigest = Acceptance.digest(of: request.url)
    let links = try store.mediaDownloads(of: session, idDigest: digest)
    let known = try links.reversed().compactMap { try store.record($0.transfer) }
    for record in known where record.state == .completed {
      guard let earlier = try file(of: record) else { continue }
      if record.urlDigest == urlDigest { return .duplicate(earlier) }
      if comparesFiles, earlier.byteCount > 0 { return .comparison(try comparison(record, earlier), earlier) }
    }
    let unfinished = known.first { $0.state != .completed && $0.state != .cancelled }
    // The same link again goes on by itself.
    if let unfinished, unfinished.urlDigest != urlDigest {
      if acceptance.isOurs(unfinished) { return .atWork(unfinished.id) }
      return .accepted(try linked(acceptance.takeUp(unfinished.id, as: request, store), digest, store))
    }
    return .accepted(try linked(acceptance.run(store).get(), digest, store))
  }

  private func linked(
    _ accepted: Acceptance.Accepted, _ digest: String, _ store: Store
  ) throws(StateError) -> Acceptance.Accepted {
    for transfer in accepted.transfers {
      try store.link(
        MediaDownloadRecord(
          transfer: transfer.id, session: session, idDigest: digest, mediaID: String(frame.id.prefix(80)),
          head: frame.saved))
    }
    return accepted
  }

  /// The file of a download that ended within a day, if it is still there.
  private func file(of record: TransferRecord) throws(Errno) -> Earlier? {
    guard let path = record.path, let finished = record.finishedAt,
      Clocks.wallClock() - finished < duplicateSeconds, let status = try Files.statusIfThere(path),
      status.byteCount == record.fileByteCount
    else { return nil }
    return Earlier(path: path, byteCount: status.byteCount, sha256: record.sha256 ?? "")
  }

  /// Asks the new link for the end of the file.
  private func comparison(_ record: TransferRecord, _ earlier: Earlier) throws(TransferFailure) -> WaitingTransfer {
    var random = SecureRandom()
    var held = TransferRecord(
      id: .random(using: &random), kind: .download, state: .running, url: record.url, urlDigest: record.urlDigest,
      folder: Paths.folder(earlier.path), createdAt: record.createdAt)
    held.partName = Paths.lastName(earlier.path)
    held.bytesTotal = earlier.byteCount
    held.synced.insert(ByteRange(0, earlier.byteCount))
    var request = request
    request.onChange = .fail
    request.connections = 1
    return WaitingTransfer(record: held, request: request, sources: try Acceptance.sources(of: request))
  }
}

extension Acceptance {
  /// Takes up an unfinished download with another request for the same bytes: signed URLs expire. Tags of two places say
  /// nothing about each other, so the end of what is held is compared first.
  func takeUp(_ id: TransferID, as request: DownloadRequest, _ store: Store) throws -> Accepted {
    let sources = try Self.sources(of: request)
    try claim([id], store)
    do {
      guard var record = try store.record(id) else { throw TransferFailure(.usage, "no transfer \(id)") }
      record.url = sources[0].redacted
      record.urlDigest = Self.digest(of: request.url)
      record.options = RequestOptions(request).json()
      record.entityTag = nil
      record.lastModified = nil
      record.isLastModifiedStrong = false
      try writeSecrets(of: request, sources[0], to: &record)
      let waiting = try begun(&record, request, sources)
      try store.update([record], durably: true)
      var accepted = Accepted()
      accepted.transfers = [AcceptedTransfer(id: id, outcome: .resumed(bytesHeld: record.synced.byteCount))]
      accepted.waiting = [waiting]
      accepted.connectionLimits = try store.connectionLimits(now: Clocks.wallClock())
      return accepted
    } catch {
      try store.release([id])
      throw error
    }
  }
}
