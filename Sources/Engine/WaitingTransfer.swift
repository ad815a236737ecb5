import Core
import Posix
import State

/// An accepted transfer before its turn: small, since there may be a hundred thousand.
struct WaitingTransfer: Sendable {
  var record: TransferRecord
  var request: DownloadRequest
  var sources: [WebURL]
  /// Set when the finished file is there and the server is only asked whether it changed.
  var finished: Validator?
  var origin: String { sources[0].origin }

  /// The turn has come: look at what an earlier life left, and go on from there.
  func makeDriver(core: EngineCore, onlyCompares: Bool = false) -> DownloadDriver {
    let (part, held) = request.resumes ? leftByEarlierLife(core) : (nil, RangeSet())
    return DownloadDriver(
      core: core, request: request, sources: sources, record: record, held: held, part: part, finished: finished,
      onlyCompares: onlyCompares)
  }

  /// What was synced, and after a mere kill also what the journal saw written; nothing unless the partial can hold it.
  private func leftByEarlierLife(_ core: EngineCore) -> (PartFile?, RangeSet) {
    guard let name = record.partName else { return (nil, RangeSet()) }
    do throws(Errno) {
      guard let part = try PartFile.open(folder: record.folder, name: name) else { return (nil, RangeSet()) }
      let status = try part.status()
      var held = record.synced
      let journalled = WriteJournal.read(
        folder: core.configuration.stateFolder, id: record.id, bootID: core.bootID, device: status.device,
        inode: status.inode)
      if let journalled, record.bytesTotal != nil { held.formUnion(journalled) }
      // A file shorter than its record was damaged from outside: nothing in it is to be trusted.
      guard !held.isEmpty, held.end <= status.byteCount else { return (nil, RangeSet()) }
      return (part, held)
    } catch {
      return (nil, RangeSet())
    }
  }
}
