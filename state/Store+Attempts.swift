public import Core

/// The figures of attempts, for `show`.
extension Store {
  /// The attempts kept of one transfer: enough to see a pattern, and a week of retries stays small.
  public static let attemptsKept = 50

  /// Adds attempts, in one commit; of each transfer the newest `attemptsKept` stay. Those of a transfer that was removed
  /// meanwhile are dropped.
  public func add(_ attempts: [AttemptRecord]) throws(StateError) {
    guard !attempts.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for attempt in attempts { try insert(attempt) }
    }
  }

  /// Within a transaction.
  func insert(_ attempt: AttemptRecord) throws(StateError) {
    try database.run(Self.insertAttempt) { attempt.bind(to: $0) }
    // Numbers rise from 1: before the first surplus one there is nothing to trim.
    guard attempt.number > Self.attemptsKept else { return }
    try database.run(Self.trimAttempts) {
      $0.bind(attempt.transfer.text)
      $0.bind(attempt.transfer.text)
      $0.bind(Self.attemptsKept)
    }
  }

  /// The attempts of one transfer that are kept, the first one first.
  public func attempts(of id: TransferID) throws(StateError) -> [AttemptRecord] {
    try database.rows(
      "SELECT \(AttemptRecord.columns) FROM attempts WHERE transfer = ? ORDER BY number", { $0.bind(id.text) },
      read: { AttemptRecord(row: $0, of: id) })
  }

  private static let insertAttempt = """
    INSERT OR REPLACE INTO attempts (\(AttemptRecord.columns), transfer)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, id FROM transfers WHERE id = ?
    """
  private static let trimAttempts = """
    DELETE FROM attempts WHERE transfer = ? AND number <=
      (SELECT number FROM attempts WHERE transfer = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
    """
}

extension AttemptRecord {
  fileprivate static let columns = """
    number, started_at, dns, connect, tls, first_byte, total, byte_count, bytes_per_second, http_status, is_reused, error
    """

  fileprivate func bind(to row: Statement) {
    row.bind(number)
    row.bind(startedAt)
    row.bind(dns)
    row.bind(connect)
    row.bind(tls)
    row.bind(firstByte)
    row.bind(total)
    row.bind(byteCount)
    row.bind(bytesPerSecond)
    row.bind(httpStatus.map(Int64.init))
    row.bind(isReused)
    row.bind(error)
    row.bind(transfer.text)
  }

  fileprivate init(row: Statement, of transfer: TransferID) {
    // The arguments are evaluated in the order of the columns.
    self.init(
      transfer: transfer, number: Int(row.integer()), startedAt: row.real(), dns: row.real(), connect: row.real(),
      tls: row.real(), firstByte: row.real(), total: row.real(), byteCount: row.integer(),
      bytesPerSecond: row.real(), httpStatus: row.optionalInteger().map(Int.init), isReused: row.flag(),
      error: row.optionalText())
  }
}
