import Core
import Crypto
import Posix
import State

/// A download whose bytes are all here, on its way to its name.
struct FinishJob: Sendable {
  enum Content: Sendable {
    /// Everything is in the part file already.
    case part(PartFile)
    /// A small file that never had one; nil holds no byte.
    case memory(Buffer?)
  }
  var record: TransferRecord
  var content: Content
  /// A part file of an earlier life that holds nothing for this one; it goes when this one has its name.
  var formerPartName: String?
  var byteCount: Int64
  var ifExists: IfExists
  var isPrivate = false
  /// What it keeps in memory until it is finished.
  var memoryByteCount: Int64 {
    if case .memory(.some(let buffer)) = content { Int64(buffer.byteCount) } else { 0 }
  }
  /// Digests the content must have: the user's first, then the server's.
  var checksums: [Checksum]
}

struct FinishOutcome: Sendable {
  var record: TransferRecord
  var failure: TransferFailure?
  /// Lower-case hexadecimal, when it was computed.
  var sha256: String?
}

/// Length, digest, sync, record, name, folder, record: on the store's thread, many small files with one sync and two
/// transactions. A name exists only for complete, verified, synced content that the store knows of.
struct Finisher {
  private struct Item {
    var job: FinishJob
    var outcome: FinishOutcome
    var partName: String
    var isNewPart = false
    var part: PartFile?
  }

  private let store: Store
  private var folders: [String: FolderHandle] = [:]
  private let now: Double

  init(store: Store) {
    self.store = store
    now = Clocks.wallClock()
  }

  /// Keeps a folder's descriptor for the time of one batch.
  private final class FolderHandle {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  /// Finishes a batch; `attempts` are recorded on the way.
  mutating func run(_ jobs: [FinishJob], _ attempts: [AttemptRecord]) throws(StateError) -> [FinishOutcome] {
    var items = jobs.map {
      Item(job: $0, outcome: FinishOutcome(record: $0.record), partName: $0.record.partName ?? "")
    }
    for index in items.indices {
      attempt(&items[index]) { finisher, item throws(Errno) in try finisher.prepare(&item) }
    }
    sync(&items)
    for index in items.indices where items[index].outcome.failure == nil {
      items[index].outcome.record.state = .verifying
      items[index].outcome.record.partName = items[index].part?.name
      items[index].outcome.record.synced = RangeSet(ByteRange(0, items[index].job.byteCount))
    }
    try store.promise(items.filter { $0.outcome.failure == nil }.map(\.outcome.record))
    for index in items.indices { attempt(&items[index]) { finisher, item throws(Errno) in try finisher.name(&item) } }
    keepFailed(&items)
    syncFolders(&items)
    for index in items.indices { close(&items[index]) }
    try store.conclude(items.map(\.outcome.record), attempts)
    return items.map(\.outcome)
  }

  /// Runs a step unless an earlier one failed; a disk's error becomes the item's failure.
  private mutating func attempt(_ item: inout Item, _ step: (inout Finisher, inout Item) throws(Errno) -> Void) {
    guard item.outcome.failure == nil else { return }
    do throws(Errno) { try step(&self, &item) } catch { item.outcome.failure = failure(error, item) }
  }

  private func failure(_ error: Errno, _ item: Item) -> TransferFailure {
    let place = item.job.record.path ?? item.job.record.folder
    if error == .exists {
      return TransferFailure(
        .fileExists, "\(place) exists", hint: "the download is kept as \(item.partName); --if-exists says what to do")
    }
    if error.isDiskFull {
      return TransferFailure(
        .diskFull, "disk full in \(item.job.record.folder): \(item.job.byteCount) bytes are needed")
    }
    return TransferFailure(.localFile, "cannot finish \(place): \(error)")
  }

  private mutating func folder(_ path: String) throws(Errno) -> FolderHandle {
    if let handle = folders[path] { return handle }
    let handle = FolderHandle(try Files.openFolder(path))
    folders[path] = handle
    return handle
  }

  // MARK: Steps

  private mutating func prepare(_ item: inout Item) throws(Errno) {
    switch item.job.content {
    case .memory(let buffer):
      let place = try folder(item.job.record.folder)
      let part = try PartFile.createUnnamed(
        folder: item.job.record.folder, name: item.partName, in: place.descriptor, isPrivate: item.job.isPrivate)
      if let buffer { try unsafe part.write(buffer.bytes, at: 0) }
      item.part = part
      item.isNewPart = true
      item.outcome.failure = checkDigests(&item) { digest in if let buffer { unsafe digest.update(buffer.bytes) } }
    case .part(let part):
      item.part = part
    }
    guard let part = item.part else { return }
    let status = try part.status()
    guard status.byteCount == item.job.byteCount else {
      item.outcome.failure = TransferFailure(
        .lengthMismatch, "the file has \(status.byteCount) bytes, \(item.job.byteCount) were promised")
      return
    }
    item.outcome.record.fileByteCount = status.byteCount
    item.outcome.record.fileModifiedNanoseconds = status.modifiedNanoseconds
  }

  private func checkDigests(_ item: inout Item, _ feed: (borrowing Digest) -> Void) -> TransferFailure? {
    for checksum in item.job.checksums {
      let digest = Digest(checksum.algorithm.digestAlgorithm)
      feed(digest)
      let found = digest.finishHexadecimal()
      if checksum.algorithm == .sha256 { item.outcome.sha256 = found }
      if found != checksum.hexadecimal { return checksum.mismatch(found: found, partName: item.partName) }
    }
    return nil
  }

  private mutating func sync(_ items: inout [Item]) {
    let small = items.indices.filter { items[$0].isNewPart && items[$0].outcome.failure == nil }
    let isTogether = small.count > Limits.singleSyncCount
    if isTogether { syncFileSystems(small, &items) }
    for index in items.indices where !(isTogether && items[index].isNewPart) {
      attempt(&items[index]) { _, item throws(Errno) in try item.part?.sync() }
    }
  }

  /// One sync for the whole file system costs less than one for each of many small files (measured: 2–17 times).
  private mutating func syncFileSystems(_ indices: [Int], _ items: inout [Item]) {
    for path in Set(indices.map { items[$0].job.record.folder }) {
      do throws(Errno) {
        try folder(path).descriptor.syncFileSystem()
      } catch {
        for index in indices where items[index].job.record.folder == path {
          items[index].outcome.failure = failure(error, items[index])
        }
      }
    }
  }

  private mutating func name(_ item: inout Item) throws(Errno) {
    guard let path = item.job.record.path else { return }
    let place = try folder(item.job.record.folder)
    let name = Paths.lastName(path)
    if let former = item.job.formerPartName { try Files.unlink(former, in: place.descriptor, ifThere: true) }
    switch item.job.ifExists {
    case .overwrite:
      try keepAsPart(item, place)
      try Files.rename(item.partName, to: name, in: place.descriptor)
    case .fail, .skip:
      try nameOnce(item, name, place)
    case .rename:
      let taken = try nameFreely(item, name, place)
      if taken != name { item.outcome.record.path = Paths.join(item.job.record.folder, taken) }
    }
  }

  /// Never in place of another file.
  private func nameOnce(_ item: Item, _ name: String, _ place: FolderHandle) throws(Errno) {
    guard let part = item.part, part.name == nil else {
      return try Files.renameNoReplace(item.partName, to: name, in: place.descriptor)
    }
    try Files.name(part.descriptor, name, in: place.descriptor)
  }

  private func nameFreely(_ item: Item, _ name: String, _ place: FolderHandle) throws(Errno) -> String {
    for number in 0...Limits.nameVariants {
      let candidate = number == 0 ? name : SafeFileName.variant(of: name, number)
      do throws(Errno) {
        try nameOnce(item, candidate, place)
        return candidate
      } catch {
        guard error == .exists else { throw error }
      }
    }
    throw .exists
  }

  /// Gives a file without a name that of the part, unless it has it.
  private func keepAsPart(_ item: Item, _ place: FolderHandle) throws(Errno) {
    guard let part = item.part, part.name == nil else { return }
    try Files.unlink(item.partName, in: place.descriptor, ifThere: true)
    try Files.name(part.descriptor, item.partName, in: place.descriptor)
  }

  /// What could not be finished stays under its part name, for the user to look at.
  private mutating func keepFailed(_ items: inout [Item]) {
    for index in items.indices where items[index].outcome.failure != nil {
      do throws(Errno) {
        try keepAsPart(items[index], try folder(items[index].job.record.folder))
      } catch {
        // Nothing promised that it stays; the failure that brought it here is the one to tell.
      }
    }
  }

  private mutating func syncFolders(_ items: inout [Item]) {
    for (path, handle) in folders {
      do throws(Errno) {
        try handle.descriptor.sync()
      } catch {
        for index in items.indices where items[index].job.record.folder == path {
          items[index].outcome.failure = failure(error, items[index])
        }
      }
    }
  }

  /// What is done needs no secrets any more.
  private func forgetSecrets(_ record: inout TransferRecord) {
    guard record.hasSecrets else { return }
    do throws(StateError) {
      try SecretFile.remove(folder: store.folder, id: record.id)
      record.hasSecrets = false
    } catch {
      // They stay where they are kept, and the record says so: `remove` tries again.
    }
  }

  private func close(_ item: inout Item) {
    item.outcome.record.finishedAt = now
    item.outcome.record.failure = item.outcome.failure
    item.outcome.record.state = item.outcome.failure == nil ? .completed : .failed
    item.outcome.record.sha256 = item.outcome.sha256 ?? item.outcome.record.sha256
    if item.outcome.failure == nil {
      item.outcome.record.partName = nil
      forgetSecrets(&item.outcome.record)
    } else if item.isNewPart {
      // It is kept to be looked at, not to go on with.
      item.outcome.record.synced = RangeSet()
      item.outcome.record.partName = item.partName
    }
  }
}

extension Checksum {
  func mismatch(found: String, partName: String) -> TransferFailure {
    TransferFailure(
      .checksumMismatch, "\(algorithm.rawValue) is \(found), \(hexadecimal) was promised",
      hint: "the bytes are kept as \(partName)")
  }

  /// The digest of the whole file that an answer promises, the strongest of them (RFC 9530).
  init?(promisedBy head: ResponseHead) {
    // Content-Digest covers the body as sent: the file only when all of it was sent.
    let fields = [head.reprDigest, head.status == 200 ? head.contentDigest : nil].compactMap { $0 }
    for field in fields {
      guard let promised = DigestField.strongest(in: field) else { continue }
      let hexadecimal = promised.bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
      guard let checksum = Checksum("\(promised.algorithm):\(hexadecimal)") else { continue }
      self = checksum
      return
    }
    return nil
  }
}

extension Checksum.Algorithm {
  var digestAlgorithm: Digest.Algorithm {
    switch self {
    case .sha256: .sha256
    case .sha512: .sha512
    case .sha1: .sha1
    case .md5: .md5
    }
  }
}
