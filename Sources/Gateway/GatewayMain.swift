/// The program `hermes-gateway`.
public enum GatewayMain {
  /// Serves until SIGINT or SIGTERM.
  /// - Parameter arguments: without the program's name.
  /// - Returns: the exit status: 0, 1 when it can't start, 2 for a wrong command line.
  public static func run(_ arguments: [String]) -> Int32 {
    let command: GatewayCommand
    do { command = try GatewayCommand(arguments) } catch {
      complain(error.description)
      return 2
    }
    switch command {
    case .help: StandardStreams.writeOutput(GatewayFlag.manual)
    case .version: StandardStreams.writeOutput("hermes-gateway \(version)\n")
    case .serve(let options): return serve(options)
    }
    return 0
  }

  private static func serve(_ options: GatewayOptions) -> Int32 {
    // Blocked before there are other threads, so that they inherit it and the signal waits for us.
    let signals = StopSignals()
    let gateway: Gateway
    do { gateway = try Gateway(options) } catch {
      complain(error.description)
      return 1
    }
    StandardStreams.writeOutput("listening on \(gateway.origin)\n")
    signals.wait()
    gateway.stop()
    return 0
  }

  private static func complain(_ text: String) {
    StandardStreams.writeError("hermes-gateway: \(text)\n")
  }

  private static let version = "0.1.0"
}
