import Core
import Glibc
import Synchronization

/// The one thread that runs a loop.
final class LoopThread: Sendable {
  /// pthread_self of the running thread, 0 before. The loop asks on every call whether it is on its own thread.
  private let identity = Atomic<UInt>(0)
  private let isStarted = Atomic<Bool>(false)

  var isCurrent: Bool { identity.load(ordering: .relaxed) == UInt(pthread_self()) }

  func start(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    precondition(!isStarted.exchange(true, ordering: .relaxed), "a loop is started twice")
    let start = Start(thread: self, name: name, body: body)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    precondition(code == 0, "no thread for the loop: \(code)")
    joinable.store(UInt(thread), ordering: .relaxed)
  }

  private let joinable = Atomic<UInt>(0)

  /// Waits for the thread's end; nothing when it was never started or is joined.
  func join() {
    let thread = joinable.exchange(0, ordering: .relaxed)
    if thread != 0 { pthread_join(pthread_t(thread), nil) }
  }

  private final class Start: Sendable {
    let thread: LoopThread
    let name: StaticString
    let body: @Sendable () -> Void

    init(thread: LoopThread, name: StaticString, body: @escaping @Sendable () -> Void) {
      self.thread = thread
      self.name = name
      self.body = body
    }

    func run() {
      thread.identity.store(UInt(pthread_self()), ordering: .relaxed)
      body()
    }
  }
}

/// A pthread lock: the thread sanitizer reports false races with `Synchronization.Mutex` on Linux.
@safe final class LoopLock: @unchecked Sendable {
  // Sendable by hand: a mutex is made to be shared.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<Value>(_ body: () -> Value) -> Value {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }
}

enum Clock {
  static func monotonic() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Seconds since 1970.
  static func wallSeconds() -> Int64 { Int64(time(nil)) }
}
