internal import CPosix
internal import Glibc

/// Why a call of the system failed: a number of errno(3).
public struct Errno: Error, Hashable, Sendable, RawRepresentable {
  public var rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// What the last call on this thread left.
  static var last: Errno { Errno(rawValue: errno) }

  /// The name in errno(3), such as `ENOSPC`; the C function is `strerrorname_np`.
  public var name: String {
    guard let name = unsafe strerrorname_np(rawValue) else { return "E\(rawValue)" }
    return unsafe String(cString: name)
  }

  /// Whether there is no room for more bytes: on the disk, in the quota, or in one file.
  public var isDiskFull: Bool { self == .noSpace || self == .quotaExceeded || self == .fileTooLarge }
}

extension Errno: CustomStringConvertible {
  /// The system's text as it fits into a sentence, such as `no space left on device`.
  public var description: String {
    // The text is the thread's own since glibc 2.32 (strerror(3)).
    guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
    let sentence = unsafe String(cString: text)
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}

extension Errno {
  public static let notPermitted = Errno(rawValue: EPERM)
  public static let notFound = Errno(rawValue: ENOENT)
  public static let noProcess = Errno(rawValue: ESRCH)
  public static let interrupted = Errno(rawValue: EINTR)
  public static let ioError = Errno(rawValue: EIO)
  public static let noDevice = Errno(rawValue: ENODEV)
  public static let badDescriptor = Errno(rawValue: EBADF)
  public static let noChild = Errno(rawValue: ECHILD)
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  public static let noMemory = Errno(rawValue: ENOMEM)
  public static let accessDenied = Errno(rawValue: EACCES)
  public static let busy = Errno(rawValue: EBUSY)
  public static let exists = Errno(rawValue: EEXIST)
  public static let otherDevice = Errno(rawValue: EXDEV)
  public static let notFolder = Errno(rawValue: ENOTDIR)
  public static let isFolder = Errno(rawValue: EISDIR)
  public static let invalid = Errno(rawValue: EINVAL)
  public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  public static let notTerminal = Errno(rawValue: ENOTTY)
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let readOnly = Errno(rawValue: EROFS)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let notImplemented = Errno(rawValue: ENOSYS)
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  public static let tooManySymlinks = Errno(rawValue: ELOOP)
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  public static let staleHandle = Errno(rawValue: ESTALE)
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
}
