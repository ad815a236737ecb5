internal import CPosix
internal import Glibc

/// An open file, folder or stream; closed when it goes.
public struct Descriptor: ~Copyable, Sendable {
  /// The number that libc knows it by.
  public let rawValue: Int32

  /// Takes over an open number: nobody else may close it.
  public init(owning rawValue: Int32) { self.rawValue = rawValue }

  deinit {
    // Nobody is left to hear of an error; who wants to know calls `close()`.
    do { try Syscalls.close(rawValue) } catch {}
  }

  /// Closes it and tells what went wrong; the number is free in either case.
  public consuming func close() throws(Errno) {
    let raw = rawValue
    discard self
    try Syscalls.close(raw)
  }

  /// Gives the number away; the taker closes it.
  public consuming func release() -> Int32 {
    let raw = rawValue
    discard self
    return raw
  }
}

/// Bytes in and out.
extension Descriptor {
  /// Writes all bytes at `offset`; the C function is `pwrite`.
  public func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try unsafe Syscalls.pwrite(rawValue, rest, at: offset + Int64(done))
      // Nothing written and no error: not to be had from a file, and no reason to spin.
      guard count > 0 else { throw .ioError }
      done += count
    }
  }

  /// Reads once from `offset` and gives the number of bytes, 0 at the end; the C function is `pread`.
  public func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try unsafe Syscalls.pread(rawValue, into: room, at: offset)
  }

  /// Writes all bytes at `offset`; the C function is `pwrite`.
  public func writeAll(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
    try unsafe bytes.span.withUnsafeBytes { (bytes) throws(Errno) in try unsafe writeAll(bytes, at: offset) }
  }

  /// Reads once from `offset`, no more than the array has room for, and gives the number of bytes, 0 at the end.
  public func read(into room: inout [UInt8], at offset: Int64) throws(Errno) -> Int {
    try unsafe room.withUnsafeMutableBufferPointer { (room) throws(Errno) -> Int in
      try unsafe read(into: UnsafeMutableRawBufferPointer(room), at: offset)
    }
  }

  /// Reads once from a stream, 0 at its end; the C function is `read`.
  public func read(into room: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try unsafe Syscalls.read(rawValue, into: room)
  }

  /// Reads from where the descriptor stands to the end, of a pipe too; `.fileTooLarge` when there are more than
  /// `maxByteCount` bytes.
  public func readAll(maxByteCount: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    // Files of /proc tell no length, so what can be read decides, not the status.
    var slice = [UInt8](repeating: 0, count: min(maxByteCount + 1, 64 << 10))
    while true {
      let count = try unsafe slice.withUnsafeMutableBufferPointer { (room) throws(Errno) -> Int in
        try unsafe read(into: UnsafeMutableRawBufferPointer(room))
      }
      guard count > 0 else { return bytes }
      bytes += slice[..<count]
      guard bytes.count <= maxByteCount else { throw .fileTooLarge }
    }
  }
}

/// The file as a whole.
extension Descriptor {
  /// Length, kind and identity; the C function is `fstat`.
  public func status() throws(Errno) -> FileStatus { try Syscalls.fstat(rawValue) }

  /// Content and everything about the file to the disk; the C function is `fsync`. For a folder: its names.
  public func sync() throws(Errno) {
    do throws(Errno) { try Syscalls.fsync(rawValue) } catch {
      // A file system that cannot sync folders says so (fsync(2), EINVAL); there is nothing more to do for it.
      guard error == .invalid || error == .notSupported else { throw error }
    }
  }

  /// Content, and of the rest only what reading it needs, to the disk; the C function is `fdatasync`.
  public func syncData() throws(Errno) { try Syscalls.fdatasync(rawValue) }

  /// All of the file system that the file is on; the C function is `syncfs`.
  public func syncFileSystem() throws(Errno) { try Syscalls.syncfs(rawValue) }

  /// Cuts the file off, or extends it by a hole; the C function is `ftruncate`.
  public func truncate(byteCount: Int64) throws(Errno) { try Syscalls.ftruncate(rawValue, byteCount: byteCount) }

  /// Reserves room without changing the length; false where the file system cannot. The C function is `fallocate`.
  public func reserve(byteCount: Int64) throws(Errno) -> Bool {
    guard byteCount > 0 else { return true }
    do throws(Errno) {
      try Syscalls.fallocate(rawValue, mode: hermes_falloc_keep_size, byteCount: byteCount)
      return true
    } catch {
      guard error == .notSupported || error == .notImplemented || error == .invalid else { throw error }
      return false
    }
  }

  /// Bytes that an ordinary user may still write to the file system; the C function is `fstatvfs`.
  public func freeByteCount() throws(Errno) -> Int64 { Files.freeByteCount(in: try Syscalls.fstatvfs(rawValue)) }
}

/// Locks between processes.
extension Descriptor {
  public enum LockKind: Sendable { case shared, exclusive }

  /// Locks the open file if no one else has; held until it is closed everywhere. The C function is `flock`.
  public func lock(_ kind: LockKind) throws(Errno) -> Bool {
    do throws(Errno) {
      try Syscalls.flock(rawValue, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB)
      return true
    } catch .wouldBlock {
      return false
    }
  }
}
