import Core
import HermesTransfer
import Posix
import State

@MainActor
enum UploadCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let setup = try SessionSetup(context)
    var requests = try requests(context)
    var worst = ExitStatus.success
    while true {
      let refusal: TransferFailure
      do throws(TransferFailure) { return max(worst, try await send(requests, setup)) } catch { refusal = error }
      guard SessionSetup.isElsewhere(refusal) else { throw refusal }
      let (status, rest) = try await leave(requests, setup, refusal)
      worst = max(worst, status)
      if rest.isEmpty { return worst }
      // Who had the session is gone: the rest goes out from here, under the same IDs.
      requests = rest
    }
  }

  private static func send(
    _ requests: [MediaRequest], _ setup: SessionSetup
  ) async throws(TransferFailure) -> ExitStatus {
    let runner = Runner(setup.context)
    var session: HermesSession?
    let status = try await runner.run(rethrowing: .inUse) { engine throws(TransferFailure) in
      let own = try setup.session(engine)
      session = own
      Task { await setup.tellAll(own) }
      _ = try await own.upload(requests)
      await own.connect()
      return false
    }
    await session?.disconnect()
    return status
  }

  private static func requests(_ context: CommandContext) throws(TransferFailure) -> [MediaRequest] {
    let settings = context.settings
    let paths = settings.operands
    for name in [FlagName.name, .mime, .kind] where paths.count > 1 && settings.text(name) != nil {
      throw TransferFailure(.usage, "--\(name.rawValue) is for one file, and there are several")
    }
    return try paths.map { path throws(TransferFailure) in
      var request = MediaRequest(path: context.surroundings.absolute(path))
      request.caption = settings.text(.caption)
      request.kind = settings.text(.kind).flatMap(MediaKind.init)
      request.mime = settings.text(.mime)
      request.name = settings.text(.name)
      request.partByteCount = try partByteCount(settings)
      request.isAtMostOnce = settings.isOn(.atMostOnce)
      request.priority = settings.count(.priority) ?? 5
      if let seconds = settings.seconds(.deadline) { request.deadlineSeconds = seconds }
      return request
    }
  }

  private static func partByteCount(_ settings: Settings) throws(TransferFailure) -> Int? {
    guard let size = settings.byteCount(.partSize) else { return nil }
    guard size >= 3, size <= 12 << 20 else {
      throw TransferFailure(.usage, "--part-size cannot be \(size) bytes", hint: "it is 3 bytes to 12M")
    }
    return Int(size) / 3 * 3
  }

  /// Another process has the session: it takes what is left in the state, and this one waits for the end, its own or
  /// that of the other; answers what is still to be sent then.
  private static func leave(
    _ requests: [MediaRequest], _ setup: SessionSetup, _ refusal: TransferFailure
  ) async throws(TransferFailure) -> (ExitStatus, rest: [MediaRequest]) {
    let context = setup.context
    let ids = try HermesSession.leave(requests, profile: setup.profile, stateFolder: context.stateFolder)
    context.console.note("\(refusal.message): it sends the file")
    let reader = try StateReader(context)
    while true {
      if let status = context.interruption.status { return (status, []) }
      // Asked first: what the other sent before it ended is recorded by then.
      let isHeld = try setup.isHeld
      let records = try reader.records(.ids(ids))
      let ended = records.filter(\.state.isFinal)
      if !isHeld || ended.count == records.count {
        let endedIDs = Set(ended.map(\.id))
        return (tell(ended, context), zip(requests, ids).filter { !endedIDs.contains($1) }.map(\.0))
      }
      await pause(milliseconds: WaitCommand.pollMilliseconds)
    }
  }

  private static func tell(_ records: [TransferRecord], _ context: CommandContext) -> ExitStatus {
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
