import Core
import HermesTransfer
import Posix
import State

@MainActor
enum UploadCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let requests = try requests(context)
    let setup = try SessionSetup(context)
    let runner = Runner(context)
    var session: HermesSession?
    let status: ExitStatus
    do throws(TransferFailure) {
      status = try await runner.run(rethrowing: .inUse) { engine throws(TransferFailure) in
        let own = try setup.session(engine)
        session = own
        Task { await setup.tellAll(own) }
        _ = try await own.upload(requests)
        await own.connect()
        return false
      }
    } catch {
      guard SessionSetup.isElsewhere(error) else { throw error }
      return try await leave(requests, setup, error)
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

  /// Another process has the session: it takes what is left in the state, and this one waits for the end.
  private static func leave(
    _ requests: [MediaRequest], _ setup: SessionSetup, _ refusal: TransferFailure
  ) async throws(TransferFailure) -> ExitStatus {
    let context = setup.context
    let ids = try HermesSession.leave(requests, profile: setup.profile, stateFolder: context.stateFolder)
    context.console.note("\(refusal.message): it sends the file")
    let reader = try StateReader(context)
    while true {
      if let status = context.interruption.status { return status }
      let records = try reader.records(.ids(ids))
      if records.allSatisfy(\.state.isFinal) { return tell(records, context) }
      guard try isHeld(setup) else {
        throw TransferFailure(
          .interrupted, "the process that has the session ended", hint: "what is left goes out with the next session")
      }
      await pause(milliseconds: WaitCommand.pollMilliseconds)
    }
  }

  private static func isHeld(_ setup: SessionSetup) throws(TransferFailure) -> Bool {
    let folder = try setup.context.stateFolder
    do throws(StateError) {
      return try SessionLock.isHeld(folder: folder, session: setup.profile.key)
    } catch {
      throw error.failure
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
