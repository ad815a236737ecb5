import Core
import HermesTransfer
import State

@MainActor
enum ResumeCommand {
  /// `anew` is `retry`: failed and cancelled ones too, with their counters set back.
  static func run(_ context: CommandContext, anew: Bool) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let ids = try reader.chosen { record in
      guard record.kind == .download else { return false }
      return anew ? record.state == .failed : !record.state.isFinal && record.state == .paused
    }
    guard !ids.isEmpty else {
      context.console.note(anew ? "no transfer has failed" : "no transfer is unfinished")
      return .success
    }
    if !context.settings.isOn(.all) { try check(try reader.records(.ids(ids)), anew: anew) }
    var isGiven = false
    return try await Runner(context).run { engine throws(TransferFailure) in
      if isGiven { return false }
      isGiven = true
      try await engine.resume(ids)
      return true
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
