import Core
import Posix
import State

/// The driver's file: its name, its room on the disk, its bytes, its end.
extension DownloadDriver {
  /// Whether the whole fits into memory and goes to the disk in one piece with others of its kind.
  var isSmall: Bool {
    guard sink == nil, part == nil, let total = machine.total else { return false }
    // A wrong digest is to be met while another source can still be asked.
    guard sources.count == 1 || request.checksum == nil else { return false }
    return total <= Limits.smallByteCount && written.isEmpty
  }

  // MARK: Learned

  /// The first head is read: decide the name, look at the disk, record what ties the bytes to the file.
  func learned() {
    guard sink == nil else { return }
    if isRecheck {
      // The file of the earlier run stays what and where it is; this one starts from nothing.
      isRecheck = false
      forgetPart()
      record.path = nil
      record.sha256 = nil
      record.fileByteCount = nil
      record.fileModifiedNanoseconds = nil
      snapshot.path = nil
    }
    record.bytesTotal = machine.total
    let validator = machine.savedValidator
    record.entityTag = validator.entityTag
    record.lastModified = validator.lastModified
    record.isLastModifiedStrong = validator.isStrong && validator.entityTag == nil
    snapshot.bytesTotal = machine.total
    decideName()
    guard !isEnded, !isSmall, !machine.isRestarting else { return }
    ensurePart()
    // The partial of an earlier life has its journal already; this life goes on with one of its own.
    openJournal()
    if record.state != .running { save() }
  }

  private func decideName() {
    guard snapshot.path == nil || record.partName == nil else { return }
    let fallback = SafeFileName.fallback(kind: "download", id: id.text)
    let raw = record.requestedName ?? request.name ?? suggestedName ?? (finalURL ?? sources[0]).lastPathName
    // What the user typed as a path is taken as it is; every other name comes from outside.
    let name = record.requestedName ?? SafeFileName(raw, fallback: fallback).text
    let path = Paths.join(record.folder, name)
    snapshot.path = path
    snapshot.name = name
    record.path = path
    if part == nil { record.partName = newPartName(for: name) }
    guard request.ifExists == .fail || request.ifExists == .skip, Files.isThere(path) else { return }
    switch request.ifExists {
    case .fail:
      end(
        TransferFailure(
          .fileExists, "\(path) exists", hint: "--if-exists rename|overwrite|skip, or another --output"))
    case .skip: core.skip(self)
    case .rename, .overwrite: break
    }
  }

  /// Nothing is held any more.
  func forgetPart() {
    record.synced = RangeSet()
    record.bytesTotal = nil
    record.entityTag = nil
    record.lastModified = nil
    record.isLastModifiedStrong = false
    formerPartName = record.partName ?? formerPartName
    record.partName = nil
  }

  /// Another name than the last one had: until our record is on the disk, the old record speaks of a file that is not
  /// there, and never of the new one's bytes.
  private func newPartName(for name: String) -> String {
    let usual = SafeFileName.partName(for: name, id: id.text)
    return usual == formerPartName ? SafeFileName.partName(for: name, id: "\(id)-2") : usual
  }

  /// Opens the part file and reserves its room.
  func ensurePart() {
    guard part == nil, sink == nil, let name = record.partName else { return }
    do throws(Errno) {
      let part = try PartFile.create(folder: record.folder, name: name, isPrivate: request.media != nil)
      self.part = part
      if let former = formerPartName { try Files.unlink(former, in: Files.openFolder(record.folder), ifThere: true) }
      try reserve(part)
    } catch {
      return diskFailed(error, doing: "cannot create a file in \(record.folder)")
    }
    openJournal()
    save()
  }

  private func reserve(_ part: PartFile) throws(Errno) {
    guard let total = machine.total else { return }
    let needed = total - written.byteCount
    let free = try Files.freeByteCount(at: record.folder)
    guard free - Limits.spareDiskByteCount >= needed else { return roomMissing(needed: needed, free: free) }
    _ = try part.reserve(total)
  }

  /// The journal lets a killed process go on where it wrote last, without any commit.
  func openJournal() {
    guard let part, journal == nil else { return }
    do {
      let status = try part.status()
      let journal = try WriteJournal.create(
        folder: core.configuration.stateFolder, id: id, bootID: core.bootID, device: status.device,
        inode: status.inode, held: written)
      self.journal = journal
    } catch {
      // Without one a kill costs what the last second brought; but an old one must not vouch for this part file.
      do throws(TransferFailure) { try removeJournal() } catch { return abort(error) }
      core.emit(.note, self, note: "no journal: \(error)")
    }
  }

  /// A connection's run is over: its record may be joined with others.
  func endRun(of connection: LaneConnection) {
    if let number = connection.journalRecord { journal?.finish(number) }
    connection.journalRecord = nil
  }

  func removeJournal() throws(TransferFailure) {
    journal = nil
    do throws(StateError) {
      try WriteJournal.remove(folder: core.configuration.stateFolder, id: id)
    } catch {
      throw error.failure
    }
  }

  // MARK: Bytes

  func keep(_ bytes: UnsafeRawBufferPointer, at offset: Int64, on connection: LaneConnection) -> Bool {
    if let sink { return unsafe sink.write(bytes, at: offset, driver: self) }
    let capacity = isSmall ? Int(machine.total ?? 0) : Limits.coalescedByteCount
    return unsafe connection.keep(bytes, at: offset, capacity: capacity) {
      // The only flush of a small file is its end.
      isSmall || flush(connection)
    }
  }

  /// Writes what a lane gathered; false when that failed, and then the download has been told.
  func flush(_ connection: LaneConnection) -> Bool {
    guard let buffer = connection.buffer, buffer.byteCount > 0, !isEnded || part != nil else { return true }
    if part == nil { ensurePart() }
    guard let part else { return false }
    let range = ByteRange(connection.bufferOffset, connection.bufferOffset + Int64(buffer.byteCount))
    do throws(Errno) {
      try unsafe part.write(buffer.bytes, at: range.start)
    } catch {
      buffer.removeAll()
      diskFailed(error, doing: "cannot write to \(part.place)")
      return false
    }
    buffer.removeAll()
    written.insert(range)
    extendJournal(connection, range)
    return true
  }

  private func extendJournal(_ connection: LaneConnection, _ range: ByteRange) {
    guard let journal else { return }
    let isContinued = connection.journalRecord != nil && connection.journalEnd == range.start
    if !isContinued { connection.runStart = range.start }
    do {
      let number = isContinued ? connection.journalRecord ?? 0 : try journal.addRecord()
      connection.journalRecord = number
      connection.journalEnd = range.end
      try journal.extend(number, ByteRange(connection.runStart, range.end))
    } catch {
      // The journal only saves work after a kill; a full disk is told by the file itself.
      self.journal = nil
    }
  }

  func flushAll() {
    for case .some(let connection) in lanes where !connection.isHeld { _ = flush(connection) }
  }

  // MARK: Trouble

  /// Ends the download from inside a callback, where libcurl must not be called.
  func abort(_ failure: TransferFailure) { postpone(machine.abort(failure)) }

  func diskFailed(_ error: Errno, doing: String) {
    guard error.isDiskFull else {
      return abort(TransferFailure(.localFile, "\(doing): \(error)"))
    }
    let free: Int64
    do throws(Errno) { free = try Files.freeByteCount(at: record.folder) } catch { free = 0 }
    roomMissing(needed: machine.total.map { $0 - written.byteCount } ?? 0, free: free)
  }

  private func roomMissing(needed: Int64, free: Int64) {
    let wanted = needed > 0 ? "\(needed) bytes are needed, \(free) are free" : "\(free) bytes are free"
    let failure = TransferFailure(
      .diskFull, "disk full in \(record.folder): \(wanted)",
      hint: "make room, then: hermes-transfer resume \(id); or start with --wait-for-disk")
    // Bytes that were taken but not written are not held.
    machine.keepOnly(written)
    postpone(machine.diskFull(failure, now: core.now, checkSeconds: Limits.diskCheckSeconds))
  }

  /// Whether a transfer that waits for room has it now.
  var hasRoom: Bool {
    do throws(Errno) {
      let free = try Files.freeByteCount(at: record.folder)
      return free - Limits.spareDiskByteCount >= (machine.total ?? 0) - written.byteCount
    } catch {
      return false
    }
  }

  // MARK: The end

  func finish() {
    guard !isEnded else { return }
    if sink != nil { return core.finishedStream(self) }
    if !isSmall {
      flushAll()
      ensurePart()
      // A write that failed on the way has told the machine, whose answer to that is still to be performed.
      guard !isEnded, part != nil, machine.isFinishing else { return }
      guard let total = machine.total, total == 0 || written.contains(ByteRange(0, total)) else {
        return end(TransferFailure(.internalError, "\(written.byteCount) bytes were written of a file taken for whole"))
      }
    }
    // Names were decided with the first head; a file that was whole before this life has one from then.
    if snapshot.path == nil { decideName() }
    guard !isEnded else { return }
    snapshot.state = .verifying
    snapshot.bytesDone = machine.total ?? written.byteCount
    core.finish(self)
  }
}
