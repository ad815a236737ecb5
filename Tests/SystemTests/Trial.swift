import FoundationEssentials
import TestKit
import Testing

/// One file on a server that lies, and one user who wants it.
struct Trial {
  static let total: Int64 = 3 << 20
  static let held: Int64 = 1 << 20

  let sandbox = Sandbox()
  let server: FaultServer
  let pattern = Pattern(1)
  /// What `/f` is, unless a test says otherwise.
  let resource: Resource

  init(total: Int64 = Trial.total, sourceLocation: SourceLocation = #_sourceLocation) {
    server = FaultServer(sourceLocation: sourceLocation)
    resource = .pattern(1, byteCount: total, age: 3600)
  }

  var target: String { sandbox.path("f") }
  /// What was asked of `/f`.
  var requests: [RecordedRequest] { server.requests("/f") }

  /// The length of the longest partial in the folder.
  var partByteCount: Int64 {
    sandbox.partNames.compactMap { TestFiles.byteCount(sandbox.path($0)) }.max() ?? 0
  }

  /// Serves the resource under `/f` with these faults; the numbers of requests start anew.
  func serve(_ script: Scripted...) { server.serve("/f", resource, script) }

  /// `hermes-transfer download URL -o f` and more flags.
  func download(
    _ flags: String..., path: String = "/f", seconds: Double = 120, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ProgramResult {
    await sandbox.start(["download", server.url(path), "-o", "f"] + flags)
      .wait(seconds: seconds, sourceLocation: sourceLocation)
  }

  /// Lets a first run end with `held` bytes in a partial. What follows is served by the script.
  func leavePartial(
    held: Int64 = Trial.held, then script: Scripted..., sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    server.serve("/f", resource, .on(1, .cut(after: held)))
    let first = await download("--max-attempts", "1", "--connections", "1", sourceLocation: sourceLocation)
    #expect(first.exitStatus != 0, "\(first)", sourceLocation: sourceLocation)
    #expect(sandbox.partNames.count == 1, "\(sandbox.names)", sourceLocation: sourceLocation)
    #expect(!TestFiles.exists(target), sourceLocation: sourceLocation)
    #expect(requests.count == 1, sourceLocation: sourceLocation)
    server.serve("/f", resource, script)
  }

  /// What was asked of `/f` after the first run that left the partial.
  var laterRequests: [RecordedRequest] { Array(requests.dropFirst()) }

  /// Checks that the run succeeded, that the file is exactly the pattern, and that nothing else is left in the folder.
  func expectWhole(
    _ result: ProgramResult, _ pattern: Pattern = Pattern(1), byteCount: Int64? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.exitStatus == 0, "\(result)", sourceLocation: sourceLocation)
    #expect(result.lines == [target], "\(result)", sourceLocation: sourceLocation)
    let difference = pattern.firstDifference(inFile: target, byteCount: byteCount ?? resource.content.byteCount)
    #expect(difference == nil, sourceLocation: sourceLocation)
    #expect(sandbox.names == ["f"], sourceLocation: sourceLocation)
  }

  /// Checks that the run ended with this status and that no file has the target's name.
  func expectNothing(_ result: ProgramResult, exit: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(result.exitStatus == exit, "\(result)", sourceLocation: sourceLocation)
    #expect(!TestFiles.exists(target), sourceLocation: sourceLocation)
    result.expectOneError(sourceLocation: sourceLocation)
  }
}

extension ProgramResult {
  /// The lines of standard error that tell of an error.
  var errorLines: [String] {
    standardError.split(separator: "\n").map(String.init).filter { $0.hasPrefix("hermes-transfer: ") }
  }

  /// Checks the one form of errors: one line with the program's name, no trace of a crash.
  func expectOneError(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(errorLines.contains { !$0.hasSuffix(".") }, "\(self)", sourceLocation: sourceLocation)
    #expect(output.isEmpty, "\(self)", sourceLocation: sourceLocation)
    for word in ["Fatal error", "Stack dump", "TransferFailure("] {
      #expect(!standardError.contains(word), "\(self)", sourceLocation: sourceLocation)
    }
  }
}

/// A transfer as `list --json` shows it.
struct ListedTransfer: Decodable {
  struct Failure: Decodable {
    let code: String
    let message: String
    let exit: Int32
  }
  let id: String
  let kind: String
  let state: String
  let reason: String?
  let url: String
  let path: String?
  let bytes_done: Int64
  let bytes_total: Int64?
  let attempts: Int
  let error: Failure?
  let created_at: String
  let finished_at: String?
}

/// An object of `--progress json`.
struct ProgressLine: Decodable {
  let event: String
  let id: String?
  let bytes_done: Int64?
  let bytes_total: Int64?
  let bytes_per_second: Double?
  let path: String?
  let bytes: Int64?
  let sha256: String?
}

extension Sandbox {
  /// The transfers of the state, through `list --json`.
  func transfers(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [ListedTransfer] {
    let result = await run("list", "--json", sourceLocation: sourceLocation)
    #expect(result.exitStatus == 0, "\(result)", sourceLocation: sourceLocation)
    return try JSONDecoder().decode([ListedTransfer].self, from: Data(result.outputBytes))
  }
}

extension ProgramResult {
  /// The objects of `--progress json`.
  func progressLines() throws -> [ProgressLine] {
    try lines.map { try JSONDecoder().decode(ProgressLine.self, from: Data($0.utf8)) }
  }
}
