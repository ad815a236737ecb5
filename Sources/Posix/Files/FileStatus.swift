internal import Glibc

/// What the system knows about a file.
public struct FileStatus: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case file, folder, link, other }

  public var byteCount: Int64
  public var kind: Kind
  /// The permission bits, such as 0o600.
  public var mode: UInt32
  public var device: UInt64
  public var inode: UInt64
  /// When the content last changed, in nanoseconds since 1970.
  public var modifiedNanoseconds: Int64
  /// How many names the file has; 0 for one that is removed but open.
  public var linkCount: Int
  public var ownerID: UInt32

  public var isFile: Bool { kind == .file }

  init(_ status: stat) {
    byteCount = Int64(status.st_size)
    kind = Kind(mode: status.st_mode)
    mode = status.st_mode & 0o7777
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    modifiedNanoseconds = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    linkCount = Int(status.st_nlink)
    ownerID = status.st_uid
  }
}

extension FileStatus.Kind {
  fileprivate init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    default: self = .other
    }
  }
}
