internal import CPosix
internal import Glibc

/// The calls that touch files, each made again when a signal interrupts it; in debug builds a fault plan may step in.
enum Syscalls {
  @inline(__always)
  static func perform<Result: FixedWidthInteger & SignedInteger>(
    _ call: Syscall, _ subject: @autoclosure () -> SyscallSubject, _ body: () -> Result
  ) throws(Errno) -> Result {
    try perform(call, subject(), byteCount: 0) { _ in body() }
  }

  /// The same for calls that may move fewer bytes than they were asked to.
  @inline(__always)
  static func perform<Result: FixedWidthInteger & SignedInteger>(
    _ call: Syscall, _ subject: @autoclosure () -> SyscallSubject, byteCount: Int, _ body: (Int) -> Result
  ) throws(Errno) -> Result {
    while true {
      var allowed = byteCount
      var error: Errno?
      #if DEBUG
        switch FaultPlan.outcome(of: call, subject) {
        case .none: break
        case .fail(let planned): error = planned
        case .short(let limit): allowed = min(limit, byteCount)
        }
      #endif
      if error == nil {
        let result = body(allowed)
        if result >= 0 { return result }
        error = .last
      }
      if let error, error != .interrupted { throw error }
      // A call that was interrupted has done nothing (signal(7)).
      allowed = byteCount
    }
  }

  /// A NUL would end the name early and mean another file.
  static func refuseNUL(in text: String) throws(Errno) {
    if text.utf8.contains(0) { throw .invalid }
  }
}

extension Syscalls {
  static func open(_ name: String, in folder: Int32, flags: Int32, mode: UInt32 = 0) throws(Errno) -> Descriptor {
    try refuseNUL(in: name)
    let raw = try perform(.open, .entry(folder: folder, name: name)) {
      unsafe hermes_openat(folder, name, flags | O_CLOEXEC | O_NOCTTY, mode)
    }
    return Descriptor(owning: raw)
  }

  /// Linux frees the number whatever the answer is, so close(2) is never made again.
  static func close(_ descriptor: Int32) throws(Errno) {
    #if DEBUG
      if case .fail(let error) = FaultPlan.outcome(of: .close, { .descriptor(descriptor) }) {
        _ = Glibc.close(descriptor)
        throw error
      }
    #endif
    guard Glibc.close(descriptor) == 0 || errno == EINTR else { throw .last }
  }

  static func read(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try perform(.read, .descriptor(descriptor), byteCount: room.count) { count in
      unsafe Glibc.read(descriptor, room.baseAddress, count)
    }
  }

  static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try perform(.write, .descriptor(descriptor), byteCount: bytes.count) { count in
      unsafe Glibc.write(descriptor, bytes.baseAddress, count)
    }
  }

  static func pread(
    _ descriptor: Int32, into room: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try perform(.pread, .descriptor(descriptor), byteCount: room.count) { count in
      unsafe Glibc.pread(descriptor, room.baseAddress, count, off_t(offset))
    }
  }

  static func pwrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try perform(.pwrite, .descriptor(descriptor), byteCount: bytes.count) { count in
      unsafe Glibc.pwrite(descriptor, bytes.baseAddress, count, off_t(offset))
    }
  }

  static func fsync(_ descriptor: Int32) throws(Errno) {
    _ = try perform(.fsync, .descriptor(descriptor)) { Glibc.fsync(descriptor) }
  }

  static func fdatasync(_ descriptor: Int32) throws(Errno) {
    _ = try perform(.fdatasync, .descriptor(descriptor)) { Glibc.fdatasync(descriptor) }
  }

  static func syncfs(_ descriptor: Int32) throws(Errno) {
    _ = try perform(.syncfs, .descriptor(descriptor)) { CPosix.syncfs(descriptor) }
  }

  static func ftruncate(_ descriptor: Int32, byteCount: Int64) throws(Errno) {
    _ = try perform(.ftruncate, .descriptor(descriptor)) { Glibc.ftruncate(descriptor, off_t(byteCount)) }
  }

  static func fallocate(_ descriptor: Int32, mode: Int32, byteCount: Int64) throws(Errno) {
    _ = try perform(.fallocate, .descriptor(descriptor)) {
      CPosix.fallocate(descriptor, mode, 0, off_t(byteCount))
    }
  }

  static func flock(_ descriptor: Int32, _ operation: Int32) throws(Errno) {
    _ = try perform(.flock, .descriptor(descriptor)) { hermes_flock(descriptor, operation) }
  }
}

extension Syscalls {
  static func fstat(_ descriptor: Int32) throws(Errno) -> FileStatus {
    var status = stat()
    _ = try perform(.stat, .descriptor(descriptor)) { unsafe Glibc.fstat(descriptor, &status) }
    return FileStatus(status)
  }

  static func fstatat(_ name: String, in folder: Int32, flags: Int32) throws(Errno) -> FileStatus {
    try refuseNUL(in: name)
    var status = stat()
    _ = try perform(.stat, .entry(folder: folder, name: name)) {
      unsafe Glibc.fstatat(folder, name, &status, flags)
    }
    return FileStatus(status)
  }

  static func statvfs(_ path: String) throws(Errno) -> Glibc.statvfs {
    try refuseNUL(in: path)
    var status = Glibc.statvfs()
    _ = try perform(.statvfs, .path(path)) { unsafe hermes_statvfs(path, &status) }
    return status
  }

  static func fstatvfs(_ descriptor: Int32) throws(Errno) -> Glibc.statvfs {
    var status = Glibc.statvfs()
    _ = try perform(.statvfs, .descriptor(descriptor)) { unsafe hermes_fstatvfs(descriptor, &status) }
    return status
  }

  /// - Parameter flags: 0, or RENAME_NOREPLACE of renameat2(2).
  static func rename(
    _ old: String, in oldFolder: Int32, to new: String, in newFolder: Int32, flags: UInt32
  ) throws(Errno) {
    try refuseNUL(in: old)
    try refuseNUL(in: new)
    _ = try perform(.rename, .entry(folder: newFolder, name: new)) {
      flags == 0
        ? unsafe renameat(oldFolder, old, newFolder, new) : unsafe renameat2(oldFolder, old, newFolder, new, flags)
    }
  }

  static func link(_ old: String, to new: String, in folder: Int32) throws(Errno) {
    try refuseNUL(in: old)
    try refuseNUL(in: new)
    _ = try perform(.link, .entry(folder: folder, name: new)) { unsafe linkat(folder, old, folder, new, 0) }
  }

  /// Gives an open file without a name one; /proc leads from the descriptor to the file (open(2), O_TMPFILE).
  static func link(descriptor: Int32, to new: String, in folder: Int32) throws(Errno) {
    try refuseNUL(in: new)
    _ = try perform(.link, .entry(folder: folder, name: new)) {
      unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", folder, new, AT_SYMLINK_FOLLOW)
    }
  }

  static func unlink(_ name: String, in folder: Int32, flags: Int32 = 0) throws(Errno) {
    try refuseNUL(in: name)
    _ = try perform(.unlink, .entry(folder: folder, name: name)) { unsafe unlinkat(folder, name, flags) }
  }

  static func mkdir(_ path: String, mode: UInt32) throws(Errno) {
    try refuseNUL(in: path)
    _ = try perform(.mkdir, .path(path)) { unsafe Glibc.mkdir(path, mode) }
  }
}
