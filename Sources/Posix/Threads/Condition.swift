internal import CPosix
internal import Glibc

/// A lock with a way to wait, inside it, for what another thread does inside it.
///
/// `@unchecked Sendable`: a condition variable is made to be used from many threads, and its place never changes.
@safe public final class Condition: @unchecked Sendable {
  private let lock = Lock()
  private let variable: UnsafeMutablePointer<pthread_cond_t>

  public init() {
    unsafe variable = .allocate(capacity: 1)
    unsafe variable.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // Else setting the machine's time would shorten or stretch every wait.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(variable, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(variable)
    unsafe variable.deallocate()
  }

  /// Runs `body` while no other thread does; `wait` is called within it.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock(body)
  }

  /// Lets go of the lock until a signal comes, or for no reason: ask again what you wait for.
  public func wait() { unsafe pthread_cond_wait(variable, lock.mutex) }

  /// The same, but only until a moment of `Clocks.monotonic()`; false once it has come.
  public func wait(untilMonotonic nanoseconds: Int64) -> Bool {
    let moment = max(nanoseconds, 0)
    var time = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
    return unsafe pthread_cond_timedwait(variable, lock.mutex, &time) != ETIMEDOUT
  }

  /// Wakes all who wait.
  public func signal() { unsafe pthread_cond_broadcast(variable) }
}
