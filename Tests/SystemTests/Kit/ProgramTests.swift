import TestKit
import Testing

@Suite(.fewAtOnce) struct ProgramTests {
  private let folder = TemporaryFolder("program")

  private func shell(_ script: String, input: String = "") -> RunningProgram {
    RunningProgram(
      "/bin/sh", ["-c", script], environment: ["A": "b c"], folder: folder.path, input: Array(input.utf8))
  }

  @Test func `status, output, environment, folder and input are the program's own`() async {
    let result = await shell("cat; pwd; echo \"$A\"; echo oops >&2; exit 3", input: "in\n").wait()
    #expect(result.exitStatus == 3)
    #expect(result.lines == ["in", folder.path, "b c"])
    #expect(result.standardError == "oops\n")
  }

  @Test func `a signal is told apart from a status`() async {
    let program = shell("echo ready; exec sleep 60")
    let isReady = await eventually { program.outputSoFar == "ready\n" }
    #expect(isReady)
    program.kill(9)
    let result = await program.wait()
    #expect(result.signal == 9)
    #expect(result.exitStatus == nil)
    #expect(!program.isRunning)
  }

  @Test func `a program that takes too long fails the test and is killed`() async {
    let program = shell("exec sleep 60")
    await withKnownIssue { _ = await program.wait(seconds: 0.1) }
    #expect(!program.isRunning)
  }

  @Test func `no descriptor of the tests is inherited`() async {
    let server = FaultServer()
    let result = await shell("ls /proc/self/fd").wait()
    // 3 is the folder that ls itself reads.
    #expect(Set(result.lines).isSubset(of: ["0", "1", "2", "3"]), "\(result)")
    server.stop()
  }

  @Test func `a pattern finds the first wrong byte and a wrong length`() {
    let pattern = Pattern(5)
    let path = folder.path("f")
    pattern.write(byteCount: 3_000_000, to: path)
    #expect(pattern.firstDifference(inFile: path, byteCount: 3_000_000) == nil)
    #expect(pattern.firstDifference(inFile: path, byteCount: 3_000_001) == "it has 3000000 bytes, not 3000001")
    var bytes = pattern.bytes(0..<3_000_000)
    #expect(bytes[2_500_000] == pattern[2_500_000])
    bytes[2_500_000] ^= 1
    #expect(!pattern.isEqual(to: bytes))
    TestFiles.write(bytes, to: path)
    #expect(pattern.firstDifference(inFile: path, byteCount: 3_000_000)?.hasPrefix("byte 2500000 ") == true)
    #expect(Pattern(6).firstDifference(inFile: path, byteCount: 3_000_000) != nil)
  }

  @Test func `golden text that is missing is written and fails, kept text passes, other text fails`() {
    let file = folder.path("ProgramTests.swift")
    withKnownIssue { Golden.check("one\ntwo\n", "sample", file: file) }
    #expect(TestFiles.text(folder.path("Golden/sample.txt")) == "one\ntwo\n")
    Golden.check("one\ntwo\n", "sample", file: file)
    // RECORD=1 is there to let it pass.
    withKnownIssue(isIntermittent: true) { Golden.check("one\n2\n", "sample", file: file) }
  }
}
