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

/// The write end of the signals' pipe. Set once, before the first handler is installed, and only read after that: a
/// handler may touch nothing that needs a lock (signal-safety(7)).
private nonisolated(unsafe) var pipeEnd: Int32 = -1

/// Takes the stop signals on a thread of its own, where any code may run, until the process ends.
///
/// By handlers and a pipe, not by a mask and sigwait(3): Dispatch, which runs the main actor, waits on the first thread
/// with nothing blocked, so a masked signal would meet its default action there.
public enum StopSignals {
  /// Calls `received` for each signal that comes. Once in a process. From then on SIGPIPE is ignored, so that a reader
  /// who is gone is an error of the write.
  public static func watch(_ received: @escaping @Sendable (StopSignal) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    // Under nohup(1) hanging up is ignored, in the background of a script interrupting too.
    let watched = StopSignal.allCases.filter { hermes_is_signal_ignored($0.number) == 0 }
    guard let readEnd = openPipe() else { return }
    for one in watched { install(one) }
    _ = Thread(name: "signals") { report(readEnd, received) }
  }

  private static func openPipe() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
    unsafe pipeEnd = ends[1]
    return ends[0]
  }

  private static func install(_ one: StopSignal) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { number in
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = unsafe write(pipeEnd, &byte, 1)
      errno = saved
    }
    // What is interrupted by it goes on by itself.
    action.sa_flags = SA_RESTART
    unsafe sigaction(one.number, &action, nil)
  }

  private static func report(_ readEnd: Int32, _ received: (StopSignal) -> Void) {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(readEnd, &byte, 1)
      guard count == 1 || (count == -1 && errno == EINTR) else { return }
      guard count == 1, let one = StopSignal.allCases.first(where: { $0.number == Int32(byte) }) else { continue }
      received(one)
    }
  }
}
