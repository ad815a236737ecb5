import Core
import Crypto
import Posix
import State

/// Media that are not whole yet, on disk: part files and their records. On the store's thread.
///
/// `@unchecked Sendable`: only that thread touches it.
final class AssemblyShelf: @unchecked Sendable {
  struct Found: Sendable {
    var record: AssemblyRecord
    var saved: MediaAssembler.Saved
  }
  struct Restored: Sendable {
    var saved: [Found] = []
    var finished: [(head: MediaFrame, finish: MediaAssembler.Finish)] = []
  }

  private let session: SessionKey
  private let folder: String
  private let limits: MediaLimits
  private let bootID: String
  private var records: [Int: AssemblyRecord] = [:]
  /// Of what came in order, so that the file need not be read again.
  private var digests: [Int: RunningDigest] = [:]

  init(session: SessionKey, folder: String, limits: MediaLimits, bootID: String) {
    self.session = session
    self.folder = folder
    self.limits = limits
    self.bootID = bootID
  }

  // MARK: From earlier lives

  func restore(_ store: Store, now: Double) throws(StateError) -> Restored {
    var restored = Restored()
    for record in try store.surplusAssemblies(
      idleSince: now - limits.idleSeconds, keeping: limits.maxOpenCount)
    where record.promise == nil && record.session == session {
      try drop(record, store)
    }
    for var record in try store.assemblies(of: session) {
      guard let head = MediaFrame(saved: record.head) else {
        try drop(record, store)
        continue
      }
      if let promise = record.promise, let status = status(promise.path), status.inode == promise.inode {
        // It got its name, and the process ended before it could say so, or remove what it was put together from.
        removePart(record)
        let received = ReceivedRecord(
          session: session, kind: .media, idDigest: record.idDigest, sha256: promise.sha256, path: promise.path,
          receivedAt: now)
        try store.finish(record.number, received)
        restored.finished.append(
          (head, .saved(path: promise.path, byteCount: status.byteCount, sha256: promise.sha256)))
        continue
      }
      try keepWhatIsThere(&record, store)
      restored.saved.append(
        Found(
          record: record,
          saved: MediaAssembler.Saved(head: head, parts: record.parts, idleSeconds: max(0, now - record.updatedAt))))
    }
    return restored
  }

  /// After another start of the machine a part is believed only when its digest is right; one whose bytes are not there
  /// never is.
  private func keepWhatIsThere(_ record: inout AssemblyRecord, _ store: Store) throws(StateError) {
    let before = record.parts.count
    do throws(Errno) {
      let file = try Files.openExisting(partPath(record))
      let byteCount = try file.status().byteCount
      let isSameBoot = record.bootID == bootID
      var kept: [HeldPart] = []
      for part in record.parts where part.start + part.byteCount <= byteCount {
        if isSameBoot {
          kept.append(part)
        } else if try Self.tag(of: part, in: file) == part.tag {
          kept.append(part)
        }
      }
      record.parts = kept
    } catch {
      record.parts = []
    }
    guard record.parts.count != before || record.bootID != bootID else { return }
    record.bootID = bootID
    record.promise = nil
    try store.rewrite(record)
  }

  private static func tag(of part: HeldPart, in file: borrowing Descriptor) throws(Errno) -> String {
    // No longer than the file, whatever the record says.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(part.byteCount), alignment: 16)
    defer { unsafe room.deallocate() }
    var done = 0
    while done < room.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[done...])
      let count = try unsafe file.read(into: rest, at: part.start + Int64(done))
      guard count > 0 else { throw .ioError }
      done += count
    }
    return unsafe EqualityTag.of(UnsafeRawBufferPointer(room))
  }

  func adopt(_ record: AssemblyRecord, as number: Int) { records[number] = record }

  func drop(_ record: AssemblyRecord, _ store: Store) throws(StateError) {
    removePart(record)
    try store.drop([record.number])
  }

  /// Drops what an earlier life left, unless the media began anew meanwhile: then it is gone, and its number may be the
  /// new one's.
  func giveUp(_ record: AssemblyRecord, _ store: Store) throws(StateError) {
    if !records.values.contains(where: { $0.number == record.number }) { try drop(record, store) }
  }

  // MARK: Parts

  func begin(_ number: Int, _ head: MediaFrame, _ store: Store, now: Double) throws(StateError) {
    let digest = sha256Hexadecimal(of: head.id)
    let name = SafeFileName(head.fileName ?? "", fallback: head.fallbackName).text
    let record = AssemblyRecord(
      session: session, idDigest: digest, mediaID: String(head.id.prefix(80)), head: head.saved,
      partCount: head.parts, folder: folder,
      partName: SafeFileName.partName(for: name, id: "\(digest.prefix(8))\(UInt32.random(in: .min ... .max))"),
      bootID: bootID, startedAt: now)
    // In place of an earlier one of the same ID, whose part file goes.
    if let old = try store.assembly(of: session, idDigest: digest) { removePart(old) }
    records[number] = try store.begin(record)
    digests[number] = RunningDigest()
  }

  /// Nil when it is written and recorded.
  func write(
    _ number: Int, _ part: HeldPart, _ bytes: [UInt8], _ store: Store, now: Double
  ) throws(StateError) -> TransferFailure? {
    guard let record = records[number] else { return nil }
    do throws(Errno) {
      let file = try openPart(record)
      try file.writeAll(bytes, at: part.start)
    } catch {
      return failure(error, "cannot write to \(record.folder)", in: record)
    }
    records[number]?.parts.append(part)
    digests[number]?.add(bytes, at: part.start, part: part.part)
    try store.add([part], to: record.number, at: now)
    return nil
  }

  /// More is known of the media: its name, its caption.
  func amend(_ number: Int, _ head: MediaFrame, _ store: Store) throws(StateError) {
    guard var record = records[number] else { return }
    record.head = head.saved
    records[number] = record
    try store.rewrite(record)
  }

  func discard(_ number: Int, _ store: Store) throws(StateError) {
    digests[number] = nil
    guard let record = records.removeValue(forKey: number) else { return }
    try drop(record, store)
  }

  private func openPart(_ record: AssemblyRecord) throws(Errno) -> Descriptor {
    do throws(Errno) { return try Files.openExisting(partPath(record), writing: true) } catch .notFound {
      // With what it held gone, another one in its place would have a hole.
      guard record.parts.isEmpty else { throw .notFound }
      try Files.makeFolders(record.folder)
      return try Files.createExclusively(partPath(record))
    }
  }

  // MARK: The whole

  /// Joins, syncs, and gives the file its name: a name exists only for what is whole, on the disk and promised.
  func finish(
    _ number: Int, _ head: MediaFrame, _ join: MediaJoin, _ store: Store, now: Double
  ) throws(StateError) -> MediaAssembler.Finish {
    guard let record = records.removeValue(forKey: number) else {
      return .failed(TransferFailure(.internalError, "a media was finished that was not begun"))
    }
    let whole: WholeFile
    let digest = digests.removeValue(forKey: number)
    do throws(Errno) { whole = try self.whole(record, join, digest) } catch {
      records[number] = record
      return .failed(failure(error, "cannot put together \(head.fileName ?? head.fallbackName)", in: record))
    }
    let earlier = try store.received(
      .media, of: session, idDigest: record.idDigest, since: now - limits.duplicateSeconds)
    let receipts = earlier.map { MediaReceipt(sha256: $0.sha256, receivedAt: $0.receivedAt) }
    if MediaReceipt.judge(sha256: whole.sha256, earlier: receipts, now: now, limits: limits) == .duplicate {
      if whole.name != record.partName { remove(whole.name, in: record) }
      try drop(record, store)
      let path = earlier.last { $0.sha256 == whole.sha256 }?.path.flatMap { status($0) == nil ? nil : $0 }
      return .duplicate(path: path, byteCount: join.byteCount, sha256: whole.sha256)
    }
    let named = try name(whole, head, record, store)
    guard case .success(let path) = named else {
      records[number] = record
      if case .failure(let failure) = named { return .failed(failure) }
      return .failed(TransferFailure(.fileExists, "no free name"))
    }
    if whole.name != record.partName { removePart(record) }
    try store.finish(
      record.number,
      ReceivedRecord(
        session: session, kind: .media, idDigest: record.idDigest, sha256: whole.sha256, path: path, receivedAt: now))
    return .saved(path: path, byteCount: join.byteCount, sha256: whole.sha256)
  }

  /// The content in one file, synced, with its digest.
  private func whole(
    _ record: AssemblyRecord, _ join: MediaJoin, _ running: RunningDigest?
  ) throws(Errno) -> WholeFile {
    let source = try openPart(record)
    if join.isInOrder {
      let running = running ?? RunningDigest()
      // Nothing is left to read when all parts came in order, in this life.
      let start = running.end
      try Self.digest(source, from: start, byteCount: join.byteCount - start, into: running.digest)
      try source.truncate(byteCount: join.byteCount)
      try source.syncData()
      let sha256 = running.digest.finishHexadecimal()
      return WholeFile(name: record.partName, sha256: sha256, inode: try source.status().inode)
    }
    let digest = Digest(.sha256)
    let name = record.partName + ".joined"
    try Files.unlink(Paths.join(record.folder, name), ifThere: true)
    let target = try Files.createExclusively(Paths.join(record.folder, name))
    var offset: Int64 = 0
    for part in join.parts {
      try Self.copy(part, of: source, to: target, at: offset, digest)
      offset += part.byteCount
    }
    try target.syncData()
    return WholeFile(name: name, sha256: digest.finishHexadecimal(), inode: try target.status().inode)
  }

  /// Gives the file its name, or another one where that is taken; each is promised before.
  private func name(
    _ whole: WholeFile, _ head: MediaFrame, _ record: AssemblyRecord, _ store: Store
  ) throws(StateError) -> Result<String, TransferFailure> {
    let wanted = SafeFileName(head.fileName ?? "", fallback: head.fallbackName).text
    for number in 0...Limits.nameVariants {
      let name = number == 0 ? wanted : SafeFileName.variant(of: wanted, number)
      // In the folder that it was begun in: a rename leads to no other file system.
      let path = Paths.join(record.folder, name)
      guard status(path) == nil else { continue }
      try store.promise(record.number, AssemblyRecord.Promise(path: path, sha256: whole.sha256, inode: whole.inode))
      switch whole.take(name: name, in: record.folder) {
      case nil: return .success(path)
      case .some(.exists): continue
      case .some(let error): return .failure(failure(error, "cannot name \(name)", in: record))
      }
    }
    return .failure(TransferFailure(.fileExists, "\(wanted) and \(Limits.nameVariants) names like it are taken"))
  }

  // MARK: Files

  private func partPath(_ record: AssemblyRecord) -> String { Paths.join(record.folder, record.partName) }

  private func removePart(_ record: AssemblyRecord) {
    remove(record.partName, in: record)
    remove(record.partName + ".joined", in: record)
  }

  private func remove(_ name: String, in record: AssemblyRecord) {
    do throws(Errno) { try Files.unlink(Paths.join(record.folder, name), ifThere: true) } catch {
      // A hidden file that cannot be removed is in nobody's way; the next start finds no record of it.
    }
  }

  /// Of what stands there itself: a link at a name is taken, wherever it leads.
  private func status(_ path: String) -> FileStatus? {
    do throws(Errno) { return try Files.statusIfThere(path, followsLinks: false) } catch { return nil }
  }

  /// Feeds a stretch of the file to a digest, and where a copy is wanted, appends it there.
  private static func digest(
    _ file: borrowing Descriptor, from start: Int64, byteCount: Int64, into digest: Digest
  ) throws(Errno) {
    var room = [UInt8](repeating: 0, count: pieceByteCount)
    var done: Int64 = 0
    while done < byteCount {
      let count = try read(file, &room, at: start + done, atMost: byteCount - done)
      unsafe room.withUnsafeBytes { unsafe digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      done += Int64(count)
    }
  }

  private static func copy(
    _ part: HeldPart, of file: borrowing Descriptor, to target: borrowing Descriptor, at offset: Int64,
    _ digest: Digest
  ) throws(Errno) {
    var room = [UInt8](repeating: 0, count: pieceByteCount)
    var done: Int64 = 0
    while done < part.byteCount {
      let count = try read(file, &room, at: part.start + done, atMost: part.byteCount - done)
      let piece = Array(room[..<count])
      digest.update(piece)
      try target.writeAll(piece, at: offset + done)
      done += Int64(count)
    }
  }

  private static let pieceByteCount = 256 << 10

  private static func read(
    _ file: borrowing Descriptor, _ room: inout [UInt8], at offset: Int64, atMost limit: Int64
  ) throws(Errno) -> Int {
    let count = try file.read(into: &room, at: offset)
    guard count > 0 else { throw .ioError }
    return Int(min(Int64(count), limit))
  }

  private func failure(_ error: Errno, _ what: String, in record: AssemblyRecord) -> TransferFailure {
    error.isDiskFull
      ? TransferFailure(.diskFull, "disk full in \(record.folder)") : TransferFailure(.localFile, "\(what): \(error)")
  }
}

/// The digest of a media as far as its parts came in their order, one behind the other in the part file.
private struct RunningDigest {
  let digest = Digest(.sha256)
  private(set) var end: Int64 = 0
  private var nextPart = 0

  mutating func add(_ bytes: [UInt8], at start: Int64, part: Int) {
    guard part == nextPart, start == end else { return }
    digest.update(bytes)
    end += Int64(bytes.count)
    nextPart += 1
  }
}

/// The content of a media in one file, synced.
private struct WholeFile {
  /// Its present name, hidden.
  let name: String
  let sha256: String
  let inode: UInt64

  /// Never in place of another file; nil when it was done and survives a power cut.
  func take(name newName: String, in folder: String) -> Errno? {
    do throws(Errno) {
      let place = try Files.openFolder(folder)
      try Files.renameNoReplace(name, to: newName, in: place)
      try place.sync()
      return nil
    } catch {
      return error
    }
  }
}

extension MediaFrame {
  /// The frame without its data, as the state keeps it.
  var saved: String {
    var plain = self
    plain.hasData = true
    // A link may be what lets in who has it, and is not needed any more.
    plain.url = nil
    let shell = plain.shell
    return String(decoding: shell.head + shell.tail, as: UTF8.self)
  }

  /// Reads what `saved` wrote.
  init?(saved: String) {
    var reader = FrameReader()
    reader.messageBegan()
    reader.read(Array(saved.utf8).span) { _ in }
    guard case .frame(.media(let frame)) = ServerFrame.decode(reader.messageEnded()) else { return nil }
    self = frame
  }
}
