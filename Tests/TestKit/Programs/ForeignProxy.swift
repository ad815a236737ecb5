import Glibc
import Testing

/// tinyproxy on a free port of 127.0.0.1: it tunnels to any port.
public final class ForeignProxy: Sendable {
  public struct NotStarted: Error {}

  private static let executable = "/usr/bin/tinyproxy"
  public static var isInstalled: Bool { access(executable, X_OK) == 0 }

  public let port: UInt16
  private let folder = TemporaryFolder("tinyproxy")
  private let program: RunningProgram

  /// Starts it, and waits until it listens.
  public init(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let port = FreePort.next()
    self.port = port
    let configuration = folder.write(
      """
      Listen 127.0.0.1
      Port \(port)
      Allow 127.0.0.1
      MaxClients 100
      Timeout 60
      LogFile "\(folder.path("log"))"
      LogLevel Connect

      """, to: "tinyproxy.conf")
    program = RunningProgram(
      Self.executable, ["-d", "-c", configuration], environment: ["PATH": "/usr/bin:/bin"], folder: folder.path)
    let running = program
    _ = await eventually { !running.isRunning || LoopbackSocket.answers(port: port) }
    guard program.isRunning else {
      Issue.record(
        "tinyproxy did not start\n\(program.outputSoFar)\(program.errorSoFar)", sourceLocation: sourceLocation)
      throw NotStarted()
    }
  }

  public var url: String { "http://127.0.0.1:\(port)" }

  /// How many tunnels to a port of 127.0.0.1 it was asked for.
  public func tunnelCount(to port: UInt16) -> Int {
    (TestFiles.text(folder.path("log")) ?? "").split(separator: "\n").filter {
      $0.contains("CONNECT 127.0.0.1:\(port) ")
    }.count
  }

  /// Asks it to end, and waits.
  public func stop() async {
    program.kill(SIGTERM)
    if await !eventually(seconds: 5, { [program] in !program.isRunning }) { program.kill(SIGKILL) }
    _ = await program.wait(seconds: 10)
  }
}
