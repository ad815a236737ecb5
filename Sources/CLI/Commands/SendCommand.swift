import Core
import HermesTransfer
import State

/// `send` and `answer`: one message, and whether the gateway has read it.
@MainActor
enum SendCommand {
  private enum Message {
    case text(String)
    case answer(PromptAnswer)
  }

  static func send(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    try await run(.text(context.settings.operands[0]), context)
  }

  static func answer(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let operands = context.settings.operands
    let answer = PromptAnswer(promptID: operands[0], optionID: operands[1], text: context.settings.text(.text))
    guard let answer else { throw TransferFailure(.usage, "the option other needs --text") }
    return try await run(.answer(answer), context)
  }

  private static func run(_ message: Message, _ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let setup = try SessionSetup(context)
    let engine = try TransferEngine(configuration: Runner.configuration(context))
    context.interruption.stops(engine)
    let session: HermesSession
    do throws(TransferFailure) { session = try setup.session(engine) } catch {
      guard SessionSetup.isElsewhere(error) else { throw error }
      return try await leave(message, setup)
    }
    let id: String
    switch message {
    case .text(let text): id = try await session.send(text: text)
    case .answer(let answer):
      id = try await session.answer(prompt: answer.promptID, option: answer.optionID, text: answer.text)
    }
    await session.connect()
    let clock = timer(context, engine)
    let status = await follow(id, session, setup)
    clock?.cancel()
    await session.disconnect()
    await engine.stop()
    return status
  }

  /// Ends the engine, and with it the waiting, after `--timeout`.
  private static func timer(_ context: CommandContext, _ engine: TransferEngine) -> Task<Void, Never>? {
    guard let seconds = context.settings.seconds(.timeout) else { return nil }
    return Task {
      await pause(milliseconds: Int(seconds * 1000))
      if !Task.isCancelled { await engine.stop() }
    }
  }

  private static func follow(_ id: String, _ session: HermesSession, _ setup: SessionSetup) async -> ExitStatus {
    let context = setup.context
    while let events = await session.nextEvents() {
      for event in events {
        switch event {
        case .messageSent(id):
          context.console.results([id])
          return .success
        case .stateChanged(.failed(let failure)):
          context.console.fail(
            ErrorLine(TransferFailure(failure.code, "cannot send: \(failure.message)", hint: failure.hint)))
          return failure.exitStatus
        case .stateChanged(.reconnecting(let nextTry, let failure)):
          let seconds = max(0, nextTry - context.surroundings.now().wall).rounded(.up)
          context.console.note("\(failure.message); next try in \(Quantity.seconds(seconds))")
        default: setup.tell(event)
        }
      }
    }
    context.console.note("not sent yet; it stays in the state and goes out with the next session")
    return context.interruption.status ?? .timeout
  }

  /// Another process has the session: it takes what is left in the state, and this one waits until it is sent.
  private static func leave(_ message: Message, _ setup: SessionSetup) async throws(TransferFailure) -> ExitStatus {
    let context = setup.context
    let folder = try context.stateFolder
    let id: String
    switch message {
    case .text(let text): id = try HermesSession.leave(text: text, profile: setup.profile, stateFolder: folder)
    case .answer(let answer):
      id = try HermesSession.leave(answer: answer, profile: setup.profile, stateFolder: folder)
    }
    let end = context.settings.seconds(.timeout).map { context.surroundings.now().wall + $0 }
    do throws(StateError) {
      let store = try Store(folder: folder)
      while context.interruption.status == nil {
        if let record = try store.message(id), !record.isOpen {
          guard record.isSent else { return .other }
          context.console.results([id])
          return .success
        }
        if let end, context.surroundings.now().wall >= end { break }
        await pause(milliseconds: WaitCommand.pollMilliseconds)
      }
    } catch {
      throw error.failure
    }
    context.console.note("not sent yet; the process that has the session sends it")
    return context.interruption.status ?? .timeout
  }
}
