/// The calls that a fault plan can make fail, by the names of their manual pages.
public enum Syscall: Hashable, Sendable {
  case open, close, stat, read, write, pread, pwrite
  case fsync, fdatasync, syncfs, ftruncate, fallocate, flock, statvfs
  case rename, link, unlink, mkdir, readdir
}

/// What a call is about: a fault plan is limited to a folder by it.
enum SyscallSubject {
  case descriptor(Int32)
  case path(String)
  case entry(folder: Int32, name: String)
}
