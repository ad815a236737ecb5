import Glibc
import Testing

/// How a program ended and what it said.
public struct ProgramResult: Sendable, CustomStringConvertible {
  /// The exit status, or nil when a signal ended it.
  public let exitStatus: Int32?
  /// The signal that ended it, if one did.
  public let signal: Int32?
  public let outputBytes: [UInt8]
  public let standardError: String
  /// Seconds from start to end.
  public let seconds: Double

  public var output: String { String(decoding: outputBytes, as: UTF8.self) }
  /// The lines of standard output.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }
  public var description: String {
    "exit \(exitStatus.map(String.init) ?? "signal \(signal ?? 0)") after \(seconds) s\n\(output)\(standardError)"
  }
}

/// A program that runs beside the test: its output goes to files, so that nothing blocks and everything can be looked at.
public final class RunningProgram: Sendable {
  private struct State {
    var ending: Int32?
    var seconds = 0.0
  }
  public let processID: pid_t
  private let name: String
  private let folder: TemporaryFolder
  private let state = Guarded(State())

  /// Starts it with exactly this environment, in this folder, with this on its standard input, or on a terminal.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String], folder workingFolder: String,
    input: [UInt8] = [], terminal: PseudoTerminal? = nil
  ) {
    name = String(path.split(separator: "/").last ?? "")
    folder = TemporaryFolder("output")
    let inputPath = folder.write(input, to: "input")
    processID = Spawn.start(
      path, [name] + arguments, environment: environment.map { "\($0)=\($1)" }, folder: workingFolder,
      files: terminal.map { [$0.path, $0.path, $0.path] } ?? [inputPath, folder.path("output"), folder.path("error")])
    let begun = Spawn.seconds()
    startThread { [state, processID] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, Int32(WEXITED | WNOWAIT)) != 0 && errno == EINTR {}
      state.withLock { state in
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        state.seconds = Spawn.seconds() - begun
        state.ending = status
      }
    }
  }

  deinit { kill(SIGKILL) }

  /// Sends a signal, if it still runs.
  public func kill(_ signal: Int32) {
    state.withLock { state in
      if state.ending == nil { Glibc.kill(processID, signal) }
    }
  }

  public var isRunning: Bool { state.withLock { $0.ending == nil } }
  /// What it wrote to standard output so far.
  public var outputSoFar: String { TestFiles.text(folder.path("output")) ?? "" }
  /// What it wrote to standard error so far.
  public var errorSoFar: String { TestFiles.text(folder.path("error")) ?? "" }

  /// Waits for its end; one that takes longer fails the test and is killed.
  public func wait(
    seconds: Double = 120, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ProgramResult {
    let isInTime = await onThread { [state] in state.wait(seconds: seconds) { $0.ending != nil } }
    if !isInTime {
      Issue.record(
        "\(name) still ran after \(seconds) s\n\(outputSoFar)\(errorSoFar)", sourceLocation: sourceLocation)
      kill(SIGKILL)
      _ = await onThread { [state] in state.wait(seconds: 10) { $0.ending != nil } }
    }
    let (ending, time) = state.withLock { ($0.ending ?? 0, $0.seconds) }
    let signal = ending & 0x7f
    return ProgramResult(
      exitStatus: signal == 0 ? (ending >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
      outputBytes: TestFiles.read(folder.path("output")) ?? [], standardError: errorSoFar, seconds: time)
  }
}

/// Runs something that blocks on a thread of its own, so that the tests' few shared threads stay free.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    startThread { continuation.resume(returning: body()) }
  }
}

/// Asks every 10 ms until the condition holds; false when it did not within the time.
public func eventually(seconds: Double = 120, _ condition: @escaping @Sendable () -> Bool) async -> Bool {
  await onThread {
    let end = Spawn.seconds() + seconds
    while !condition() {
      if Spawn.seconds() > end { return false }
      poll(nil, 0, 10)
    }
    return true
  }
}

/// posix_spawn, for tests.
enum Spawn {
  /// Monotonic seconds.
  static func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  /// Starts a program whose standard streams are files; it gets no other descriptor of ours.
  static func start(
    _ path: String, _ arguments: [String], environment: [String], folder: String, files: [String]
  ) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, files[0], O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, files[1], O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, files[2], O_WRONLY | O_CREAT | O_APPEND, 0o600)
    closeFrom(&actions, 3)
    changeFolder(&actions, folder)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var processID = pid_t()
    let outcome = withCStrings(arguments) { arguments in
      withCStrings(environment) { posix_spawn(&processID, path, &actions, &attributes, arguments, $0) }
    }
    precondition(outcome == 0, "cannot start \(path): \(String(cString: strerror(outcome)))")
    return processID
  }

  // glibc declares these two only for _GNU_SOURCE, which Swift's Glibc module is not built with.
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias ChangeFolder =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  private static func closeFrom(_ actions: inout posix_spawn_file_actions_t, _ first: Int32) {
    let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
    _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first)
  }

  private static func changeFolder(_ actions: inout posix_spawn_file_actions_t, _ folder: String) {
    let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
    _ = unsafeBitCast(symbol, to: ChangeFolder.self)(&actions, folder)
  }

  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
  }
}
