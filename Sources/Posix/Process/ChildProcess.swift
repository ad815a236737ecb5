internal import CPosix
internal import Glibc

/// A program that this one started. If nobody waits for it, it stays as a zombie until this process ends.
public final class ChildProcess: Sendable {
  /// What one of its standard streams is.
  public enum Stream: Hashable, Sendable {
    /// The one of this process.
    case inherited
    /// Empty, or forgotten.
    case nowhere
    /// Read from, or appended to; made with mode 0600 if it isn't there.
    case file(String)
    /// In the hands of `communicate`.
    case pipe
  }

  /// How it ended.
  public enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// Its number.
  public let id: Int32
  let pipes: ChildPipes
  private let ending = Guarded<Ending?>(nil)

  /// Starts the program at `path`; the C function is `posix_spawn`. Signals that this process blocks or ignores are
  /// not blocked in the new one, and SIGPIPE isn't ignored.
  /// - Parameters:
  ///   - environment: all of its variables; nil for those of this process.
  ///   - folder: where its relative paths start; nil for that of this process.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil,
    input: Stream = .nowhere, output: Stream = .inherited, error: Stream = .inherited
  ) throws(Errno) {
    let setup = SpawnSetup()
    if let folder { try setup.start(in: folder) }
    let input = try setup.arrange(input, as: 0)
    let output = try setup.arrange(output, as: 1)
    let error = try setup.arrange(error, as: 2)
    pipes = ChildPipes(input: input, output: output, error: error)
    id = try setup.spawn(path, arguments, environment)
  }

  /// Sends it a signal, unless it has been waited for; the C function is `kill`.
  public func send(signal number: Int32) throws(Errno) {
    try ending.withLock { (ending) throws(Errno) in
      // After that its number may be another process's.
      guard ending == nil else { return }
      guard kill(id, number) == 0 else { throw .last }
    }
  }

  /// Waits until it has ended; the C functions are `waitid` and `waitpid`.
  public func wait() throws(Errno) -> Ending {
    // First without taking the ending, so that signals can be sent meanwhile.
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 {
      if Errno.last == .noChild { break }
      guard Errno.last == .interrupted else { throw .last }
    }
    guard let ending = try poll() else { throw .noChild }
    return ending
  }

  /// How it ended; nil while it runs.
  public func poll() throws(Errno) -> Ending? {
    try ending.withLock { (ending) throws(Errno) in
      if let ending { return ending }
      var status: Int32 = 0
      let found = unsafe waitpid(id, &status, WNOHANG)
      guard found >= 0 else { throw .last }
      if found > 0 { ending = Ending(status: status) }
      return ending
    }
  }
}

extension ChildProcess.Ending {
  /// Reads what waitpid(2) gives: the signal in the lowest seven bits, else the exit status above them.
  fileprivate init(status: Int32) {
    self = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: status & 0x7f)
  }
}
