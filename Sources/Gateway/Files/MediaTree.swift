import Posix

/// The folder that is served: finds files by name without ever leaving it.
final class MediaTree: Sendable {
  private let root: Descriptor

  init(_ folder: String) throws(Errno) {
    root = try Files.openFolder(folder)
  }

  /// Opens the regular file that the names lead to; nil when there is none to serve.
  ///
  /// Every step opens one name below a folder that is held open and refuses symbolic links, so nothing that
  /// changes meanwhile can lead outside. `Route` has refused `..` and names with a slash.
  func open(_ names: [String]) throws(Errno) -> OpenFile? {
    guard let name = names.last else { return nil }
    do {
      if names.count == 1 { return try Self.file(name, in: root) }
      var folder = try Self.folder(names[0], in: root)
      for name in names[1..<(names.count - 1)] {
        folder = try Self.folder(name, in: folder)
      }
      return try Self.file(name, in: folder)
    } catch {
      guard Self.meansAbsent(error) else { throw error }
      return nil
    }
  }

  private static func folder(_ name: String, in parent: borrowing Descriptor) throws(Errno) -> Descriptor {
    try Files.openFolder(name, in: parent)
  }

  private static func file(_ name: String, in folder: borrowing Descriptor) throws(Errno) -> OpenFile? {
    let descriptor = try Files.openExisting(name, in: folder)
    let status = try descriptor.status()
    guard status.isFile else { return nil }
    let entity = FileEntity(
      name: name, byteCount: status.byteCount, device: status.device, inode: status.inode,
      modifiedNanoseconds: status.modifiedNanoseconds)
    return OpenFile(descriptor, entity)
  }

  /// What strangers are told is the same for a link, a folder, a socket and nothing.
  private static func meansAbsent(_ error: Errno) -> Bool {
    [.notFound, .notFolder, .tooManySymlinks, .nameTooLong, .noDevice, .accessDenied].contains(error)
  }
}
