public import Core
internal import Posix

/// Which bytes of a part file were handed to the kernel: the second watermark, ahead of what was synced.
///
/// What pwrite(2) took is in the page cache and outlives the process: after `kill -9` every later reader sees it, synced
/// or not. So one more pwrite of 16 bytes, after each one of data, lets the next process go on where this one stopped. A
/// power cut or a panic empties the page cache, and may keep the journal's bytes without the data's: therefore it is
/// believed only in the same boot (the boot ID is in the header), and only about the same file (device and inode).
/// After anything else the synced ranges of the database hold.
///
/// A record is 16 bytes at a multiple of 16 and never crosses a page; the kernel looks for fatal signals only between
/// pages (generic_perform_write), so a record is written whole or not at all.
///
/// The journal must be removed, or made anew, before bytes of the part file are given up: before it is truncated, and
/// before the database says that it belongs to other content.
public final class WriteJournal {
  private let path: String
  private let descriptor: Descriptor
  private var records: [ByteRange]
  private var isFinished: [Bool]
  /// Records whose range stands in another one, or nowhere.
  private var free: [Int] = []
  /// The number of records at which finished ones are joined.
  var joinAt = WriteJournal.recordsBeforeJoining

  static let recordsBeforeJoining = 4_096
  private static let nothing = ByteRange(0, 0)

  /// Makes a transfer's journal in place of an older one; `held` are bytes known to be written already. A crash at any
  /// moment leaves the older one or the new one.
  public static func create(
    folder: String, id: TransferID, bootID: String, device: UInt64, inode: UInt64, held: RangeSet = RangeSet()
  ) throws(StateError) -> WriteJournal {
    try StateFolder.makeFolder(StateFolder(path: folder).journalPath)
    let header = JournalFormat.Header(bootID: bootID, device: device, inode: inode)
    return try WriteJournal(path: path(folder, id), header: header, held: held)
  }

  private init(path: String, header: JournalFormat.Header, held: RangeSet) throws(StateError) {
    self.path = path
    records = held.ranges
    isFinished = Array(repeating: true, count: held.ranges.count)
    let bytes = held.ranges.reduce(into: header.bytes) { $0 += JournalFormat.record($1) }
    let new = "\(path).new"
    do throws(Errno) {
      try Files.unlink(new, ifThere: true)
      descriptor = try Files.createExclusively(new)
      try descriptor.writeAll(bytes, at: 0)
      try Files.rename(new, to: path)
    } catch {
      throw StateError(writing: path, error)
    }
  }

  /// A record for a run of bytes that is about to be written; nothing is said about it before `extend`.
  public func addRecord() throws(StateError) -> Int {
    if free.isEmpty && records.count >= joinAt { try join() }
    if let index = free.popLast() {
      isFinished[index] = false
      return index
    }
    records.append(Self.nothing)
    isFinished.append(false)
    return records.count - 1
  }

  /// Says that all of `range` was written; it includes what the record said before. One pwrite, no allocation.
  public func extend(_ index: Int, _ range: ByteRange) throws(StateError) {
    precondition(!isFinished[index], "a finished record of the journal grows")
    try set(index, range)
  }

  /// Says that a record grows no more, so that its room may be used again.
  public func finish(_ index: Int) { isFinished[index] = true }

  /// Joins finished records that touch. Each joined range is written before the records in it are emptied: whatever
  /// moment a crash picks, the file says the same.
  private func join() throws(StateError) {
    let finished = records.indices.filter { isFinished[$0] && !records[$0].isEmpty }
    let ranges = RangeSet(finished.map { records[$0] }.sorted()).ranges
    var keepers: [Int64: Int] = [:]
    for index in finished { keepers[records[index].start] = index }
    let kept = Set(ranges.compactMap { keepers[$0.start] })
    for range in ranges { if let keeper = keepers[range.start] { try set(keeper, range) } }
    for index in finished where !kept.contains(index) { try set(index, Self.nothing) }
    free = records.indices.filter { isFinished[$0] && records[$0].isEmpty }
    // Where nothing touches, the journal grows instead of being joined again at each new record.
    joinAt = max(Self.recordsBeforeJoining, 2 * (records.count - free.count))
  }

  private func set(_ index: Int, _ range: ByteRange) throws(StateError) {
    let pair = (range.start.littleEndian, range.end.littleEndian)
    do throws(Errno) {
      try unsafe withUnsafeBytes(of: pair) { bytes throws(Errno) in
        try unsafe descriptor.writeAll(bytes, at: JournalFormat.offset(ofRecord: index))
      }
    } catch {
      throw StateError(writing: path, error)
    }
    records[index] = range
  }
}

/// Without a journal object.
extension WriteJournal {
  /// What an earlier process of this boot wrote to this part file; the caller compares with the file's length. Nil when
  /// there is no journal that knows, and also when it can't be read: then the synced ranges hold, which is never wrong.
  public static func read(
    folder: String, id: TransferID, bootID: String, device: UInt64, inode: UInt64
  ) -> RangeSet? {
    do throws(Errno) {
      let bytes = try Files.readAll(path(folder, id), maxByteCount: JournalFormat.maxByteCount)
      return JournalFormat.ranges(in: bytes, after: JournalFormat.Header(bootID: bootID, device: device, inode: inode))
    } catch {
      return nil
    }
  }

  /// Removes a transfer's journal, if there is one. Where that fails, the part file must not be given other content: its
  /// inode number may be the old one again.
  public static func remove(folder: String, id: TransferID) throws(StateError) {
    try StateFolder.remove(path(folder, id))
  }

  private static func path(_ folder: String, _ id: TransferID) -> String {
    "\(StateFolder(path: folder).journalPath)/\(id.text)"
  }
}
