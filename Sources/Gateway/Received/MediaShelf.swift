import Core
import Posix

/// All media that come in: those that are begun, over any number of connections, and those that are complete.
final class MediaShelf: Sendable {
  private let folder: MediaFolder
  private let limits: SessionLimits
  private let state = Guarded(State())

  private struct State {
    var open: [MediaKey: Entry] = [:]
    var openByteCount: Int64 = 0
    var completed: [MediaKey: CompletedMedia] = [:]
    /// Of `completed`, the oldest first; the front part is forgotten.
    var order: [MediaKey] = []
    var forgottenCount = 0
  }

  private struct Entry {
    let media: OpenMedia
    /// The session that sent its last part.
    var session: Int
    /// Of `Clocks.monotonic()`.
    var touchedAt: Int64
    var byteCount: Int64 = 0
  }

  init(folder path: String, limits: SessionLimits) throws(Errno) {
    folder = try MediaFolder(path)
    self.limits = limits
    try folder.removeStale()
  }

  /// Takes a part of a medium; one that can't be taken is the end of the medium.
  /// - Parameters:
  ///   - bytes: the part's own, decoded.
  ///   - session: tells one connection of the device from another.
  func take(
    _ frame: MediaFrame, _ bytes: [UInt8], from device: String, session: Int, now: Int64
  ) throws(PartRefusal) -> PartOutcome {
    let key = MediaKey(device: device, id: frame.id)
    do throws(PartRefusal) {
      guard state.withLock({ $0.openByteCount + Int64(bytes.count) <= limits.openMediaByteCount }) else {
        throw .media(MediaRejection(frame.id, .noRoom(limit: limits.openMediaByteCount)))
      }
      dropOtherShape(of: key, parts: frame.parts, session)
      let media = try entry(for: frame, key, session, now)
      guard media.frame.parts == frame.parts else {
        throw .media(MediaRejection(frame.id, .partsChanged(from: media.frame.parts, to: frame.parts)))
      }
      return try add(frame, bytes, to: media, key)
    } catch {
      discard(key)
      throw error
    }
  }

  /// The parts of a medium that are held; nil when there is no such medium.
  func heldParts(_ key: MediaKey) -> (parts: Int, held: RangeSet)? {
    state.withLock { $0.open[key]?.media }.map { ($0.frame.parts, $0.heldParts) }
  }

  /// A medium that is complete, unless that is long ago.
  func completed(_ key: MediaKey) -> CompletedMedia? { state.withLock { $0.completed[key] } }

  /// Gives up what has not moved for too long; when to look again, in nanoseconds of `Clocks.monotonic()`.
  func discardIdle(now: Int64) -> Int64 {
    let idle = limits.openMediaIdle.nanoseconds
    let keys = state.withLock { state in state.open.filter { $0.value.touchedAt + idle <= now }.map(\.key) }
    for key in keys { discard(key) }
    return state.withLock { state in (state.open.values.map(\.touchedAt).min() ?? now) + idle }
  }

  /// Gives up all that is not complete.
  func discardAll() {
    for key in state.withLock({ Array($0.open.keys) }) { discard(key) }
  }

  // MARK: Steps

  /// A client that comes back may cut the medium otherwise: what it sent before is no use then. Within one session the
  /// number of parts can't change.
  private func dropOtherShape(of key: MediaKey, parts: Int, _ session: Int) {
    let entry = state.withLock { $0.open[key] }
    guard let entry, entry.session != session, entry.media.frame.parts != parts else { return }
    discard(key)
  }

  private func entry(
    for frame: MediaFrame, _ key: MediaKey, _ session: Int, _ now: Int64
  ) throws(PartRefusal) -> OpenMedia {
    try state.withLock { state throws(PartRefusal) -> OpenMedia in
      if let media = state.open[key]?.media {
        state.open[key]?.touchedAt = now
        state.open[key]?.session = session
        return media
      }
      guard state.open.keys.count(where: { $0.device == key.device }) < limits.openMediaCount else {
        throw .media(MediaRejection(frame.id, .tooManyOpen(limit: limits.openMediaCount)))
      }
      guard state.open.count < limits.openMediaCountOfAll else {
        throw .media(MediaRejection(frame.id, .tooManyOpen(limit: limits.openMediaCountOfAll)))
      }
      let media: OpenMedia
      do throws(Errno) { media = try OpenMedia(frame, in: folder) } catch { throw .storage("\(error)") }
      state.open[key] = Entry(media: media, session: session, touchedAt: now)
      return media
    }
  }

  private func add(
    _ frame: MediaFrame, _ bytes: [UInt8], to media: OpenMedia, _ key: MediaKey
  ) throws(PartRefusal) -> PartOutcome {
    let change: OpenMedia.Change
    do throws(Errno) {
      change = try media.add(frame, bytes, limit: limits.mediaByteCount)
      count(change, of: Int64(bytes.count), key)
      if let completed = try media.completed(known: { known(key, $0) }) {
        remember(completed, key)
        return .complete(completed)
      }
    } catch {
      throw .storage("\(error)")
    }
    switch change {
    // Another session of this device has completed it, or it was given up: the part comes too late.
    case .none, .tooLate: return .repeated
    case .grown: return .held
    case .restarted: return .restarted
    case .tooLarge: throw .media(MediaRejection(frame.id, .tooLarge(limit: limits.mediaByteCount)))
    }
  }

  private func count(_ change: OpenMedia.Change, of byteCount: Int64, _ key: MediaKey) {
    let growth: Int64
    switch change {
    case .none, .tooLate, .tooLarge: return
    case .grown(let count): growth = count
    case .restarted(let dropped): growth = byteCount - dropped
    }
    state.withLock { state in
      guard state.open[key] != nil else { return }
      state.open[key]?.byteCount += growth
      state.openByteCount += growth
    }
  }

  private func known(_ key: MediaKey, _ sha256: String) -> StoredMedia? {
    state.withLock { state in state.completed[key].flatMap { $0.sha256 == sha256 ? $0.media : nil } }
  }

  private func remember(_ completed: CompletedMedia, _ key: MediaKey) {
    state.withLock { state in
      state.openByteCount -= state.open.removeValue(forKey: key)?.byteCount ?? 0
      if state.completed.updateValue(completed, forKey: key) == nil { state.order.append(key) }
      while state.completed.count > limits.rememberedMediaCount {
        state.completed[state.order[state.forgottenCount]] = nil
        state.forgottenCount += 1
      }
      if state.forgottenCount > limits.rememberedMediaCount {
        state.order.removeFirst(state.forgottenCount)
        state.forgottenCount = 0
      }
    }
  }

  /// Gives a medium up that is not complete.
  func discard(_ key: MediaKey) {
    let entry = state.withLock { state in
      let entry = state.open.removeValue(forKey: key)
      state.openByteCount -= entry?.byteCount ?? 0
      return entry
    }
    entry?.media.discard()
  }
}
