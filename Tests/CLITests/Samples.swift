import Core

@testable import CLI

/// Transfers as views get them.
enum Samples {
  static let epoch = 1_796_083_200.0

  static func snapshot(
    _ id: String, _ name: String, _ state: TransferState = .running, done: Int64 = 0, total: Int64? = nil,
    rate: Double? = nil, eta: Double? = nil
  ) throws -> TransferSnapshot {
    guard let id = TransferID(id) else { throw TransferFailure(.internalError, "\(id) is not an ID") }
    var snapshot = TransferSnapshot(
      id: id, kind: .download, state: state, url: "https://example.org/\(name)", name: name, createdAt: epoch - 60)
    snapshot.bytesDone = done
    snapshot.bytesTotal = total
    snapshot.bytesPerSecond = rate
    snapshot.etaSeconds = eta
    snapshot.attempts = 1
    snapshot.connections = 4
    return snapshot
  }

  /// One of each kind that a window may have to show.
  static func all() throws -> [TransferSnapshot] {
    let mib: Int64 = 1 << 20
    var backoff = try snapshot("00000006", "slow-server.tar.gz", .waiting, done: 3 * mib, total: 9 * mib)
    backoff.reason = .serverBackoff
    backoff.nextTry = epoch + 12.2
    var network = try snapshot("00000007", "offline.zip", .waiting)
    network.reason = .network
    return [
      try snapshot("00000001", "image.iso", done: 420 * mib, total: 1024 * mib, rate: 12.3e6, eta: 51.4),
      try snapshot("00000002", "日本語のとても長いファイル名です.bin", done: mib, total: 2 * mib, rate: 1.5e6, eta: 1),
      try snapshot("00000003", "e\u{301}te\u{301}-👩‍👩‍👧-\u{1B}[31m.txt", done: 999, total: 1000, rate: 10, eta: 0.1),
      try snapshot("00000004", "unknown-length", done: 5_000_000_000, rate: 123e6),
      try snapshot("00000005", "a-very-long-name-" + String(repeating: "x", count: 80), .verifying, done: 7, total: 7),
      backoff, network,
      try snapshot("00000008", "just-started"),
      try snapshot("00000009", "days.img", done: 1, total: 1 << 42, rate: 1024, eta: 3.6e6),
      try snapshot("0000000a", "later", .queued),
      try snapshot("0000000b", "done", .completed, done: 10, total: 10),
    ]
  }

  static func board(_ snapshots: [TransferSnapshot]) -> ProgressBoard {
    var board = ProgressBoard()
    for snapshot in snapshots { board.take(snapshot) }
    return board
  }
}
