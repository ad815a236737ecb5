import Core
import Curl
import Posix
import State

/// Files that come by a link: fetched with the engine's own downloads.
extension SessionDriver {
  func fetch(_ frame: MediaFrame, _ request: DownloadRequest) {
    core.beginAccepting()
    receiver?.busy(1)
    accept(MediaFetch(frame: frame, request: request, session: profile.key, core: core))
  }

  private func accept(_ fetch: MediaFetch) {
    core.storeThread.post { [self] store in
      let result = fetch.run(store)
      core.loop.post {
        if case .success(.earlier(let id)) = result, self.core.driver(id) == nil {
          self.relink(id, fetch)
        } else {
          self.fetched(fetch.frame, result)
        }
      }
    }
  }

  private func fetched(_ frame: MediaFrame, _ result: Result<MediaFetch.Taken, TransferFailure>) {
    do throws(TransferFailure) {
      switch try result.get() {
      case .accepted(let accepted):
        for transfer in try core.endAccepting(.success(accepted)) {
          tell(.mediaAnnounced(id: frame.id, transfer: transfer.id))
        }
      case .earlier(let id):
        core.accepting -= 1
        tell(.mediaAnnounced(id: frame.id, transfer: id))
      case .duplicate(let path, let byteCount, let sha256):
        core.accepting -= 1
        tell(
          .duplicate(
            ReceivedMedia(
              id: frame.id, kind: frame.kind, mime: frame.mime, caption: frame.caption, path: path,
              byteCount: byteCount, sha256: sha256)))
      }
    } catch {
      if case .failure = result { core.accepting -= 1 }
      tell(.mediaFailed(id: frame.id, error))
    }
    receiver?.busy(-1)
    core.deliver()
  }

  // MARK: A new link for a known ID

  /// The bytes that are held stay when the new link leads to the same ones; else the file is fetched anew.
  private func relink(_ id: TransferID, _ fetch: MediaFetch) {
    let relinking = Relinking(
      id: id, url: fetch.request.url, owner: core.owner.token, stateFolder: core.configuration.stateFolder)
    core.storeThread.post { [self] store in
      let begun = relinking.begin(store)
      core.loop.post {
        switch begun {
        case .failure: self.accept(fetch.anew)
        case .success(nil): self.relinked(relinking, fetch, .success(nil))
        case .success(let waiting?): self.core.probe(waiting) { self.relinked(relinking, fetch, $0) }
        }
      }
    }
  }

  private func relinked(
    _ relinking: Relinking, _ fetch: MediaFetch, _ proof: Result<ResponseHead?, TransferFailure>
  ) {
    let resumption = Acceptance(ids: [relinking.id], core: core)
    core.storeThread.post { [self] store in
      var isSame = false
      if case .success = proof { isSame = true }
      let failure = relinking.end(store, proof)
      let resumed = isSame && failure == nil ? resumption.run(store) : nil
      core.loop.post {
        guard case .success(let accepted)? = resumed else { return self.accept(fetch.anew) }
        self.fetched(fetch.frame, .success(.accepted(accepted)))
      }
    }
  }
}
