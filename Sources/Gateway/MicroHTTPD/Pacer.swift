import CMicroHTTPD
import Posix

/// Wakes suspended connections when their time has come.
///
/// The library never frees a suspended connection, so a pointer kept here is valid until it is resumed.
@safe final class Pacer: @unchecked Sendable {  // `state` guards every variable
  private let state = Condition()
  private var sleepers: [Sleeper] = []
  private var isStopping = false
  private var thread: Thread?

  @safe private struct Sleeper {
    let connection: OpaquePointer
    let wakesAt: Int64
  }

  func start() {
    state.withLock { thread = Thread(name: "pacer") { [self] in run() } }
  }

  /// Suspends a connection until a moment in monotonic nanoseconds; false when the gateway is stopping.
  ///
  /// Only from inside the connection's own callback.
  func suspend(_ connection: OpaquePointer, untilNanoseconds: Int64) -> Bool {
    state.withLock {
      guard !isStopping else { return false }
      unsafe MHD_suspend_connection(connection)
      unsafe sleepers.append(Sleeper(connection: connection, wakesAt: untilNanoseconds))
      state.signal()
      return true
    }
  }

  /// Wakes everyone for good: the library can't stop with a connection suspended.
  func stop() {
    let thread = state.withLock {
      isStopping = true
      state.signal()
      return self.thread
    }
    thread?.join()
  }

  private func run() {
    state.withLock {
      while true {
        wakeDue(at: isStopping ? .max : Clocks.monotonic())
        guard !isStopping else { return }
        sleep(until: sleepers.map(\.wakesAt).min())
      }
    }
  }

  private func sleep(until moment: Int64?) {
    guard let moment else { return state.wait() }
    _ = state.wait(untilMonotonic: moment)  // whichever came first, the loop looks at the clock
  }

  private func wakeDue(at now: Int64) {
    let firstDue = sleepers.partition { $0.wakesAt <= now }
    for sleeper in sleepers[firstDue...] { unsafe MHD_resume_connection(sleeper.connection) }
    sleepers.removeSubrange(firstDue...)
  }
}
