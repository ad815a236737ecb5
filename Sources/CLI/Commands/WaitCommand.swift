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
      if records.allSatisfy({ $0.state.isFinal || $0.state == .paused }) { return status(records, ids, context) }
      await pause(milliseconds: pollMilliseconds)
    }
  }

  /// The highest status of any; one that nobody works on will not end by itself.
  private static func status(_ records: [TransferRecord], _ ids: [TransferID], _ context: CommandContext) -> ExitStatus
  {
    var worst = ExitStatus.success
    for record in records {
      switch record.state {
      case .completed, .sent, .delivered: break
      case .failed:
        guard let failure = record.failure else { continue }
        context.console.fail(ErrorLine(failure, cannot: "download \(record.url)"))
        worst = max(worst, failure.exitStatus)
      case .uncertain: worst = max(worst, .uncertain)
      default:
        let failure = TransferFailure(
          .cancelled, "\(record.id) is \(record.state.rawValue), no process works on it",
          hint: "hermes-transfer resume \(record.id)")
        context.console.fail(ErrorLine(failure))
        worst = max(worst, .other)
      }
    }
    return worst
  }
}

/// Lets time pass without holding up the thread.
func pause(milliseconds: Int) async {
  do { try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000) } catch {
    // Cancelled: whoever cancelled looks for itself.
  }
}
