import Core
import Gateway
import Glibc
import TestKit
import Testing

/// `chat`, on a terminal and without one.
@Suite(.fewAtOnce)
struct ChatTests {
  private struct Chat {
    let trial: SessionTrial
    let terminal = PseudoTerminal()
    let life: RunningProgram

    init(_ change: (inout GatewayOptions) -> Void = { $0.echoes = true }) async throws {
      trial = try SessionTrial("chat", change)
      await trial.addProfile()
      life = trial.sandbox.start(["chat"], environment: ["TERM": "xterm"], terminal: terminal)
      #expect(await sees("> "))
      // What is typed before it takes keys would show twice.
      let takesKeys = await eventually { [terminal] in !terminal.isAsUsual }
      #expect(takesKeys)
    }

    func sees(_ text: String) async -> Bool { await eventually { [terminal] in terminal.shown.contains(text) } }

    func end(_ keys: String, exit: Int32) async {
      terminal.type(keys)
      let result = await life.wait()
      #expect(result.exitStatus == exit, "\(result)")
      #expect(terminal.isAsUsual)
      trial.gateway.stop()
    }
  }

  @Test func `a line is edited, said, and answered in place`() async throws {
    let chat = try await Chat()
    // Two left, and something between.
    chat.terminal.type("grü dich\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[Dß\r")
    #expect(await chat.sees("you: grüß dich"))
    #expect(await chat.sees("agent: grüß dich"))
    await chat.end("\u{04}", exit: 0)
    let kept = "\(chat.trial.sandbox.stateFolder)/chat-history"
    #expect(TestFiles.text(kept) == "grüß dich\n" && TestFiles.mode(kept) == 0o600)
  }

  @Test func `a card is shown with its dangers, and answered by a number`() async throws {
    let chat = try await Chat()
    chat.terminal.type("/prompt exec_approval May I?\r")
    #expect(await chat.sees("(dangerous)"))
    chat.terminal.type("/answer 1\r")
    #expect(await chat.sees("answered: Allow once"))
    await chat.end("/quit\r", exit: 0)
  }

  @Test func `a file goes out with its bar, and what comes is saved`() async throws {
    let chat = try await Chat()
    chat.trial.sandbox.root.write(Array(repeating: 7, count: 100_000), to: "downloads/a b.bin")
    chat.terminal.type("/upload 'a b.bin' look\r")
    #expect(await chat.sees("a b.bin: delivered"))
    #expect(await chat.sees(chat.trial.sandbox.path("in/a b.bin")))
    chat.terminal.type("/upload nothere\r")
    #expect(await chat.sees("no such file"))
    await chat.end("\u{03}", exit: 130)
  }

  @Test(arguments: [(SIGTERM, Int32?(143), Int32?.none), (SIGABRT, nil, SIGABRT), (SIGSEGV, nil, SIGSEGV)])
  func `whatever ends it, the terminal is as it was`(signal: Int32, exit: Int32?, death: Int32?) async throws {
    let chat = try await Chat()
    chat.terminal.type("half a li")
    #expect(await chat.sees("half a li"))
    chat.life.kill(signal)
    let result = await chat.life.wait()
    #expect(result.exitStatus == exit && result.signal == death, "\(result)")
    #expect(chat.terminal.isAsUsual)
    chat.trial.gateway.stop()
  }

  @Test(.disabled(if: Binary.holdsSignalsBack, "the thread sanitizer holds signals back"))
  func `stopped, it gives the terminal back, and takes it again when it goes on`() async throws {
    let chat = try await Chat()
    chat.life.kill(SIGTSTP)
    let terminal = chat.terminal
    let isGivenBack = await eventually { terminal.isAsUsual }
    chat.life.kill(SIGCONT)
    let isTakenAgain = await eventually { !terminal.isAsUsual }
    #expect(isGivenBack && isTakenAgain)
    chat.terminal.type("still here\r")
    #expect(await chat.sees("agent: still here"))
    await chat.end("\u{04}", exit: 0)
  }

  @Test func `without a terminal each line is a message`() async throws {
    let trial = try SessionTrial("chat") { $0.echoes = false }
    defer { trial.gateway.stop() }
    await trial.addProfile()
    trial.sandbox.root.write("x", to: "downloads/f")
    let result = await trial.sandbox.run("chat", input: "one\n/upload f\ntwo")
    #expect(result.exitStatus == 0, "\(result)")
    #expect(SessionTrial.visible(trial.media.path) == ["f"])
    let kept = await trial.sandbox.run("chat", input: "")
    #expect(kept.exitStatus == 0, "\(kept)")
  }
}
