import CMicroHTTPD

/// Wakes suspended connections when their time has come.
///
/// The library never frees a suspended connection, so a pointer kept here is valid until it is resumed.
@safe final class Pacer: @unchecked Sendable {  // `lock` guards every variable
  private let lock = Lock()
  private let changed = Condition()
  private var sleepers: [Sleeper] = []
  private var isStopping = false
  private var thread: Thread?

  @safe private struct Sleeper {
    let connection: OpaquePointer
    let wakesAt: Int64
  }

  func start() {
    lock.withLock { thread = Thread { [self] in run() } }
  }

  /// Suspends a connection until a moment in monotonic nanoseconds; false when the gateway is stopping.
  ///
  /// Only from inside the connection's own callback.
  func suspend(_ connection: OpaquePointer, untilNanoseconds: Int64) -> Bool {
    lock.withLock {
      guard !isStopping else { return false }
      unsafe MHD_suspend_connection(connection)
      unsafe sleepers.append(Sleeper(connection: connection, wakesAt: untilNanoseconds))
      changed.signal()
      return true
    }
  }

  /// Wakes everyone for good: the library can't stop with a connection suspended.
  func stop() {
    let thread = lock.withLock {
      isStopping = true
      changed.signal()
      return self.thread
    }
    thread?.join()
  }

  private func run() {
    lock.withLock {
      while true {
        wakeDue(at: isStopping ? .max : Clocks.monotonicNanoseconds)
        guard !isStopping else { return }
        changed.wait(lock, untilNanoseconds: sleepers.map(\.wakesAt).min())
      }
    }
  }

  private func wakeDue(at now: Int64) {
    let firstDue = sleepers.partition { $0.wakesAt <= now }
    for sleeper in sleepers[firstDue...] { unsafe MHD_resume_connection(sleeper.connection) }
    sleepers.removeSubrange(firstDue...)
  }
}
