import Glibc

/// A tmpfs that a test may fill, where mounting is allowed.
public final class SmallDisk: Sendable {
  private let folder: TemporaryFolder
  /// Where it is mounted.
  public let path: String

  public struct NotMounted: Error { let reason: String }

  /// Whether a tmpfs can be mounted here: tried once.
  public static let isAllowed: Bool = {
    guard getuid() == 0 else { return false }
    let folder = TemporaryFolder("mount")
    let path = folder.folder("disk")
    guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { return false }
    return umount2(path, Int32(MNT_DETACH)) == 0
  }()

  public init(mebibytes: Int) throws {
    folder = TemporaryFolder("disk")
    path = folder.folder("disk")
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
      throw NotMounted(reason: String(cString: strerror(errno)))
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Takes it away; called at the end of a test, it also keeps the disk until there.
  public func unmount() { umount2(path, Int32(MNT_DETACH)) }
}

/// Who runs the tests.
public enum TestUser {
  public static var isRoot: Bool { geteuid() == 0 }
}
