import FoundationEssentials
import Glibc
import Testing

/// A Hermes gateway on a WebSocket library of somebody else, which knows no extension: a script of `Gateways/`, started
/// on a free port of 127.0.0.1.
public final class ForeignGateway: Sendable {
  /// The libraries: `websockets` and `aiohttp` for Python, `ws` for node.
  public enum Kind: String, Sendable, CaseIterable { case websockets, aiohttp, ws }

  /// One line that it wrote; each has a few of these.
  public struct Line: Decodable, Sendable {
    public let port: UInt16?
    /// A device's id, when it said hello.
    public let hello: String?
    public let platform: String?
    public let text: String?
    /// Of a text or of the medium that a part belongs to.
    public let id: String?
    /// The id of a card that was answered, and with what.
    public let prompt: String?
    public let option: String?
    /// The index of a part that came, of how many.
    public let part: Int?
    public let parts: Int?
    /// The part after which it cut the connection.
    public let drop: Int?
    /// The id of a medium that is whole.
    public let media: String?
    public let bytes: Int64?
    public let sha256: String?
    public let kind: String?
    public let mime: String?
    public let filename: String?
    public let caption: String?
    /// The code that a connection ended with, where the library tells it.
    public let closed: Int?
  }

  public struct NotStarted: Error { let kind: Kind }

  /// What it lets in.
  public static let token = "secret"

  public let kind: Kind
  public let port: UInt16
  /// Where it stores what came, as `<id>.bin`.
  public let mediaFolder: String
  /// What a client trusts it by; nil for one without TLS.
  public let certificate: TestCertificate?
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// Starts it, and waits until it listens.
  /// - Parameter arguments: further options of the script, such as `--drop-after-part 1`.
  public init(
    _ kind: Kind, isSecure: Bool = false, _ arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    self.kind = kind
    let folder = TemporaryFolder(kind.rawValue)
    self.folder = folder
    mediaFolder = folder.folder("media")
    certificate = isSecure ? await TestCertificate(sourceLocation: sourceLocation) : nil
    var words = [kind.script, "--media-dir", mediaFolder]
    if let certificate { words += ["--tls", certificate.file, certificate.keyFile] }
    // Python knows its venv by the first place on the PATH that has its name.
    let environment = [
      "PATH": "\(Kind.venv)/bin:/usr/bin:/bin", "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1",
      "NODE_PATH": Kind.nodeFolder,
    ]
    program = RunningProgram(kind.executable, words + arguments, environment: environment, folder: folder.path)
    let running = program
    _ = await eventually { !running.isRunning || running.outputSoFar.contains("\n") }
    guard let port = Self.lines(running.outputSoFar).first?.port else {
      Issue.record("\(kind) did not start\n\(running.outputSoFar)\(running.errorSoFar)", sourceLocation: sourceLocation)
      throw NotStarted(kind: kind)
    }
    self.port = port
  }

  public var url: String { certificate == nil ? "ws://127.0.0.1:\(port)/ws" : "wss://127.0.0.1:\(port)/ws" }

  // MARK: What it tells

  /// The lines that it wrote so far.
  public var lines: [Line] { Self.lines(program.outputSoFar) }

  /// The first line that is wanted; nil when none came in time.
  public func waitForLine(seconds: Double = 120, where isWanted: @escaping @Sendable (Line) -> Bool) async -> Line? {
    _ = await eventually(seconds: seconds) { [self] in lines.contains(where: isWanted) }
    return lines.first(where: isWanted)
  }

  /// The media that are whole, in the order they became so.
  public var media: [Line] { lines.filter { $0.media != nil } }

  /// Everything that it said, for a failure's text.
  public var outputSoFar: String { "\(kind):\n\(program.outputSoFar)\(program.errorSoFar)" }

  /// The file of a medium that is whole.
  public func file(_ id: String) -> String { "\(mediaFolder)/\(id).bin" }

  private static func lines(_ text: String) -> [Line] {
    // The last one may be half written.
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
      try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
  }

  /// Asks it to end, and waits.
  public func stop() async {
    program.kill(SIGTERM)
    if await !eventually(seconds: 5, { [program] in !program.isRunning }) { program.kill(SIGKILL) }
    _ = await program.wait(seconds: 10)
  }
}

extension ForeignGateway.Kind {
  /// Where Debian puts node's libraries.
  static let nodeFolder = "/usr/share/nodejs"

  /// The repository: this file is Tests/TestKit/Programs/ForeignGateway.swift in it.
  private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")
  static let venv = "\(root)/.build/venv"

  var script: String {
    "\(Self.root)/Tests/TestKit/Gateways/\(rawValue)_gateway.\(self == .ws ? "js" : "py")"
  }

  var executable: String { self == .ws ? "/usr/bin/node" : "\(Self.venv)/bin/python3" }

  /// Whether `scripts/setup test` found what it needs.
  public var isInstalled: Bool {
    // Written when everything is there.
    let proof = self == .ws ? "\(Self.nodeFolder)/ws/package.json" : "\(Self.venv)/requirements.txt"
    return access(executable, X_OK) == 0 && access(proof, R_OK) == 0
  }

  /// Those that can be tested here; says once which can't.
  public static let installed: [Self] = {
    let missing = allCases.filter { !$0.isInstalled }.map(\.rawValue).joined(separator: ", ")
    if !missing.isEmpty { print("skipped: gateways on \(missing) are not installed; try scripts/setup test") }
    return allCases.filter(\.isInstalled)
  }()
}
