import Core
import HermesTransfer
import State

@MainActor
enum ResumeCommand {
  /// `anew` is `retry`: failed and cancelled ones too, with their counters set back.
  static func run(_ context: CommandContext, anew: Bool) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let ids = try reader.chosen { record in
      return anew ? record.state == .failed : !record.state.isFinal && record.state == .paused
    }
    guard !ids.isEmpty else {
      context.console.note(anew ? "no transfer has failed" : "no transfer is unfinished")
      return .success
    }
    let records = try reader.records(.ids(ids))
    if !context.settings.isOn(.all) { try check(records, anew: anew) }
    let downloads = records.filter { $0.kind == .download }.map(\.id)
    var worst = downloads.isEmpty ? ExitStatus.success : try await resume(downloads, context)
    for (profile, uploads) in try reader.media(records.filter { $0.kind == .media }.map(\.id)) {
      if let status = context.interruption.status { return status }
      let sender = MediaSender(try SessionSetup(context, profile: profile))
      worst = max(worst, try await sender.run(.transfers(uploads, anew: anew)))
    }
    return worst
  }

  private static func resume(_ ids: [TransferID], _ context: CommandContext) async throws(TransferFailure) -> ExitStatus
  {
    var isGiven = false
    return try await Runner(context).run { engine throws(TransferFailure) in
      if isGiven { return false }
      isGiven = true
      await engine.trust(profiles(context))
      try await engine.resume(ids)
      return true
    }
  }

  /// Those that can be read: a download from another one's gateway says itself that it is not let in.
  private static func profiles(_ context: CommandContext) -> [SessionProfile] {
    let reader = ProfileReader(context)
    return context.configuration.profiles.compactMap { profile in
      do throws(TransferFailure) { return try reader.session(profile.name) } catch { return nil }
    }
  }

  private static func check(_ records: [TransferRecord], anew: Bool) throws(TransferFailure) {
    for record in records {
      if record.state == .completed { throw TransferFailure(.usage, "\(record.id) is complete already") }
      if record.state == .cancelled, !anew {
        throw TransferFailure(
          .usage, "\(record.id) was cancelled", hint: "hermes-transfer retry \(record.id) starts it again")
      }
    }
  }
}
