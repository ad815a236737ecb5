import Core
import Crypto
import Posix

/// A medium that is not yet complete: its parts, one behind the other as they came, in a hidden file.
///
/// `@unchecked Sendable`: `lock` guards every variable; a stale session may write while a new one does.
final class OpenMedia: @unchecked Sendable {
  let frame: MediaFrame
  private let lock = Lock()
  private let folder: MediaFolder
  private let partName: String
  private var file: PartFile
  private var parts: [Int: HeldPart] = [:]
  /// The digest of everything, as long as the parts come in their order.
  private var digest = Digest(.sha256)
  private var isInOrder = true
  private var byteCount: Int64 = 0
  private var caption: String?
  private var phase = Phase.open

  private enum Phase {
    case open
    /// Complete, but not stored: the part file is still there.
    case finishing
    /// Stored or given up.
    case over
  }

  private struct HeldPart {
    let offset: Int64
    let byteCount: Int
    let sha256: [UInt8]
  }

  init(_ frame: MediaFrame, in folder: MediaFolder) throws(Errno) {
    self.frame = frame
    self.folder = folder
    partName = MediaFolder.newPartName()
    file = try folder.createPart(partName)
  }

  /// What a part does to the medium.
  enum Change: Equatable {
    case none
    /// So many bytes more are held.
    case grown(by: Int64)
    /// Only this part is held now.
    case restarted(dropped: Int64)
    /// It would have more bytes than it may.
    case tooLarge
    /// The medium was completed or given up meanwhile.
    case tooLate
  }

  /// Adds a part.
  /// - Parameter limit: the most bytes that the medium may have.
  func add(_ frame: MediaFrame, _ bytes: [UInt8], limit: Int64) throws(Errno) -> Change {
    try lock.withLock { () throws(Errno) -> Change in
      guard phase == .open else { return .tooLate }
      let sha256 = Self.sha256(bytes)
      var dropped: Int64?
      if let held = parts[frame.part] {
        if held.sha256 == sha256 { return Change.none }
        dropped = byteCount
        try startAnew()
      }
      guard byteCount + Int64(bytes.count) <= limit else { return .tooLarge }
      try append(bytes, as: frame.part, sha256)
      caption = frame.caption ?? caption
      return dropped.map { .restarted(dropped: $0) } ?? .grown(by: Int64(bytes.count))
    }
  }

  private func append(_ bytes: [UInt8], as part: Int, _ sha256: [UInt8]) throws(Errno) {
    try file.descriptor.writeAll(bytes, at: byteCount)
    isInOrder = isInOrder && part == parts.count
    if isInOrder { digest.update(bytes) }
    parts[part] = HeldPart(offset: byteCount, byteCount: bytes.count, sha256: sha256)
    byteCount += Int64(bytes.count)
  }

  private func startAnew() throws(Errno) {
    try file.descriptor.truncate(byteCount: 0)
    parts = [:]
    digest = Digest(.sha256)
    isInOrder = true
    byteCount = 0
  }

  /// The parts that are held.
  var heldParts: RangeSet {
    lock.withLock { RangeSet(parts.keys.sorted().map { ByteRange(Int64($0), Int64($0) + 1) }) }
  }

  /// Once all parts are there: puts them into their order and onto the disk, under a name; nil before.
  /// - Parameter known: a medium of this digest that is stored already, which makes this one superfluous.
  func completed(known: (_ sha256: String) -> StoredMedia?) throws(Errno) -> CompletedMedia? {
    try lock.withLock { () throws(Errno) -> CompletedMedia? in
      guard phase == .open, parts.count == frame.parts else { return nil }
      phase = .finishing
      if !isInOrder { try join() }
      let sha256 = digest.finishHexadecimal()
      if let known = known(sha256) {
        try folder.remove(partName)
        phase = .over
        return CompletedMedia(media: known, sha256: sha256, parts: frame.parts, isRepeated: true)
      }
      try file.descriptor.sync()
      let name = try folder.finish(partName, as: folder.name(for: frame))
      phase = .over
      let media = StoredMedia(
        path: [name], kind: frame.kind, mime: frame.mime, caption: caption, byteCount: byteCount)
      return CompletedMedia(media: media, sha256: sha256, parts: frame.parts, isRepeated: false)
    }
  }

  /// Copies the parts in their order into a second file, in one pass, and gives that the place of the first.
  private func join() throws(Errno) {
    let joined = try folder.createPart(partName + joinEnding)
    digest = Digest(.sha256)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe room.deallocate() }
    var end: Int64 = 0
    for (_, part) in parts.sorted(by: { $0.key < $1.key }) {
      try unsafe copy(part, to: joined.descriptor, at: end, through: room)
      end += Int64(part.byteCount)
    }
    try folder.replace(partName, by: partName + joinEnding)
    file = joined
  }

  private func copy(
    _ part: HeldPart, to joined: borrowing Descriptor, at end: Int64, through room: UnsafeMutableRawBufferPointer
  ) throws(Errno) {
    var done = 0
    while done < part.byteCount {
      let wanted = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<min(room.count, part.byteCount - done)])
      let count = try unsafe file.descriptor.read(into: wanted, at: part.offset + Int64(done))
      guard count > 0 else { throw .ioError }
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: wanted[..<count])
      try unsafe joined.writeAll(bytes, at: end + Int64(done))
      unsafe digest.update(bytes)
      done += count
    }
  }

  /// Gives it up, unless it is stored; nothing of it is left on the disk.
  func discard() {
    lock.withLock {
      guard phase != .over else { return }
      phase = .over
      // A file that can't be removed is found again at the next start.
      for name in [partName, partName + joinEnding] { do throws(Errno) { try folder.remove(name) } catch {} }
    }
  }

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    let digest = Digest(.sha256)
    digest.update(bytes)
    return digest.finish()
  }
}

private let joinEnding = ".joined"
