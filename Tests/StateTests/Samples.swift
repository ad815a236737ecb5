import Core
import TestKit

@testable import State

extension TransferID {
  /// The n-th of a row of IDs, in order.
  static func sample(_ number: Int) -> TransferID {
    var digits = String(number, radix: 16)
    digits = String(repeating: "0", count: 8 - digits.count) + digits
    return TransferID(digits)!
  }
}

extension TransferRecord {
  /// A record with nothing but what it must have.
  static func sample(_ number: Int, state: TransferState = .queued, createdAt: Double? = nil) -> TransferRecord {
    TransferRecord(
      id: .sample(number), kind: .download, state: state, url: "https://host.example/file-\(number)",
      urlDigest: "digest-\(number)", folder: "/home/someone", createdAt: createdAt ?? 1_700_000_000 + Double(number))
  }

  /// A record with every field set, none to its default.
  static func full(_ number: Int) -> TransferRecord {
    var record = sample(number, state: .failed)
    record.reason = .serverBackoff
    record.nextTry = 1_700_000_100.25
    record.priority = 9
    record.requestedName = "näme.bin"
    record.path = "/home/someone/näme.bin"
    record.partName = ".näme.bin.hermes-part"
    record.bytesTotal = 1 << 40
    record.entityTag = "\"tag with \\\" quote\""
    record.lastModified = "Tue, 01 Dec 2026 00:00:00 GMT"
    record.isLastModifiedStrong = true
    record.synced = RangeSet([ByteRange(0, 1 << 20), ByteRange(2 << 20, 1 << 39)])
    record.bytesRefetched = 17
    record.attempts = 3
    record.restarts = 1
    record.failure = TransferFailure(.checksumMismatch, "got aa, expected bb", hint: "ask the sender")
    record.sha256 = String(repeating: "ab", count: 32)
    record.finishedAt = 1_700_000_200.5
    record.deadlineAt = 1_700_604_800
    record.fileByteCount = 1 << 40
    record.fileModifiedNanoseconds = 1_700_000_200_123_456_789
    record.options = #"{"limit":1}"#
    record.hasSecrets = true
    record.owner = "4711-00000000000000ff"
    return record
  }
}

extension AttemptRecord {
  static func sample(_ number: Int, of transfer: TransferID) -> AttemptRecord {
    AttemptRecord(
      transfer: transfer, number: number, startedAt: 1_700_000_000.5, dns: 0.001, connect: 0.002, tls: 0.003,
      firstByte: 0.004, total: 1.5, byteCount: 1 << 33, bytesPerSecond: 1e6, httpStatus: number % 2 == 0 ? 206 : nil,
      isReused: number % 2 == 0, error: number % 2 == 0 ? nil : "connection reset")
  }
}

extension Store {
  /// The steps SQLite takes for a query.
  func plan(of sql: String) throws -> String {
    try database.rows("EXPLAIN QUERY PLAN \(sql)") { row in
      _ = (row.integer(), row.integer(), row.integer())
      return row.text()
    }.joined(separator: "; ")
  }
}
