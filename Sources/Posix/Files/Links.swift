internal import CPosix
internal import Glibc

/// Symbolic links.
enum Links {
  /// A path without links, `.` and `..`, to something that is there; the C function is `realpath`.
  static func resolved(_ path: String) throws(Errno) -> String {
    try Syscalls.refuseNUL(in: path)
    guard let resolved = unsafe realpath(path, nil) else { throw .last }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Where a link points; nil when there is none. The C function is `readlink`.
  static func target(_ path: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { room in
      guard let start = room.baseAddress else { return nil }
      let count = unsafe readlink(path, start, room.count - 1)
      guard count >= 0 else { return nil }
      unsafe room[count] = 0
      return unsafe String(cString: start)
    }
  }
}
