internal import CPosix
internal import Glibc

/// The signals by which a person or the system steers the program.
public enum StopSignal: Hashable, Sendable, CaseIterable {
  case interrupt, terminate, hangUp, windowChanged

  /// Its number in signal(7).
  public var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .hangUp: SIGHUP
    case .windowChanged: SIGWINCH
    }
  }
}

/// Takes the stop signals on a thread of its own, where any code may run, until the process ends.
public enum StopSignals {
  /// Calls `received` for each signal that comes. Must come before any other thread is started: only those that are
  /// started later leave these signals alone. From then on SIGPIPE is ignored, so that a reader who is gone is an error
  /// of the write.
  public static func watch(_ received: @escaping @Sendable (StopSignal) -> Void) { _ = start(received) }

  static func start(_ received: @escaping @Sendable (StopSignal) -> Void) -> Thread {
    signal(SIGPIPE, SIG_IGN)
    // Under nohup(1) hanging up is ignored, in the background of a script interrupting too: a blocked signal would be
    // delivered to sigwait(3) all the same.
    let watched = StopSignal.allCases.filter { hermes_is_signal_ignored($0.number) == 0 }
    var blocked = set(of: watched)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    return Thread(name: "signals") { wait(for: watched, received) }
  }

  private static func wait(for watched: [StopSignal], _ received: (StopSignal) -> Void) {
    var awaited = set(of: watched)
    while true {
      var number: Int32 = 0
      // Its only error is a set of signals that don't exist (sigwait(3)).
      guard unsafe sigwait(&awaited, &number) == 0 else { return }
      if let signal = watched.first(where: { $0.number == number }) { received(signal) }
    }
  }

  private static func set(of signals: [StopSignal]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.number) }
    return set
  }
}
