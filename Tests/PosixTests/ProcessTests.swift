import Glibc
import TestKit
import Testing

@testable import Posix

@Suite struct ProcessTests {
  @Test func `the machine has a name of one word`() {
    #expect(!Process.hostName.isEmpty && Process.hostName.allSatisfy { !$0.isWhitespace })
  }

  @Test func `this process knows itself`() throws {
    #expect(Process.id == getpid() && Process.isAlive(Process.id))
    #expect(Process.environment("PATH") == Process.environment["PATH"])
    #expect(Process.environment("HERMES_TRANSFER_NOT_SET") == nil)
    #expect(try Files.status(#require(Process.executablePath)).isFile)
    #expect(try #require(Process.homeFolder).hasPrefix("/"))
    let limit = try Process.openFileLimit()
    #expect(limit.now > 0 && limit.now <= limit.most)
  }

  @Test func `no process has these numbers`() {
    #expect(!Process.isAlive(0) && !Process.isAlive(-1) && !Process.isAlive(.max))
  }
}

@Suite struct ChildProcessTests {
  let folder = TemporaryFolder("posix")

  private func shell(
    _ script: String, environment: [String: String]? = nil, folder: String? = nil, input: ChildProcess.Stream = .nowhere
  ) throws -> ChildProcess {
    try ChildProcess(
      "/bin/sh", ["-c", script], environment: environment, folder: folder, input: input, output: .pipe, error: .pipe)
  }

  @Test func `both outputs and the exit status are told`() throws {
    let child = try shell("echo out; echo err >&2; exit 7")
    #expect(try child.communicate() == .init(output: Array("out\n".utf8), error: Array("err\n".utf8)))
    #expect(try child.wait() == .exited(7))
    #expect(try child.wait() == .exited(7))
    #expect(!Process.isAlive(child.id))
  }

  @Test func `more goes in and out than pipes hold`() throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let child = try ChildProcess("/bin/cat", input: .pipe, output: .pipe)
    let result = try child.communicate(input: bytes)
    #expect(result.output == bytes && !result.isCut)
    #expect(try child.wait() == .exited(0))
  }

  @Test func `no more is kept than asked, and the child is not held up`() throws {
    let child = try shell("head -c 300000 /dev/zero; echo done >&2")
    let result = try child.communicate(maxByteCount: 1000)
    #expect(result.output.count == 1000 && result.isCut)
    #expect(result.error == Array("done\n".utf8))
    #expect(try child.wait() == .exited(0))
  }

  @Test func `a child that doesn't read its input ends nothing here`() throws {
    let child = try ChildProcess("/bin/true", input: .pipe)
    #expect(try child.communicate(input: [UInt8](repeating: 1, count: 1_000_000)) == .init())
    #expect(try child.wait() == .exited(0))
  }

  @Test func `a signal ends a child`() throws {
    let child = try shell("sleep 600")
    #expect(try child.poll() == nil)
    try child.send(signal: SIGKILL)
    #expect(try child.wait() == .killed(signal: SIGKILL))
    try child.send(signal: SIGKILL)
  }

  @Test func `folder, environment and arguments reach the child`() throws {
    let child = try shell("pwd; echo \"$A\"; echo \"${PATH-unset}\"", environment: ["A": "b c=d"], folder: folder.path)
    let text = String(decoding: try child.communicate().output, as: UTF8.self)
    #expect(text.hasPrefix("\(folder.path)\nb c=d\n"))
    #expect(try child.wait() == .exited(0))
  }

  @Test func `streams may be files`() throws {
    let input = folder.write("hello", to: "in")
    for _ in 0..<2 {
      let child = try ChildProcess("/bin/cat", input: .file(input), output: .file(folder.path("out")))
      #expect(try child.wait() == .exited(0))
    }
    #expect(TestFiles.read(folder.path("out")) == Array("hellohello".utf8))
    #expect(try Files.status(folder.path("out")).mode == 0o600)
  }

  @Test func `nothing open here is open there`() throws {
    let file = try Files.createExclusively(folder.path("secret"))
    let child = try shell("ls -l /proc/self/fd")
    let text = String(decoding: try child.communicate().output, as: UTF8.self)
    #expect(text.contains("pipe:") && !text.contains("secret"))
    #expect(try child.wait() == .exited(0))
    try file.close()
  }

  @Test func `a child starts with no signal blocked`() throws {
    let output = Guarded("")
    let thread = Thread(name: "test") {
      var set = sigset_t()
      sigfillset(&set)
      pthread_sigmask(SIG_BLOCK, &set, nil)
      do {
        let child = try ChildProcess("/bin/grep", ["SigBlk", "/proc/self/status"], output: .pipe)
        let text = String(decoding: try child.communicate().output, as: UTF8.self)
        #expect(try child.wait() == .exited(0))
        output.withLock { $0 = text }
      } catch {
        Issue.record(error)
      }
    }
    thread.join()
    #expect(output.withLock { $0 } == "SigBlk:\t0000000000000000\n")
  }

  @Test func `what cannot be started is an error`() {
    #expect(throws: Errno.notFound) { try ChildProcess(folder.path("missing")) }
    #expect(throws: Errno.accessDenied) { try ChildProcess(folder.write("x", to: "file")) }
    #expect(throws: Errno.notFound) { try ChildProcess("/bin/true", folder: folder.path("missing")) }
    #expect(throws: Errno.invalid) { try ChildProcess("/bin/true", ["a\0b"]) }
  }
}

@Suite struct StopSignalsTests {
  @Test func `each signal is reported on a thread of its own`() throws {
    let condition = Condition()
    let received = Guarded<[StopSignal]>([])
    // Afterwards the signals mean to the tests' own process what they meant before.
    defer { for one in StopSignal.allCases { signal(one.number, SIG_DFL) } }
    StopSignals.watch { signal in
      received.withLock { $0.append(signal) }
      condition.withLock { condition.signal() }
    }
    for (index, signal) in StopSignal.allCases.enumerated() {
      #expect(kill(getpid(), signal.number) == 0)
      condition.withLock { while received.withLock({ $0.count }) <= index { condition.wait() } }
    }
    #expect(received.withLock { $0 } == StopSignal.allCases)
  }
}
