import Core
import Curl
import Posix
import State

/// Files that come by a link: fetched with the engine's own downloads.
extension SessionDriver {
  func fetch(_ frame: MediaFrame, _ request: DownloadRequest) {
    core.beginAccepting()
    accept(
      MediaFetch(frame: frame, request: request, session: profile.key, limits: options.limits, core: core))
  }

  /// Until it is on disk nothing more is read: the gateway must not think that we have it.
  private func accept(_ fetch: MediaFetch) {
    receiver?.busy(1)
    core.storeThread.post { [self] store in
      let result = fetch.run(store)
      core.loop.post {
        self.accepted(fetch, result)
        self.receiver?.busy(-1)
        self.core.deliver()
      }
    }
  }

  private func accepted(_ fetch: MediaFetch, _ result: Result<MediaFetch.Taken, TransferFailure>) {
    let id = fetch.frame.id
    switch result {
    case .success(.accepted(let accepted)):
      do throws(TransferFailure) {
        for transfer in try core.endAccepting(.success(accepted)) {
          tell(.mediaAnnounced(id: id, transfer: transfer.id))
        }
      } catch {
        tell(.mediaFailed(id: id, error))
      }
    case .success(.comparison(let waiting, let earlier)):
      core.probe(waiting) { self.compared(fetch, earlier, $0) }
    case .success(.atWork(let transfer)):
      core.accepting -= 1
      tell(.mediaAnnounced(id: id, transfer: transfer))
      newerLinks[transfer] = fetch
      // What waits for its next try need not: the old link is likely the trouble.
      if let driver = core.driver(transfer), driver.snapshot.state == .waiting, driver.snapshot.reason != .disk,
        let failure = driver.snapshot.failure
      {
        driver.end(failure)
      }
    case .success(.duplicate(let earlier)):
      core.accepting -= 1
      tell(duplicate: fetch.frame, earlier)
    case .failure(let failure):
      core.accepting -= 1
      tell(.mediaFailed(id: id, failure))
    }
  }

  private func compared(
    _ fetch: MediaFetch, _ earlier: MediaFetch.Earlier, _ proof: Result<ResponseHead?, TransferFailure>
  ) {
    switch proof {
    case .success(.some):
      core.accepting -= 1
      tell(duplicate: fetch.frame, earlier)
    case _ where core.isStopping: core.accepting -= 1
    // Other bytes, or nothing that could be compared.
    case .success(nil), .failure: accept(fetch.anew)
    }
    core.settledAll()
  }

  private func tell(duplicate frame: MediaFrame, _ earlier: MediaFetch.Earlier) {
    tell(
      .duplicate(
        ReceivedMedia(
          id: frame.id, kind: frame.kind, mime: frame.mime, caption: frame.caption, path: earlier.path,
          byteCount: earlier.byteCount, sha256: earlier.sha256)))
  }

  /// A download has ended: one that failed goes on with a newer link, where there is one.
  func downloadEnded(_ id: TransferID, hasFailed: Bool) -> Bool {
    guard let fetch = newerLinks.removeValue(forKey: id), hasFailed, !core.isStopping else { return false }
    core.beginAccepting()
    accept(fetch)
    return true
  }
}
