// The few system calls the gateway makes; the module Posix is to take them over.
import Glibc

struct Errno: Error, Equatable, CustomStringConvertible {
  let rawValue: Int32
  static var last: Errno { Errno(rawValue: errno) }
  var description: String { unsafe String(cString: strerror(rawValue)).lowercased() }
}

struct Descriptor: ~Copyable {
  let rawValue: Int32
  init(_ rawValue: Int32) { self.rawValue = rawValue }
  deinit { close(rawValue) }
  consuming func release() -> Int32 {
    let raw = rawValue
    discard self
    return raw
  }
}

struct FileStatus {
  let size: Int64
  let isRegular: Bool
  let device: UInt64
  let inode: UInt64
  let modifiedNanoseconds: Int64
}

enum Files {
  static func openFolder(_ path: String) throws(Errno) -> Descriptor {
    let raw = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw .last }
    return Descriptor(raw)
  }

  static func open(_ name: String, in folder: borrowing Descriptor, flags: Int32) throws(Errno) -> Descriptor {
    let raw = unsafe openat(folder.rawValue, name, flags | O_CLOEXEC | O_NOFOLLOW)
    guard raw >= 0 else { throw .last }
    return Descriptor(raw)
  }

  static func status(_ descriptor: borrowing Descriptor) throws(Errno) -> FileStatus {
    var s = stat()
    guard unsafe fstat(descriptor.rawValue, &s) == 0 else { throw .last }
    return FileStatus(
      size: Int64(s.st_size), isRegular: s.st_mode & S_IFMT == S_IFREG, device: UInt64(s.st_dev),
      inode: UInt64(s.st_ino),
      modifiedNanoseconds: Int64(s.st_mtim.tv_sec) * 1_000_000_000 + Int64(s.st_mtim.tv_nsec))
  }

  static func read(
    _ descriptor: borrowing Descriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    while true {
      let count = unsafe pread(descriptor.rawValue, buffer.baseAddress!, buffer.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .last }
    }
  }
}

@safe final class Lock: @unchecked Sendable {
  fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  init() { unsafe pthread_mutex_init(mutex, nil) }
  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }
  func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }
}

@safe final class Condition: @unchecked Sendable {
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  init() {
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
  }
  deinit { unsafe condition.deallocate() }
  func signal() { unsafe pthread_cond_broadcast(condition) }
  func wait(_ lock: Lock, untilNanoseconds: Int64?) {
    guard let until = untilNanoseconds else {
      unsafe pthread_cond_wait(condition, lock.mutex)
      return
    }
    var time = timespec(tv_sec: Int(until / 1_000_000_000), tv_nsec: Int(until % 1_000_000_000))
    unsafe pthread_cond_timedwait(condition, lock.mutex, &time)
  }
}

enum Clocks {
  static var monotonicNanoseconds: Int64 {
    var t = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &t)
    return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
  }
  static var wallSeconds: Double {
    var t = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &t)
    return Double(t.tv_sec)
  }
}

private final class ThreadBody {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

final class Thread: @unchecked Sendable {
  private var id = pthread_t()
  init(_ body: @escaping @Sendable () -> Void) {
    let context = unsafe Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    unsafe pthread_create(
      &id, nil,
      { context in
        unsafe Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, context)
  }
  func join() { pthread_join(id, nil) }
}

extension Files {
  static func readText(_ path: String, atMost byteCount: Int) throws(Errno) -> String {
    let raw = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { throw .last }
    let descriptor = Descriptor(raw)
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor.rawValue, $0.baseAddress!, $0.count, 0) }
    guard count >= 0 else { throw .last }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

enum StandardStreams {
  static func writeOutput(_ text: String) { unsafe text.withCString { _ = unsafe write(1, $0, strlen($0)) } }
  static func writeError(_ text: String) { unsafe text.withCString { _ = unsafe write(2, $0, strlen($0)) } }
}

final class StopSignals {
  private var set = sigset_t()
  init() {
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    unsafe sigaddset(&set, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }
  func wait() {
    var number: Int32 = 0
    unsafe sigwait(&set, &number)
  }
}
