import Core
import HermesTransfer
import Posix
import State

@MainActor
enum WatchCommand {
  static let pollMilliseconds = 300

  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let reader = try StateReader(context)
    let named = try reader.ids(context.settings.operands)
    let view = context.progressView()
    var followed = Set(named)
    var meters: [TransferID: RateMeter] = [:]
    var ended: Set<TransferID> = []
    while true {
      // What has ended is no longer among the unfinished, and its end is what matters most.
      if named.isEmpty { followed.formUnion(try reader.records(.unfinished).map(\.id)) }
      let records = try reader.records(.ids(followed.subtracting(ended).sorted()))
      let now = context.surroundings.now()
      var events: [TransferEvent] = []
      for record in records {
        let snapshot = measured(TransferSnapshot(record), &meters, now)
        events.append(TransferEvent(kind(of: snapshot), snapshot))
        if snapshot.state.isFinal || snapshot.state == .paused { ended.insert(record.id) }
      }
      try view.take(events, at: now)
      if records.allSatisfy({ ended.contains($0.id) }) {
        view.finish(at: now)
        return .success
      }
      await pause(milliseconds: pollMilliseconds)
    }
  }

  private static func measured(
    _ snapshot: TransferSnapshot, _ meters: inout [TransferID: RateMeter], _ now: Moment
  ) -> TransferSnapshot {
    guard snapshot.state == .running else { return snapshot }
    var snapshot = snapshot
    meters[snapshot.id, default: RateMeter()].record(byteCount: snapshot.bytesDone, now: now.instant)
    snapshot.bytesPerSecond = meters[snapshot.id]?.bytesPerSecond
    snapshot.etaSeconds = snapshot.bytesTotal.flatMap { total in
      meters[snapshot.id]?.etaSeconds(remaining: total - snapshot.bytesDone)
    }
    return snapshot
  }

  private static func kind(of snapshot: TransferSnapshot) -> TransferEventKind {
    switch snapshot.state {
    case .completed, .sent, .delivered: .completed
    case .failed, .uncertain: .failed
    case .cancelled: .cancelled
    case .paused: .paused
    case .waiting: .waiting
    default: .progress
    }
  }
}
