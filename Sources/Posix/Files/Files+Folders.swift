internal import CPosix
internal import Glibc

/// Folders.
extension Files {
  /// Makes a folder and those above it that are missing; `.notFolder` when something else stands there.
  public static func makeFolders(_ path: String, mode: UInt32 = 0o700) throws(Errno) {
    do throws(Errno) {
      try Syscalls.mkdir(path, mode: mode)
    } catch .exists {
      guard try status(path).kind == .folder else { throw .notFolder }
    } catch .notFound {
      let parent = Paths.folder(path)
      guard parent != path else { throw .notFound }
      try makeFolders(parent, mode: mode)
      // Once more, and no oftener: /proc says «not found» below folders that are there.
      do throws(Errno) { try Syscalls.mkdir(path, mode: mode) } catch {
        guard error == .exists, try status(path).kind == .folder else { throw error }
      }
    }
  }

  /// Removes an empty folder; the C function is `rmdir`.
  public static func removeFolder(_ path: String) throws(Errno) {
    try Syscalls.unlink(path, in: AT_FDCWD, flags: AT_REMOVEDIR)
  }

  /// The names in a folder to the disk: after this a new or renamed file is found after a power cut.
  public static func syncFolder(_ path: String) throws(Errno) { try openFolder(path).sync() }

  /// The names in a folder in no order, without `.` and `..`; one that isn't UTF-8 is repaired.
  public static func names(in path: String) throws(Errno) -> [String] {
    let raw = try openFolder(path).release()
    guard let stream = unsafe fdopendir(raw) else {
      let error = Errno.last
      try Syscalls.close(raw)
      throw error
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = try unsafe nextEntry(stream, path) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The next entry, or nil at the end; readdir(3) tells errors only by errno.
  private static func nextEntry(
    _ stream: OpaquePointer, _ path: String
  ) throws(Errno) -> UnsafeMutablePointer<dirent>? {
    var entry: UnsafeMutablePointer<dirent>?
    _ = try Syscalls.perform(.readdir, .path(path)) { () -> Int32 in
      errno = 0
      unsafe entry = readdir(stream)
      return unsafe entry == nil && errno != 0 ? -1 : 0
    }
    return unsafe entry
  }
}
