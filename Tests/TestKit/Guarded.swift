import Glibc

/// A value behind a pthread lock, and a way to wait until it is as wished. The thread sanitizer knows pthread locks;
/// it reports false races with `Synchronization.Mutex` on Linux.
final class Guarded<Value>: @unchecked Sendable {
  // Sendable by hand: `value` is only touched with `mutex` held.
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Waits until the condition holds; false when it did not within the time.
  func wait(seconds: Double, until condition: (Value) -> Bool) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = Int(deadline.tv_nsec) + Int(seconds * 1e9)
    deadline.tv_sec += nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !condition(value) {
      if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return condition(value) }
    }
    return true
  }
}

/// Starts a detached thread; whoever starts it keeps count of those that still run.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Body(body)).toOpaque()
  let outcome = pthread_create(
    &thread, &attributes,
    { context in
      Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  precondition(outcome == 0, "cannot start a thread: \(String(cString: strerror(outcome)))")
  pthread_attr_destroy(&attributes)
}
