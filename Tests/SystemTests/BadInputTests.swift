import Glibc
import TestKit
import Testing

/// One line, the right status, nothing lost.
@Suite(.fewAtOnce) struct BadInputTests {
  private let sandbox = Sandbox()

  @Test(
    arguments: [
      (["download", "not a url"], 2), (["download", "ftp://127.0.0.1/f"], 2), (["download", "file:///etc/passwd"], 2),
      (["download", "http://"], 2), (["download", "http://h:99999/f"], 2), (["download"], 2), (["frobnicate"], 2),
      ([], 2),
      (["download", "http://127.0.0.1/f", "--conections", "4"], 2),
      (["download", "http://127.0.0.1/f", "--connections", "0"], 2),
      (["download", "http://127.0.0.1/f", "--connections", "33"], 2),
      (["download", "http://127.0.0.1/f", "--checksum", "sha-256:zz"], 2),
      (["download", "http://127.0.0.1/f", "--limit-rate", "fast"], 2),
      (["download", "http://127.0.0.1/f", "--if-exists", "perhaps"], 2),
      (["download", "-i", "/nowhere/list"], 9),
      (["download", "http://127.0.0.1/f", "http://127.0.0.1/g", "-o", "x"], 2),
      (["download", "http://127.0.0.1/f", "not a url"], 2), (["remove", "--all", "zzzzzzzz"], 2),
      (["download", "http://127.0.0.1/f", "--proxy", "ftp://h"], 2),
      (["download", "http://127.0.0.1/f", "--resolve", "h:80"], 2),
      (["download", "http://127.0.0.1/f", "--cookie-file", "none"], 9),
      (["download", "http://127.0.0.1/f", "--cacert", "none"], 9),
      (["resume", "zzzzzzzz"], 2), (["show", "zzzzzzzz"], 2), (["wait", "zzzzzzzz"], 2),
      (["download", "http://no-such-host.invalid/f", "--max-attempts", "1"], 3),
      (["download", "http://127.0.0.1:1/f", "--max-attempts", "1"], 3),
    ] as [([String], Int32)])
  func `bad input has its exit status and one line`(arguments: [String], exit: Int32) async {
    let result = await sandbox.start(arguments).wait()
    #expect(result.exitStatus == exit, "\(arguments): \(result)")
    result.expectOneError()
    #expect(sandbox.names.isEmpty)
  }

  @Test func `an unknown flag is answered with the nearest one`() async {
    let result = await sandbox.run("download", "http://127.0.0.1/f", "--conections", "4")
    #expect(result.standardError.contains("--connections"), "\(result)")
  }

  @Test func `a connection that is reset before an answer is exit 3`() async {
    let server = FaultServer()
    defer { server.stop() }
    server.serve("/f", .text("x"), .always(.refuse))
    let result = await sandbox.run("download", server.url("/f"), "--max-attempts", "2")
    #expect(result.exitStatus == 3, "\(result)")
    result.expectOneError()
  }

  @Test func `https to a server that speaks no TLS is exit 11`() async {
    let server = FaultServer()
    defer { server.stop() }
    let result = await sandbox.run("download", "https://127.0.0.1:\(server.port)/f", "--max-attempts", "2")
    #expect(result.exitStatus == 11, "\(result)")
    result.expectOneError()
  }

  @Test func `a state file that is none is exit 16, and is left as it is`() async {
    TestFiles.makeFolder(sandbox.stateFolder)
    let state = "\(sandbox.stateFolder)/state.db"
    Pattern(8).write(byteCount: 5000, to: state)
    for command in [["list"], ["download", "http://127.0.0.1:1/f"]] {
      let result = await sandbox.start(command).wait()
      #expect(result.exitStatus == 16, "\(result)")
      result.expectOneError()
    }
    #expect(Pattern(8).firstDifference(inFile: state, byteCount: 5000) == nil)
  }

  @Test func `a folder for the state that cannot be made is told`() async {
    let result = await sandbox.run("download", "http://127.0.0.1:1/f", "--state-dir", "/proc/none/state")
    #expect(result.exitStatus == 16 || result.exitStatus == 9, "\(result)")
    result.expectOneError()
  }

  /// Root writes everywhere.
  @Test(.enabled(if: getuid() != 0)) func `doctor tells of a folder that takes no files`() async {
    #expect(chmod(sandbox.folder, 0o555) == 0)
    let result = await sandbox.run("doctor")
    #expect(result.exitStatus == 1, "\(result)")
    #expect(result.lines.contains { $0.hasPrefix("FAIL  disk") }, "\(result)")
  }

  @Test func `--version and --help are results`() async {
    for flag in ["--version", "--help"] {
      let result = await sandbox.run(flag)
      #expect(result.exitStatus == 0, "\(result)")
      #expect(result.standardError.isEmpty)
      #expect(result.output.contains("hermes-transfer"))
    }
    #expect(!TestFiles.exists(sandbox.stateFolder))
  }
}
