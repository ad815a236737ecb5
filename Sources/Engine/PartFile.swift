import Core
import Posix
import State
import Synchronization

/// The hidden file that a download grows in, in the target's folder; every byte of it is at its final offset.
///
/// The network's thread writes, the store's thread syncs: both only use the descriptor, which lives as long as this.
final class PartFile: Sendable {
  let folder: String
  /// Nil for one that has no name yet.
  let name: String?
  let descriptor: Descriptor
  private let isSyncBroken = Atomic(false)

  private init(folder: String, name: String?, descriptor: consuming Descriptor) {
    self.folder = folder
    self.name = name
    self.descriptor = descriptor
  }

  /// Makes a new one; an old one of that name is removed, since what it holds is not recorded.
  /// - Parameter isPrivate: nobody but the user may read it, whatever the umask allows.
  static func create(folder: String, name: String, isPrivate: Bool) throws(Errno) -> PartFile {
    try create(folder: folder, name: name, in: Files.openFolder(folder), isPrivate: isPrivate)
  }

  /// `create` in a folder that is open already.
  static func create(
    folder: String, name: String, in place: borrowing Descriptor, isPrivate: Bool
  ) throws(Errno) -> PartFile {
    try Files.unlink(name, in: place, ifThere: true)
    let descriptor = try Files.createExclusively(name, in: place, mode: isPrivate ? 0o600 : 0o666)
    return PartFile(folder: folder, name: name, descriptor: descriptor)
  }

  /// Makes one without a name; a named one where the file system has no such thing.
  static func createUnnamed(
    folder: String, name: String, in place: borrowing Descriptor, isPrivate: Bool
  ) throws(Errno) -> PartFile {
    guard let descriptor = try Files.createUnnamed(in: place, mode: isPrivate ? 0o600 : 0o666) else {
      return try create(folder: folder, name: name, in: place, isPrivate: isPrivate)
    }
    return PartFile(folder: folder, name: nil, descriptor: descriptor)
  }

  /// Opens the one that an earlier life left; nil when it is gone.
  static func open(folder: String, name: String) throws(Errno) -> PartFile? {
    let place = try Files.openFolder(folder)
    do throws(Errno) {
      return PartFile(folder: folder, name: name, descriptor: try Files.openExisting(name, in: place, writing: true))
    } catch {
      guard error == .notFound else { throw error }
      return nil
    }
  }

  func status() throws(Errno) -> FileStatus { try descriptor.status() }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    try unsafe descriptor.writeAll(bytes, at: offset)
  }

  /// The content to the disk. An error is told once, and the pages that it was about count as clean afterwards
  /// (fsync(2)): what one failed for is not proven by the next, so all that follow fail.
  func sync() throws(Errno) {
    guard !isSyncBroken.load(ordering: .relaxed) else { throw .ioError }
    do throws(Errno) {
      try descriptor.syncData()
    } catch {
      isSyncBroken.store(true, ordering: .relaxed)
      throw error
    }
  }

  /// Whether the file has exactly these bytes at `offset`.
  func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Bool {
    var position = 0
    var held = [UInt8](repeating: 0, count: min(bytes.count, 64 << 10))
    while position < bytes.count {
      let found = try descriptor.read(into: &held, at: offset + Int64(position))
      let count = min(found, bytes.count - position)
      guard count > 0 else { return false }
      for index in 0..<count where unsafe held[index] != bytes[position + index] { return false }
      position += count
    }
    return true
  }

  /// Reserves the room of the whole file without changing its length; false where the file system cannot.
  func reserve(_ byteCount: Int64) throws(Errno) -> Bool { try descriptor.reserve(byteCount: byteCount) }

  func remove() throws(Errno) {
    guard let name else { return }
    try Files.unlink(name, in: Files.openFolder(folder), ifThere: true)
  }

  /// Where it is, for messages.
  var place: String { name.map { Paths.join(folder, $0) } ?? folder }
}
