import Core
import HermesTransfer
import State

/// Sends files over a session: its own, or that of the process that has it.
@MainActor
struct MediaSender {
  enum Work {
    case files([MediaRequest])
    case transfers([TransferID], anew: Bool)
  }

  private let setup: SessionSetup
  private var context: CommandContext { setup.context }

  init(_ setup: SessionSetup) { self.setup = setup }

  func run(_ work: Work) async throws(TransferFailure) -> ExitStatus {
    var work = work
    var worst = ExitStatus.success
    while true {
      let refusal: TransferFailure
      do throws(TransferFailure) { return max(worst, try await send(work)) } catch { refusal = error }
      guard SessionSetup.isElsewhere(refusal) else { throw refusal }
      let (status, rest) = try await leave(work, refusal)
      worst = max(worst, status)
      if rest.isEmpty { return worst }
      // Who had the session is gone: the rest goes out from here.
      work = .transfers(rest, anew: false)
    }
  }

  private func send(_ work: Work) async throws(TransferFailure) -> ExitStatus {
    let runner = Runner(context)
    var session: HermesSession?
    var givenUp: TransferFailure?
    let status = try await runner.run(rethrowing: .inUse) { engine throws(TransferFailure) in
      let own = try setup.session(engine)
      session = own
      Task {
        givenUp = await follow(own)
        if givenUp != nil { await engine.stop() }
      }
      switch work {
      case .files(let requests): _ = try await own.upload(requests)
      case .transfers(let ids, let anew): try await own.resume(ids, anew: anew)
      }
      await own.connect()
      return false
    }
    await session?.disconnect()
    guard let givenUp else { return status }
    context.console.fail(ErrorLine(givenUp, cannot: "reach \(setup.profile.url.key)"))
    return max(status, givenUp.exitStatus)
  }

  /// Says what comes meanwhile; answers why it is given up, nil when it is not.
  private func follow(_ session: HermesSession) async -> TransferFailure? {
    var patience = SessionPatience(context.settings)
    while let events = await session.nextEvents() {
      for event in events {
        setup.tell(event)
        if let failure = patience.take(event) { return failure }
      }
    }
    return nil
  }

  /// Another process has the session: it takes what is left in the state, and this one waits for the end, its own or
  /// that of the other; answers what is still to be sent then.
  private func leave(
    _ work: Work, _ refusal: TransferFailure
  ) async throws(TransferFailure) -> (ExitStatus, rest: [TransferID]) {
    let ids: [TransferID]
    switch work {
    case .files(let requests):
      ids = try HermesSession.leave(requests, profile: setup.profile, stateFolder: context.stateFolder)
    case .transfers(let some, let anew):
      try HermesSession.leave(some, anew: anew, profile: setup.profile, stateFolder: context.stateFolder)
      ids = some
    }
    context.console.note("\(refusal.message): it sends the file")
    let reader = try StateReader(context)
    while true {
      if let status = context.interruption.status { return (status, []) }
      // Asked first: what the other sent before it ended is recorded by then.
      let isHeld = try setup.isHeld
      let records = try reader.records(.ids(ids))
      let ended = records.filter(\.state.isFinal)
      if !isHeld || ended.count == records.count {
        return (tell(ended), records.filter { !$0.state.isFinal }.map(\.id))
      }
      await pause(milliseconds: WaitCommand.pollMilliseconds)
    }
  }

  private func tell(_ records: [TransferRecord]) -> ExitStatus {
    var worst = ExitStatus.success
    for record in records {
      if record.state.isSuccess {
        context.console.results(["\(record.id) \(record.state.rawValue)"])
      } else {
        let failure = record.failure ?? TransferFailure(.cancelled, "it was cancelled")
        context.console.fail(ErrorLine(failure, cannot: "send \(record.path ?? record.id.text)"))
        worst = max(worst, failure.exitStatus)
      }
    }
    return worst
  }
}
