import Posix

/// The program `hermes-gateway`.
public enum GatewayMain {
  /// Runs with the arguments of the process and ends it.
  public static func main() -> Never {
    Process.exitNow(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Serves until SIGINT, SIGTERM or SIGHUP.
  /// - Parameter arguments: without the program's name.
  /// - Returns: the exit status: 0, 1 when it can't start, 2 for a wrong command line.
  static func run(_ arguments: [String]) -> Int32 {
    let command: GatewayCommand
    do { command = try GatewayCommand(arguments, token: Process.environment("HERMES_GATEWAY_TOKEN")) } catch {
      complain(error.description)
      return 2
    }
    switch command {
    case .help: return say(GatewayFlag.manual)
    case .version: return say("hermes-gateway \(version)\n")
    case .serve(let options): return serve(options)
    }
  }

  private static func serve(_ options: GatewayOptions) -> Int32 {
    // Before there are other threads, so that none of them is interrupted.
    let stop = StopRequest()
    StopSignals.watch { if $0 == .interrupt || $0 == .terminate || $0 == .hangUp { stop.ask() } }
    // Each session has two descriptors and each medium that comes in one; with fewer it still works for some.
    do { try Process.raiseOpenFileLimit() } catch { complain("cannot raise the limit of open files: \(error)") }
    let gateway: Gateway
    do { gateway = try Gateway(options) } catch {
      complain(error.description)
      return 1
    }
    guard say("listening on \(gateway.origin)\n") == 0 else { return 1 }
    stop.wait()
    gateway.stop()
    return 0
  }

  /// Writes what was asked for; 1 when nobody can read it.
  private static func say(_ text: String) -> Int32 {
    do throws(Errno) { try StandardStreams.write(text, to: .output) } catch {
      complain("cannot write to standard output: \(error)")
      return 1
    }
    return 0
  }

  private static func complain(_ text: String) {
    StandardStreams.tell("hermes-gateway: \(text)\n", on: .error)
  }

  private static let version = "0.1.0"
}

/// Holds the main thread until someone asks for the end.
private final class StopRequest: @unchecked Sendable {  // `state` guards the flag
  private let state = Condition()
  private var isAsked = false

  func ask() {
    state.withLock {
      isAsked = true
      state.signal()
    }
  }

  func wait() {
    state.withLock {
      while !isAsked { state.wait() }
    }
  }
}
