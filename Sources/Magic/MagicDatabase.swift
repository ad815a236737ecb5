internal import CMagic
internal import Posix

/// libmagic with its database of file types loaded. A handle of libmagic's serves one thread at a time.
///
/// `@unchecked Sendable`: the handle is touched under the lock only.
@safe final class MagicDatabase: @unchecked Sendable {
  /// The one that every caller shares: loading costs a millisecond, asking microseconds.
  static let shared: Result<MagicDatabase, MagicProblem> = Result { () throws(MagicProblem) in
    try MagicDatabase(path: nil)
  }

  private let handle: magic_t
  private let lock = Lock()

  /// - Parameter path: of another database than the system's.
  init(path: String?) throws(MagicProblem) {
    // Nothing is unpacked, and of programs only that they are programs is asked: less code looks at foreign bytes.
    let flags = MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF
    guard let handle = unsafe magic_open(flags) else { throw MagicProblem(message: "libmagic cannot be opened") }
    guard unsafe magic_load(handle, path) == 0 else {
      let message = unsafe magic_error(handle).map { unsafe String(cString: $0) }
      unsafe magic_close(handle)
      throw MagicProblem(message: message ?? "the database of file types cannot be loaded")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe magic_close(handle) }

  /// The media type of bytes, as libmagic names it; nil when it can't tell.
  func type(of bytes: [UInt8]) -> String? {
    lock.withLock {
      unsafe bytes.span.withUnsafeBytes { bytes in
        guard let text = unsafe magic_buffer(handle, bytes.baseAddress, bytes.count) else { return nil }
        return unsafe String(cString: text)
      }
    }
  }

  /// `5.44` as libmagic numbers it: 544.
  static var version: String {
    let number = Int(magic_version())
    let small = number % 100
    return "\(number / 100).\(small < 10 ? "0" : "")\(small)"
  }
}

/// Why contents can't be looked at.
struct MagicProblem: Error, Hashable, Sendable {
  let message: String
}
