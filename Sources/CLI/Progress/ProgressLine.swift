import Core

/// One line of the bars, for a transfer or for the total: what is told, before it is laid out.
struct ProgressLine: Hashable, Sendable {
  var name: String
  var bytesDone: Int64
  var bytesTotal: Int64?
  var bytesPerSecond: Double?
  var etaSeconds: Double?
  /// In the place of rate and ETA while no bytes flow.
  var state: String?

  init(_ snapshot: TransferSnapshot, now: Double) {
    name = snapshot.name
    bytesDone = snapshot.bytesDone
    bytesTotal = snapshot.bytesTotal
    bytesPerSecond = snapshot.bytesPerSecond
    etaSeconds = snapshot.etaSeconds
    state = Self.word(of: snapshot, now: now)
  }

  /// The sum of several: those under way, and of the others only how much they have and will have.
  init(total open: [TransferSnapshot], name: String, endedBytes: Int64, endedTotal: Int64?) {
    self.name = name
    bytesDone = endedBytes + open.reduce(0) { $0 + $1.bytesDone }
    let openTotal = open.reduce(0) { $0 + ($1.bytesTotal ?? 0) }
    if let endedTotal, open.allSatisfy({ $0.bytesTotal != nil }) { bytesTotal = endedTotal + openTotal }
    let rate = open.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) }
    guard rate > 0 else { return }
    bytesPerSecond = rate
    // Nobody waits for what has stopped.
    let left = openTotal - (bytesDone - endedBytes)
    etaSeconds = bytesTotal.map { _ in Double(max(0, left)) / rate }
  }

  /// 0…100, never above; 100 only when everything is there; nil while the length is unknown.
  var percent: Int? {
    guard let bytesTotal else { return nil }
    guard bytesTotal > 0 else { return 100 }
    return min(100, max(0, Int(Double(bytesDone) / Double(bytesTotal) * 100)))
  }

  private static func word(of snapshot: TransferSnapshot, now: Double) -> String? {
    switch snapshot.state {
    case .running: return snapshot.bytesPerSecond == nil ? "connecting" : nil
    case .waiting:
      let reason = snapshot.reason?.rawValue ?? "waiting"
      guard let nextTry = snapshot.nextTry, nextTry > now else { return reason }
      return "\(reason) \(Quantity.duration(nextTry - now))"
    default: return snapshot.state.rawValue
    }
  }
}
