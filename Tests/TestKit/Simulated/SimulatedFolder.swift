import Core

/// The part files, the folder of finished files and the store's rows of media that come in, each as the page cache has
/// it and as a power cut leaves it; one job after the other, each in steps between which the process may die.
struct SimulatedFolder {
  enum Done {
    case recorded(Int, part: Int)
    case finished(Int, MediaAssembler.Finish)
  }

  struct Row {
    /// Of this life.
    var number: Int
    /// The part file's inode, which no other file ever has.
    var inode: Int
    var head: MediaFrame
    var parts: [HeldPart] = []
    var updatedAt: Double
    /// The name that the finished file is about to get, and its inode.
    var promise: (path: String, inode: Int, sha256: String)?
  }

  private struct Receipt { var id: String, sha256: String, path: String, at: Double }

  /// One state of the world; the store's commits and the folder's names.
  private struct World {
    var rows: [Row] = []
    var receipts: [Receipt] = []
  }

  var jobs: [MediaAssembler.Action] = []
  private(set) var fault: String?
  private var cached = World()
  private var synced = World()
  /// By inode: the pieces in order of their writing.
  private var cachedFiles: [Int: [String]] = [:]
  private var syncedFiles: [Int: [String]] = [:]
  /// Names of finished files, by path.
  private var cachedNames: [String: Int] = [:]
  private var syncedNames: [String: Int] = [:]
  private var nextInode = 1
  private var step = 0
  private let limits: MediaLimits

  init(_ limits: MediaLimits) { self.limits = limits }

  var rows: [Row] { cached.rows }
  /// Nothing half done is left: no row, and no file without a name.
  var isEmpty: Bool { cached.rows.isEmpty && Set(cachedFiles.keys) == Set(cachedNames.values) }

  /// The texts of all finished files, by the media's ID.
  var files: [String: [String]] {
    var files: [String: [String]] = [:]
    for (path, inode) in cachedNames {
      files[String(path.prefix { $0 != " " }), default: []].append((cachedFiles[inode] ?? []).joined())
    }
    return files
  }

  func hasReceipt(_ id: String, _ sha256: String) -> Bool {
    synced.receipts.contains { $0.id == id && $0.sha256 == sha256 }
  }

  // MARK: Jobs

  /// One step of the first job; what it says when it is done.
  mutating func work(_ random: inout SeededRandom, epoch: Double) -> Done? {
    guard let job = jobs.first else { return nil }
    step += 1
    switch job {
    case .begin(let number, let head): begin(number, head, epoch)
    case .amend(let number, let head): update(number) { $0.head = head }
    case .write(let number, let part): return write(number, part, epoch)
    case .discard(let number): discard(number)
    case .finish(let number, _, let join): return finish(number, join, epoch)
    case .event: break
    }
    end()
    if random.oneIn(3) { synced = cached }
    return nil
  }

  private mutating func end() {
    jobs.removeFirst()
    step = 0
  }

  private mutating func update(_ number: Int, _ change: (inout Row) -> Void) {
    for index in cached.rows.indices where cached.rows[index].number == number { change(&cached.rows[index]) }
  }

  private mutating func begin(_ number: Int, _ head: MediaFrame, _ epoch: Double) {
    if cached.rows.contains(where: { $0.head.id == head.id }) { fault = "two rows of \(head.id)" }
    cachedFiles[nextInode] = []
    cached.rows.append(Row(number: number, inode: nextInode, head: head, updatedAt: epoch))
    nextInode += 1
  }

  private mutating func write(_ number: Int, _ part: HeldPart, _ epoch: Double) -> Done? {
    guard let row = cached.rows.first(where: { $0.number == number }) else {
      fault = "a part of \(number), which is not there"
      return nil
    }
    switch step {
    case 1:
      // Bytes behind the end are what an earlier life wrote and did not record.
      cut(row.inode, to: part.start)
      cachedFiles[row.inode]?.append(part.tag)
    case 2: syncedFiles[row.inode] = cachedFiles[row.inode]
    default:
      if syncedFiles[row.inode]?.joined().utf8.count ?? 0 < Int(part.start + part.byteCount) {
        fault = "recorded before it was synced"
      }
      update(number) {
        $0.parts.append(part)
        $0.updatedAt = epoch
      }
      end()
      return .recorded(number, part: part.part)
    }
    return nil
  }

  private mutating func cut(_ inode: Int, to end: Int64) {
    var kept: [String] = []
    var count = 0
    for piece in cachedFiles[inode] ?? [] where count < Int(end) {
      kept.append(piece)
      count += piece.utf8.count
    }
    if count != Int(end) { fault = "writes at \(end) of \(count) bytes" }
    cachedFiles[inode] = kept
  }

  private mutating func discard(_ number: Int) {
    guard let row = cached.rows.first(where: { $0.number == number }) else { return }
    remove(row)
  }

  mutating func remove(_ row: Row) {
    cached.rows.removeAll { $0.inode == row.inode }
    if !cachedNames.values.contains(row.inode) { cachedFiles[row.inode] = nil }
  }

  /// Join and digest; judge and promise; rename; sync the folder; give the receipt.
  private mutating func finish(_ number: Int, _ join: MediaJoin, _ epoch: Double) -> Done? {
    guard let row = cached.rows.first(where: { $0.number == number }) else {
      fault = "finishes \(number), which is not there"
      return nil
    }
    switch step {
    case 1: self.join(row, join)
    case 2:
      let text = (cachedFiles[row.inode] ?? []).joined()
      let known = cached.receipts.filter { $0.id == row.head.id }
      let earlier = known.map { MediaReceipt(sha256: $0.sha256, receivedAt: $0.at) }
      if row.promise == nil,
        MediaReceipt.judge(sha256: text, earlier: earlier, now: epoch, limits: limits) == .duplicate
      {
        let path = known.first { $0.sha256 == text }?.path
        remove(row)
        synced = cached
        end()
        return .finished(number, .duplicate(path: path, byteCount: join.byteCount, sha256: text))
      }
      var path = row.head.id
      while cachedNames[path] != nil { path += " (1)" }
      update(number) { $0.promise = ($0.promise?.path ?? path, row.inode, text) }
      synced = cached
    case 3: if let promise = row.promise { cachedNames[promise.path] = row.inode }
    case 4: syncedNames = cachedNames
    default:
      guard let promise = row.promise else { return nil }
      cached.rows.removeAll { $0.number == number }
      cached.receipts.append(Receipt(id: row.head.id, sha256: promise.sha256, path: promise.path, at: epoch))
      synced = cached
      end()
      return .finished(number, .saved(path: promise.path, byteCount: join.byteCount, sha256: promise.sha256))
    }
    return nil
  }

  /// The parts in their order; the file that they stand in is the one that gets the name.
  private mutating func join(_ row: Row, _ join: MediaJoin) {
    guard row.promise == nil else { return }
    let text = (cachedFiles[row.inode] ?? []).joined()
    let pieces = join.parts.map { part in
      String(text.dropFirst(Int(part.start)).prefix(Int(part.byteCount)))
    }
    if !join.isInOrder || pieces.joined() != text {
      // A new file; the old one is kept until the receipt is given.
      cachedFiles[nextInode] = pieces
      let (old, new) = (row.inode, nextInode)
      var end: Int64 = 0
      let parts = join.parts.map { part in
        defer { end += part.byteCount }
        return HeldPart(part: part.part, start: end, byteCount: part.byteCount, tag: part.tag)
      }
      update(row.number) {
        $0.inode = new
        $0.parts = parts
      }
      syncedFiles[nextInode] = pieces
      nextInode += 1
      synced = cached
      cachedFiles[old] = nil
    } else {
      syncedFiles[row.inode] = pieces
    }
  }

  // MARK: Death

  mutating func die(losingPageCache: Bool) {
    jobs = []
    step = 0
    guard losingPageCache else { return }
    cached = synced
    cachedNames = syncedNames
    // A file that was removed may be back or not; one that was written has what was synced.
    cachedFiles = cachedFiles.filter { syncedFiles[$0.key] != nil }.merging(syncedFiles) { _, synced in synced }
    let known = Set(cached.rows.map(\.inode)).union(cachedNames.values)
    cachedFiles = cachedFiles.filter { known.contains($0.key) }
    syncedFiles = cachedFiles
  }

  /// Whether what a row says is on the disk; a file that has its name already only lacks its receipt.
  func canGoOn(_ row: Row) -> Bool {
    if let promise = row.promise, cachedNames[promise.path] == promise.inode { return true }
    let end = row.parts.map { $0.start + $0.byteCount }.max() ?? 0
    return (cachedFiles[row.inode]?.joined().utf8.count).map { $0 >= Int(end) } ?? false
  }

  mutating func adopt(_ row: Row, as number: Int) {
    // Numbers of two lives may be alike: rows are told apart by their files here.
    for index in cached.rows.indices where cached.rows[index].inode == row.inode { cached.rows[index].number = number }
    for index in synced.rows.indices where synced.rows[index].inode == row.inode { synced.rows[index].number = number }
  }
}
