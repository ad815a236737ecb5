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
    let end = context.settings.seconds(.timeout).map { context.surroundings.now().wall + $0 }
    var left: String?
    while true {
      let refusal: TransferFailure
      do throws(TransferFailure) { return try await send(message, left, setup, until: end) } catch { refusal = error }
      guard SessionSetup.isElsewhere(refusal) else { throw refusal }
      if left == nil { left = try leave(message, setup) }
      guard let id = left else { continue }
      // Nil when who had the session is gone: then it goes out from here.
      if let status = try await status(ofLeft: id, setup, until: end) { return status }
    }
  }

  /// Over a session of our own.
  /// - Parameter left: the message's ID when it was accepted already.
  private static func send(
    _ message: Message, _ left: String?, _ setup: SessionSetup, until end: Double?
  ) async throws(TransferFailure) -> ExitStatus {
    let context = setup.context
    let engine = try TransferEngine(configuration: Runner.configuration(context))
    context.interruption.stops(engine)
    let session = try setup.session(engine)
    // From here on nobody else sends it.
    if let left, let status = try status(of: left, try store(context), context) { return status }
    let id: String
    if let left { id = left } else { id = try await accept(message, session) }
    await session.connect()
    let clock = timer(context, engine, until: end)
    let status = await follow(id, session, setup)
    clock?.cancel()
    await session.disconnect()
    await engine.stop()
    return status
  }

  private static func accept(_ message: Message, _ session: HermesSession) async throws(TransferFailure) -> String {
    switch message {
    case .text(let text): try await session.send(text: text)
    case .answer(let answer):
      try await session.answer(prompt: answer.promptID, option: answer.optionID, text: answer.text)
    }
  }

  /// Ends the engine, and with it the waiting, after `--timeout`.
  private static func timer(
    _ context: CommandContext, _ engine: TransferEngine, until end: Double?
  ) -> Task<Void, Never>? {
    guard let end else { return nil }
    return Task {
      await pause(milliseconds: Int(max(0, end - context.surroundings.now().wall) * 1000))
      if !Task.isCancelled { await engine.stop() }
    }
  }

  private static func follow(_ id: String, _ session: HermesSession, _ setup: SessionSetup) async -> ExitStatus {
    let context = setup.context
    var patience = SessionPatience(context.settings)
    while let events = await session.nextEvents() {
      for event in events {
        if let failure = patience.take(event) {
          context.console.fail(ErrorLine(failure, cannot: "reach \(setup.profile.url.key)"))
          return failure.exitStatus
        }
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

  /// Another process has the session: it takes what is left in the state.
  private static func leave(_ message: Message, _ setup: SessionSetup) throws(TransferFailure) -> String {
    let folder = try setup.context.stateFolder
    switch message {
    case .text(let text): return try HermesSession.leave(text: text, profile: setup.profile, stateFolder: folder)
    case .answer(let answer):
      return try HermesSession.leave(answer: answer, profile: setup.profile, stateFolder: folder)
    }
  }

  /// Waits until another process has sent it; nil when that one is gone before.
  private static func status(
    ofLeft id: String, _ setup: SessionSetup, until end: Double?
  ) async throws(TransferFailure) -> ExitStatus? {
    let context = setup.context
    let store = try store(context)
    while context.interruption.status == nil {
      // Asked first: what the other sent before it ended is recorded by then.
      let isHeld = try setup.isHeld
      if let status = try status(of: id, store, context) { return status }
      guard isHeld else { return nil }
      if let end, context.surroundings.now().wall >= end { break }
      await pause(milliseconds: WaitCommand.pollMilliseconds)
    }
    context.console.note("not sent yet; the process that has the session sends it")
    return context.interruption.status ?? .timeout
  }

  /// How it ended, by the state; nil when it is still to be sent.
  private static func status(
    of id: String, _ store: Store, _ context: CommandContext
  ) throws(TransferFailure) -> ExitStatus? {
    let record: OutboxRecord?
    do throws(StateError) { record = try store.message(id) } catch { throw error.failure }
    guard let record, !record.isOpen else { return nil }
    guard record.isSent else { return .other }
    context.console.results([id])
    return .success
  }

  private static func store(_ context: CommandContext) throws(TransferFailure) -> Store {
    let folder = try context.stateFolder
    do throws(StateError) { return try Store(folder: folder) } catch { throw error.failure }
  }
}
