import Core
import Crypto
import Posix
import State

/// Turns a media that came by a link into a download: the one of before where there is one. Runs on the store's thread.
struct MediaFetch: Sendable {
  enum Taken: Sendable {
    case accepted(Acceptance.Accepted)
    /// Bytes of it are held, from another link.
    case earlier(TransferID)
    /// The file is there, from an earlier time.
    case duplicate(path: String, byteCount: Int64, sha256: String)
  }

  let frame: MediaFrame
  let request: DownloadRequest
  private let session: SessionKey
  private let acceptance: Acceptance
  private let limitSeconds = MediaLimits().duplicateSeconds
  private var usesEarlier = true

  init(frame: MediaFrame, request: DownloadRequest, session: SessionKey, core: EngineCore) {
    self.frame = frame
    self.request = request
    self.session = session
    acceptance = Acceptance(requests: [request], core: core)
  }

  /// The same without what is held from another link.
  var anew: MediaFetch {
    var fetch = self
    fetch.usesEarlier = false
    return fetch
  }

  func run(_ store: Store) -> Result<Taken, TransferFailure> {
    do {
      let digest = sha256Hexadecimal(of: frame.id)
      if let known = try duplicate(digest, store) { return .success(known) }
      if usesEarlier, let known = try earlier(digest, store) { return .success(.earlier(known)) }
      let accepted = try acceptance.run(store).get()
      for transfer in accepted.transfers {
        try store.link(
          MediaDownloadRecord(
            transfer: transfer.id, session: session, idDigest: digest, mediaID: String(frame.id.prefix(80)),
            head: frame.saved))
      }
      return .success(.accepted(accepted))
    } catch {
      return .failure(TransferFailure(storing: error))
    }
  }

  /// The newest download of the same media that holds something, and came from elsewhere.
  private func earlier(_ digest: String, _ store: Store) throws -> TransferID? {
    for link in try store.mediaDownloads(of: session, idDigest: digest).reversed() {
      guard let record = try store.record(link.transfer), record.state != .completed, record.state != .cancelled,
        record.partName != nil
      else { continue }
      // The same command goes on by itself.
      return record.urlDigest == Acceptance.digest(of: request.url) ? nil : record.id
    }
    return nil
  }

  /// The same ID within a day, from the same place, with its file still there: nothing is fetched again.
  private func duplicate(_ digest: String, _ store: Store) throws -> Taken? {
    for link in try store.mediaDownloads(of: session, idDigest: digest).reversed() {
      guard let record = try store.record(link.transfer), record.state == .completed, let path = record.path,
        let finished = record.finishedAt, Clocks.wallClock() - finished < limitSeconds,
        record.urlDigest == Acceptance.digest(of: request.url),
        let status = try Files.statusIfThere(path), status.byteCount == record.fileByteCount
      else { continue }
      return .duplicate(path: path, byteCount: status.byteCount, sha256: record.sha256 ?? "")
    }
    return nil
  }
}
