internal import CPosix
internal import Glibc

/// Files by name. With a folder's descriptor a name means the same file even when the folder is moved meanwhile.
public enum Files {
  /// What every file of ours is created and opened with: a link at its place is refused, not followed.
  static let ownFlags = O_NOFOLLOW | O_NONBLOCK
}

/// Names in an open folder.
extension Files {
  /// Opens a folder that others may have linked to; the C function is `open` with O_DIRECTORY.
  public static func openFolder(_ path: String) throws(Errno) -> Descriptor {
    try Syscalls.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  /// Opens a folder in a folder, following no link.
  public static func openFolder(_ name: String, in folder: borrowing Descriptor) throws(Errno) -> Descriptor {
    try Syscalls.open(name, in: folder.rawValue, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Makes a file to read and write; `.exists` when the name is taken, by a link too.
  /// - Parameter mode: permission bits, of which the process's umask takes some away.
  public static func createExclusively(
    _ name: String, in folder: borrowing Descriptor, mode: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    try Syscalls.open(name, in: folder.rawValue, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  /// Opens a file that is there; `.tooManySymlinks` for a link. A FIFO doesn't hold the caller up.
  public static func openExisting(
    _ name: String, in folder: borrowing Descriptor, writing: Bool = false
  ) throws(Errno) -> Descriptor {
    try Syscalls.open(name, in: folder.rawValue, flags: (writing ? O_RDWR : O_RDONLY) | ownFlags)
  }

  /// Makes a file without a name, to be given one by `name`; nil where the file system has no such thing. Nothing is left
  /// of it when it is never named. The C function is `open` with O_TMPFILE.
  public static func createUnnamed(in folder: borrowing Descriptor, mode: UInt32) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return try Syscalls.open(".", in: folder.rawValue, flags: O_RDWR | hermes_o_tmpfile, mode: mode)
    } catch {
      // Kernels and file systems without it answer in these ways (open(2)).
      guard [.notSupported, .isFolder, .notFound, .invalid].contains(error) else { throw error }
      return nil
    }
  }

  /// Gives a file without a name one; `.exists` when that is taken.
  public static func name(
    _ file: borrowing Descriptor, _ name: String, in folder: borrowing Descriptor
  ) throws(Errno) {
    try Syscalls.link(descriptor: file.rawValue, to: name, in: folder.rawValue)
  }

  /// What a name in a folder stands for: a link itself, not its target.
  public static func status(_ name: String, in folder: borrowing Descriptor) throws(Errno) -> FileStatus {
    try Syscalls.fstatat(name, in: folder.rawValue, flags: AT_SYMLINK_NOFOLLOW)
  }

  /// Removes a name; with `ifThere` it is no error that it is gone already.
  public static func unlink(
    _ name: String, in folder: borrowing Descriptor, ifThere: Bool = false
  ) throws(Errno) {
    do throws(Errno) { try Syscalls.unlink(name, in: folder.rawValue) } catch {
      guard ifThere, error == .notFound else { throw error }
    }
  }

  /// Gives a file another name, in place of what had it.
  public static func rename(_ old: String, to new: String, in folder: borrowing Descriptor) throws(Errno) {
    try Syscalls.rename(old, in: folder.rawValue, to: new, in: folder.rawValue, flags: 0)
  }

  /// Gives a file another name; `.exists` when that is taken. The C function is `renameat2`.
  public static func renameNoReplace(
    _ old: String, to new: String, in folder: borrowing Descriptor
  ) throws(Errno) {
    do throws(Errno) {
      try Syscalls.rename(old, in: folder.rawValue, to: new, in: folder.rawValue, flags: hermes_rename_noreplace)
    } catch {
      guard error == .invalid || error == .notImplemented else { throw error }
      // NFS and some FUSE systems don't know the flag. A hard link never replaces either; a crash in between leaves
      // two names of one complete file.
      try Syscalls.link(old, to: new, in: folder.rawValue)
      try Syscalls.unlink(old, in: folder.rawValue)
    }
  }
}

/// Names by path.
extension Files {
  /// Makes a file of mode 0600 to read and write; `.exists` when the name is taken, by a link too.
  public static func createExclusively(_ path: String) throws(Errno) -> Descriptor {
    try Syscalls.open(path, in: AT_FDCWD, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
  }

  /// Opens a file of ours that is there; `.tooManySymlinks` for a link.
  public static func openExisting(_ path: String, writing: Bool = false) throws(Errno) -> Descriptor {
    try Syscalls.open(path, in: AT_FDCWD, flags: (writing ? O_RDWR : O_RDONLY) | ownFlags)
  }

  /// Opens a file that a user named, whatever it is: links are followed, and a FIFO waits for its writer.
  public static func openToRead(_ path: String) throws(Errno) -> Descriptor {
    try Syscalls.open(path, in: AT_FDCWD, flags: O_RDONLY)
  }

  /// What a path leads to, or with `followsLinks` false what stands at its end; the C functions are `stat`, `lstat`.
  public static func status(_ path: String, followsLinks: Bool = true) throws(Errno) -> FileStatus {
    try Syscalls.fstatat(path, in: AT_FDCWD, flags: followsLinks ? 0 : AT_SYMLINK_NOFOLLOW)
  }

  /// The same, or nil when there is nothing.
  public static func statusIfThere(_ path: String, followsLinks: Bool = true) throws(Errno) -> FileStatus? {
    do throws(Errno) { return try status(path, followsLinks: followsLinks) } catch {
      guard error == .notFound || error == .notFolder else { throw error }
      return nil
    }
  }

  /// The path of what a path leads to, with no link in it; itself when nothing is there yet.
  public static func withoutLinks(_ path: String) throws(Errno) -> String {
    do throws(Errno) { return try Links.resolved(path) } catch .notFound { return path }
  }

  /// Whether a name is taken, also by a link that leads nowhere, or by what cannot be looked at.
  public static func isThere(_ path: String) -> Bool {
    do throws(Errno) { return try statusIfThere(path, followsLinks: false) != nil } catch { return true }
  }

  /// Removes a name; with `ifThere` it is no error that it is gone already.
  public static func unlink(_ path: String, ifThere: Bool = false) throws(Errno) {
    do throws(Errno) { try Syscalls.unlink(path, in: AT_FDCWD) } catch {
      guard ifThere, error == .notFound else { throw error }
    }
  }

  /// Gives a file another path, in place of what was there.
  public static func rename(_ old: String, to new: String) throws(Errno) {
    try Syscalls.rename(old, in: AT_FDCWD, to: new, in: AT_FDCWD, flags: 0)
  }

  /// Bytes that an ordinary user may still write there; the C function is `statvfs`.
  public static func freeByteCount(at path: String) throws(Errno) -> Int64 {
    freeByteCount(in: try Syscalls.statvfs(path))
  }

  static func freeByteCount(in status: Glibc.statvfs) -> Int64 {
    let (byteCount, isOver) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isOver ? .max : Int64(clamping: byteCount)
  }
}
