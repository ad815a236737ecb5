import Core
import HermesTransfer

/// What `listen --once` ends with.
enum SessionEventKind: String, CaseIterable {
  case message, prompt, media
}

@MainActor
final class ListenCommand {
  private let context: CommandContext
  private let setup: SessionSetup
  private let once: SessionEventKind?
  private var session: HermesSession?
  private var status = ExitStatus.success
  private var isDone = false
  private var tasks: [Task<Void, Never>] = []

  private init(_ context: CommandContext) throws(TransferFailure) {
    self.context = context
    setup = try SessionSetup(context)
    once = context.settings.text(.once).flatMap(SessionEventKind.init)
  }

  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    try await ListenCommand(context).run()
  }

  private func run() async throws(TransferFailure) -> ExitStatus {
    let runner = Runner(context)
    let transfers = try await runner.run(rethrowing: .inUse) { [self] engine throws(TransferFailure) in
      let own = try setup.session(engine, resumesDownloads: true)
      session = own
      await own.hold(true)
      await own.connect()
      tasks.append(Task { await self.follow(own) })
      if let seconds = context.settings.seconds(.timeout) {
        tasks.append(Task { await self.end(own, after: seconds) })
      }
      return false
    }
    await session?.disconnect()
    for task in tasks { task.cancel() }
    if !isDone, let stopped = context.interruption.status { return stopped }
    return max(transfers, status)
  }

  private func end(_ session: HermesSession, after seconds: Double) async {
    await pause(milliseconds: Int(seconds * 1000))
    guard !Task.isCancelled, !isDone else { return }
    // What was waited for did not come; listening for a while is no failure.
    if let once {
      status = .timeout
      let what = TransferFailure(.timedOut, "no \(once.rawValue) came within \(Quantity.seconds(seconds))")
      context.console.fail(ErrorLine(what))
    }
    await finish(session)
  }

  private func finish(_ session: HermesSession) async {
    isDone = true
    await session.hold(false)
  }

  private func follow(_ session: HermesSession) async {
    while let events = await session.nextEvents() {
      for event in events where !isDone {
        tell(event)
        if case .stateChanged(.failed(let failure)) = event {
          status = failure.exitStatus
          await finish(session)
        } else if once != nil, event.kind == once {
          await finish(session)
        }
      }
    }
  }

  private func tell(_ event: SessionEvent) {
    if case .stateChanged(.failed(let failure)) = event {
      let place = setup.profile.url.key
      let told = TransferFailure(
        failure.code, "cannot hold the session with \(place): \(failure.message)", hint: failure.hint)
      context.console.fail(ErrorLine(told))
    }
    SessionTeller(context, gateway: setup.profile.url.key).tell(event)
  }
}

extension SessionEvent {
  var kind: SessionEventKind? {
    switch self {
    case .message(let message): message.isFinal ? .message : nil
    case .prompt: .prompt
    case .media, .duplicate, .mediaAnnounced: .media
    default: nil
    }
  }
}
