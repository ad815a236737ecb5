public import Core

/// Which records a listing asks for.
public enum RecordFilter: Sendable, Hashable {
  case all
  /// Those whose state is not final.
  case unfinished
  case ids([TransferID])
}

/// What a running transfer records once a second.
public struct Checkpoint: Sendable, Hashable {
  public var id: TransferID
  /// Bytes that were synced to the disk before.
  public var synced: RangeSet
  public var bytesRefetched: Int64
  public var attempts: Int

  public init(id: TransferID, synced: RangeSet, bytesRefetched: Int64, attempts: Int) {
    self.id = id
    self.synced = synced
    self.bytesRefetched = bytesRefetched
    self.attempts = attempts
  }
}

/// Reading.
extension Store {
  /// One transfer's record, nil when there is none.
  public func record(_ id: TransferID) throws(StateError) -> TransferRecord? {
    let path = database.path
    return try database.first("\(Self.selectRecords) WHERE id = ?", { $0.bind(id.text) }) { row throws(StateError) in
      try TransferRecord(row: row, path: path)
    }
  }

  /// Records, in the order they were inserted.
  public func records(_ filter: RecordFilter = .all) throws(StateError) -> [TransferRecord] {
    switch filter {
    case .all: try records(Self.selectAll)
    case .unfinished: try records(Self.selectUnfinished)
    case .ids(let ids): try records(ids)
    }
  }

  /// IDs that begin with a text, sorted: what a user may have meant by it.
  public func ids(withPrefix prefix: String) throws(StateError) -> [TransferID] {
    // No character of an ID comes after "z", so "{" ends the range; a pattern match would read every row.
    let ids = try database.rows("SELECT id FROM transfers WHERE id >= ? AND id < ? ORDER BY id") {
      $0.bind(prefix)
      $0.bind(prefix + "{")
    } read: {
      $0.text()
    }
    return ids.compactMap(TransferID.init)
  }

  /// The newest record of the same command: the same URL to the same place.
  public func latest(
    urlDigest: String, folder: String, requestedName: String?
  ) throws(StateError) -> TransferRecord? {
    let path = database.path
    return try database.first(Self.selectLatest) {
      $0.bind(urlDigest)
      $0.bind(folder)
      $0.bind(requestedName)
    } read: { row throws(StateError) in
      try TransferRecord(row: row, path: path)
    }
  }

  /// Which of these URLs were ever asked for, to any place.
  public func known(urlDigests: [String]) throws(StateError) -> Set<String> {
    try database.reading { () throws(StateError) in
      var known: Set<String> = []
      for digest in urlDigests {
        let found = try database.first("SELECT 1 FROM transfers WHERE url_digest = ? LIMIT 1", { $0.bind(digest) }) {
          _ in true
        }
        if found != nil { known.insert(digest) }
      }
      return known
    }
  }

  private func records(_ sql: String) throws(StateError) -> [TransferRecord] {
    let path = database.path
    return try database.rows(sql) { row throws(StateError) in try TransferRecord(row: row, path: path) }
  }

  private func records(_ ids: [TransferID]) throws(StateError) -> [TransferRecord] {
    let path = database.path
    var numbered: [(number: Int64, record: TransferRecord)] = []
    for id in Set(ids) {
      let found = try database.first("\(Self.selectRecords) WHERE id = ?", { $0.bind(id.text) }) {
        row throws(StateError) in
        let record = try TransferRecord(row: row, path: path)
        return (number: row.integer(), record: record)
      }
      if let found { numbered.append(found) }
    }
    return numbered.sorted { $0.number < $1.number }.map(\.record)
  }
}

/// Writing.
extension Store {
  /// Adds records with their owners; when this returns they survive a power cut. All or none.
  public func insert(_ records: [TransferRecord]) throws(StateError) {
    try database.transaction(durably: true) { () throws(StateError) in
      for record in records {
        try database.run(Self.insertRecord) {
          record.bind(to: $0)
          $0.bind(record.owner)
        }
      }
    }
  }

  /// Writes one record; see below.
  public func update(_ record: TransferRecord, durably: Bool) throws(StateError) {
    try update([record], durably: durably)
  }

  /// Writes records, all or none, but their owner, which only `claim` and `release` change. A record that was removed
  /// meanwhile stays removed. `durably`: they survive a power cut when this returns.
  public func update(_ records: [TransferRecord], durably: Bool) throws(StateError) {
    guard !records.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for record in records {
        try database.run(Self.updateRecord) {
          record.bind(to: $0)
          $0.bind(record.id.text)
        }
      }
    }
  }

  /// Records that the whole content of these transfers is synced, under which part and final name, and with which length
  /// and time: from now on a file of that name, length and time is theirs. It survives a power cut when this returns.
  public func promise(_ records: [TransferRecord]) throws(StateError) {
    guard !records.isEmpty else { return }
    try database.transaction(durably: true) { () throws(StateError) in
      for record in records { try database.run(Self.promiseRecord) { record.bindPromise(to: $0) } }
    }
  }

  /// Records how these transfers ended, with their attempts, and lets go of them. `durably`: it survives a power cut when
  /// this returns, as what can't be found out again has to.
  public func conclude(
    _ records: [TransferRecord], _ attempts: [AttemptRecord], durably: Bool = false
  ) throws(StateError) {
    guard !records.isEmpty || !attempts.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for record in records { try database.run(Self.concludeRecord) { record.bindConclusion(to: $0) } }
      for attempt in attempts { try insert(attempt) }
    }
  }

  /// Records what was synced, for all running transfers in one commit of 0.02–0.06 ms. It survives any crash of the
  /// process; a power cut may forget the newest.
  public func checkpoint(_ rows: [Checkpoint]) throws(StateError) {
    guard !rows.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for row in rows {
        try database.run("UPDATE transfers SET synced = ?, bytes_refetched = ?, attempts = ? WHERE id = ?") {
          $0.bind(row.synced.description)
          $0.bind(row.bytesRefetched)
          $0.bind(row.attempts)
          $0.bind(row.id.text)
        }
      }
    }
  }

  /// Forgets transfers, with their attempts and what was wanted of them.
  public func remove(_ ids: [TransferID]) throws(StateError) {
    guard !ids.isEmpty else { return }
    try database.transaction(durably: true) { () throws(StateError) in
      for id in ids { try database.run("DELETE FROM transfers WHERE id = ?") { $0.bind(id.text) } }
    }
  }
}

extension Store {
  private static let columns = TransferRecord.columns.joined(separator: ", ")

  static let selectRecords = "SELECT \(columns), owner, number FROM transfers"
  static let selectAll = "\(selectRecords) ORDER BY number"
  /// The condition is the partial index's, word by word: else SQLite does not use it (sqlite.org/partialindex.html).
  static let selectUnfinished = """
    \(selectRecords) WHERE state IN ('queued', 'waiting', 'running', 'verifying', 'paused')
    ORDER BY number
    """
  static let selectLatest = """
    \(selectRecords) WHERE url_digest = ? AND folder = ? AND requested_name IS ?
    ORDER BY number DESC LIMIT 1
    """

  static let insertRecord = """
    INSERT INTO transfers (\(columns), owner)
    VALUES (\(repeatElement("?", count: TransferRecord.columns.count + 1).joined(separator: ", ")))
    """
  private static let promiseRecord = """
    UPDATE transfers SET state = ?, path = ?, part_name = ?, bytes_total = ?, entity_tag = ?, last_modified = ?,
      is_last_modified_strong = ?, synced = ?, attempts = ?, file_byte_count = ?, file_modified_ns = ? WHERE id = ?
    """
  private static let concludeRecord = """
    UPDATE transfers SET state = ?, reason = NULL, next_try = NULL, path = ?, part_name = ?, synced = ?, sha256 = ?,
      finished_at = ?, failure_code = ?, failure_message = ?, failure_hint = ?, has_secrets = ?, owner = NULL
      WHERE id = ?
    """
  static let updateRecord = """
    UPDATE transfers SET \(TransferRecord.columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?
    """
}
