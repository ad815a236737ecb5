import Core

/// What the bars know: the transfers that are under way, one by one, and sums of the rest. Its size follows what runs
/// at once, not how many there are.
struct ProgressBoard {
  private(set) var accepted = 0
  private(set) var ended = 0
  private(set) var endedBytes: Int64 = 0
  /// What there is of the ended ones and will be of the stopped ones, one day; nil when nobody knows.
  private var endedTotal: Int64? = 0
  /// How many stopped, to be gone on with another time.
  private var stopped = 0
  /// The latest snapshot seen; with one transfer it is that one's.
  private(set) var latest: TransferSnapshot?
  private var active: [TransferID: TransferSnapshot] = [:]
  private var places: [TransferID: Int] = [:]

  mutating func take(_ snapshot: TransferSnapshot) {
    latest = snapshot
    if places[snapshot.id] == nil {
      places[snapshot.id] = accepted
      accepted += 1
    }
    switch snapshot.state {
    case .queued: active[snapshot.id] = nil
    case _ where snapshot.state.isFinal || snapshot.state == .paused: end(snapshot)
    default: active[snapshot.id] = snapshot
    }
  }

  /// In the order of acceptance.
  var open: [TransferSnapshot] {
    active.values.sorted { (places[$0.id] ?? 0) < (places[$1.id] ?? 0) }
  }

  var total: ProgressLine {
    // What is queued or has no length yet makes the sum unknown.
    let isKnown = accepted == ended + stopped + active.count
    return ProgressLine(
      total: Array(active.values), name: "\(ended) of \(accepted) done", endedBytes: endedBytes,
      endedTotal: isKnown ? endedTotal : nil)
  }

  private mutating func end(_ snapshot: TransferSnapshot) {
    // Told twice, it counts once: only what was not ended before is added.
    guard places[snapshot.id] != Self.endedPlace else { return }
    active[snapshot.id] = nil
    places[snapshot.id] = Self.endedPlace
    if snapshot.state == .paused { stopped += 1 } else { ended += 1 }
    endedBytes += snapshot.bytesDone
    let total = snapshot.state == .paused ? snapshot.bytesTotal : snapshot.bytesDone
    endedTotal = endedTotal.flatMap { sum in total.map { sum + $0 } }
  }

  private static let endedPlace = -1
}
