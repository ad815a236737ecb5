import Core
import HermesTransfer
import Posix

/// `chat`: talks with the agent, at a terminal with a line to type in, elsewhere line by line.
@MainActor
final class ChatCommand {
  private let context: CommandContext
  private let setup: SessionSetup
  private let session: HermesSession
  private let engine: TransferEngine
  private let history: ChatHistory
  private let screen: ChatScreen?
  private var model = ChatModel()
  private var editor: LineEditor
  private var keys = KeyReader()
  private var status: ExitStatus?
  /// At the end of the input: it ends when these are read over there.
  private var isLeaving = false
  private var unsent: Set<String> = []
  private var uploads: Set<TransferID> = []

  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    try await ChatCommand(context).run()
  }

  private init(_ context: CommandContext) throws(TransferFailure) {
    self.context = context
    setup = try SessionSetup(context)
    engine = try TransferEngine(configuration: Runner.configuration(context))
    context.interruption.stops(engine)
    session = try setup.session(engine, resumesDownloads: true)
    history = ChatHistory(folder: try context.stateFolder)
    let surroundings = context.surroundings
    let isPlain = surroundings.variable("TERM") == "dumb" || context.progressKind == .json
    if surroundings.isInputTerminal, surroundings.isOutputTerminal, !isPlain {
      screen = ChatScreen(sink: StandardSink(.output), hasColours: context.console.coloursOutput) {
        surroundings.outputWindow()
      }
      editor = LineEditor(history: history.load())
    } else {
      screen = nil
      editor = LineEditor()
    }
  }

  private func run() async throws(TransferFailure) -> ExitStatus {
    try beginScreen()
    defer { endScreen() }
    await session.hold(true)
    await session.connect()
    let input = ChatInput()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followSession() }
      group.addTask { await self.followTransfers() }
      group.addTask { await self.followInput(input) }
      group.addTask { await self.keepDrawing() }
      // Whoever is first to have nothing more to do: the session, or the one who types.
      while status == nil, await group.next() != nil {}
      await session.hold(false)
      await session.disconnect()
      await engine.stop()
      group.cancelAll()
    }
    if screen != nil, let failure = history.save(editor.history) { context.console.fail(ErrorLine(failure)) }
    return context.interruption.status ?? status ?? .success
  }

  // MARK: The terminal

  private func beginScreen() throws(TransferFailure) {
    guard let screen else { return }
    do throws(Errno) { try TerminalMode.takeKeys(0) } catch {
      throw TransferFailure(.localFile, "cannot read keys from the terminal: \(error)")
    }
    context.console.write(TerminalMode.pasteMarksOn)
    context.interruption.watchWindow { [weak self] in
      Task { @MainActor in
        screen.forget()
        self?.draw()
      }
    }
    show([ChatModel.Line(style: .notice, text: "\(setup.profile.url.key): /help says what can be typed")])
  }

  private func endScreen() {
    guard let screen else { return }
    screen.end()
    context.console.write(TerminalMode.pasteMarksOff)
    TerminalMode.restore()
    context.interruption.watchWindow {}
  }

  private func keepDrawing() async {
    while !Task.isCancelled, status == nil {
      draw()
      await pause(milliseconds: 250)
    }
  }

  private func draw() { show([]) }

  private func show(_ lines: [ChatModel.Line]) {
    guard let screen else { return }
    guard status == nil || !lines.isEmpty else { return }
    screen.show(lines, model, editor, now: context.surroundings.now().wall)
  }

  // MARK: What comes

  private func followSession() async {
    while let events = await session.nextEvents() {
      for event in events {
        if case .messageSent(let id) = event { unsent.remove(id) }
        if screen != nil { show(model.take(event, now: context.surroundings.now().wall)) } else { tell(event) }
        if case .stateChanged(.failed(let failure)) = event {
          if screen == nil { context.console.fail(ErrorLine(failure)) }
          status = failure.exitStatus
          return
        }
      }
      leaveWhenDone()
      if status != nil { return }
    }
    status = status ?? context.interruption.status ?? .success
  }

  private func followTransfers() async {
    while let events = await engine.nextEvents() {
      for event in events {
        if event.snapshot.state.isFinal { uploads.remove(event.snapshot.id) }
        let lines = model.take(event)
        if screen != nil { show(lines) } else { for line in lines { context.console.note(line.text) } }
      }
      leaveWhenDone()
      if status != nil { return }
    }
  }

  private func tell(_ event: SessionEvent) {
    _ = model.take(event, now: context.surroundings.now().wall)
    SessionTeller(context, gateway: setup.profile.url.key).tell(event)
  }

  private func leaveWhenDone() {
    if isLeaving, unsent.isEmpty, uploads.isEmpty, status == nil { status = .success }
  }

  // MARK: What is typed

  private func followInput(_ input: ChatInput) async {
    var line: [UInt8] = []
    while status == nil, let bytes = await input.next() {
      if screen != nil {
        for key in keys.read(bytes) where status == nil { await take(key) }
        continue
      }
      for byte in bytes {
        if byte != 0x0a {
          line.append(byte)
        } else {
          await submit(String(decoding: line, as: UTF8.self))
          line = []
        }
      }
    }
    guard screen == nil, status == nil else { return }
    if !line.isEmpty { await submit(String(decoding: line, as: UTF8.self)) }
    isLeaving = true
    leaveWhenDone()
    // What is under way ends it.
    while status == nil, !Task.isCancelled { await pause(milliseconds: 50) }
  }

  private func take(_ key: Key) async {
    switch editor.take(key) {
    case .editing: draw()
    case .submitted(let line): await submit(line)
    case .interrupted: status = .interrupted
    case .ended: status = .success
    case .redraw:
      screen?.clear()
      draw()
    case .suspend:
      screen?.end()
      TerminalMode.suspend()
    }
  }

  private func submit(_ line: String) async {
    do throws(TransferFailure) {
      switch try ChatLine(line) {
      case .nothing: draw()
      case .say(let text): try await say(text)
      case .upload(let path, let caption): try await upload(path, caption)
      case .answer(let words): try await answer(words)
      case .help: notice(ChatLine.commands)
      case .quit: status = .success
      }
    } catch {
      complain(error)
    }
  }

  private func say(_ text: String) async throws(TransferFailure) {
    let id = try await session.send(text: text)
    unsent.insert(id)
    show(model.said(text, id: id))
  }

  private func upload(_ path: String, _ caption: String?) async throws(TransferFailure) {
    let surroundings = context.surroundings
    var request = MediaRequest(path: surroundings.absolute(surroundings.expanded(path)))
    request.caption = caption
    for accepted in try await session.upload([request]) { uploads.insert(accepted.id) }
    draw()
  }

  private func answer(_ words: [Substring]) async throws(TransferFailure) {
    guard let choice = model.choice(words) else {
      throw TransferFailure(.usage, model.cards.isEmpty ? "there is no card to answer" : "which option is it?")
    }
    let id = try await session.answer(prompt: choice.card.id, option: choice.option, text: choice.text)
    unsent.insert(id)
    show(model.said("/answer \(choice.option)", id: id))
  }

  private func notice(_ lines: [String]) {
    if screen == nil {
      context.console.results(lines)
    } else {
      show(lines.map { ChatModel.Line(style: .notice, text: $0) })
    }
  }

  private func complain(_ failure: TransferFailure) {
    guard screen != nil else { return context.console.fail(ErrorLine(failure)) }
    show([ChatModel.Line(style: .danger, text: DisplayWidth.printable(failure.message))])
  }
}
