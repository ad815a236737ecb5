import Core
import HermesTransfer
import Posix
import State

@MainActor
enum WaitCommand {
  static let pollMilliseconds = 200

  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let ids = try reader.ids(context.settings.operands)
    while true {
      let records = try reader.records(.ids(ids))
      if records.allSatisfy({ $0.state.isFinal || $0.state == .paused }) {
        return max(status(records, context), missing(ids, among: records, context))
      }
      await pause(milliseconds: pollMilliseconds)
    }
  }

  /// The highest status of any; one that nobody works on will not end by itself.
  private static func status(_ records: [TransferRecord], _ context: CommandContext) -> ExitStatus {
    var worst = ExitStatus.success
    for record in records {
      switch record.state {
      case .completed, .sent, .delivered: break
      case .failed:
        guard let failure = record.failure else { continue }
        context.console.fail(ErrorLine(failure, cannot: "download \(record.url)"))
        worst = max(worst, failure.exitStatus)
      case .uncertain: worst = max(worst, .uncertain)
      case .cancelled:
        worst = max(worst, tell("\(record.id) was cancelled", hint: "hermes-transfer retry \(record.id)", context))
      default:
        let problem = "\(record.id) is \(record.state.rawValue), no process works on it"
        worst = max(worst, tell(problem, hint: "hermes-transfer resume \(record.id)", context))
      }
    }
    return worst
  }

  /// What was removed while we waited for it did not come to its end.
  private static func missing(
    _ ids: [TransferID], among records: [TransferRecord], _ context: CommandContext
  ) -> ExitStatus {
    let known = Set(records.map(\.id))
    let statuses = ids.filter { !known.contains($0) }.map { tell("\($0) was removed", hint: nil, context) }
    return statuses.max() ?? .success
  }

  private static func tell(_ problem: String, hint: String?, _ context: CommandContext) -> ExitStatus {
    let failure = TransferFailure(.cancelled, problem, hint: hint)
    context.console.fail(ErrorLine(failure))
    return failure.exitStatus
  }
}

/// Lets time pass without holding up the thread.
func pause(milliseconds: Int) async {
  do { try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000) } catch {
    // Cancelled: whoever cancelled looks for itself.
  }
}
