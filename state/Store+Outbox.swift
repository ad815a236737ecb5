/// What a message in the outbox is; raw values are the discriminators of its frame.
public enum OutboxKind: String, Sendable, CaseIterable {
  case text, prompt, audio
}

/// Something a person said, until the gateway has read it.
public struct OutboxRecord: Sendable, Hashable {
  /// A UUID; the frame's own ID where it has one, kept when it is sent again.
  public var id: String
  public var session: SessionKey
  public var kind: OutboxKind
  /// The frame as JSON.
  public var payload: String
  /// Seconds since 1970.
  public var createdAt: Double
  /// When it was sent, or given up; nil while it is to be sent.
  public var endedAt: Double?
  /// Why it was given up.
  public var failure: String?

  public init(id: String, session: SessionKey, kind: OutboxKind, payload: String, createdAt: Double) {
    self.id = id
    self.session = session
    self.kind = kind
    self.payload = payload
    self.createdAt = createdAt
  }

  public var isOpen: Bool { endedAt == nil }
  public var isSent: Bool { endedAt != nil && failure == nil }
}

/// What was said and waits for the gateway to read it.
extension Store {
  /// Messages that have ended stay for a week, and no more than these, to be shown.
  static let endedMessagesKept = 1_000
  static let endedMessageSeconds = 7 * 86_400.0

  /// Takes messages, in this order and behind those that wait; when this returns they survive a power cut. All or none.
  public func accept(_ messages: [OutboxRecord]) throws(StateError) {
    guard !messages.isEmpty else { return }
    try database.transaction(durably: true) { () throws(StateError) in
      for message in messages { try database.run(Self.insertMessage) { message.bind(to: $0) } }
    }
  }

  /// What is still to be sent in a session, oldest first, `limit` at most.
  public func openMessages(of session: SessionKey, limit: Int = 1_000) throws(StateError) -> [OutboxRecord] {
    try messages(Self.selectOpenMessages) {
      $0.bind(session)
      $0.bind(limit)
    }
  }

  /// One message, nil when there is none; another process asks so whether it was sent.
  public func message(_ id: String) throws(StateError) -> OutboxRecord? {
    try messages("\(Self.selectMessages) WHERE id = ?") { $0.bind(id) }.first
  }

  /// Every message that is kept, in the order of acceptance.
  public func messages() throws(StateError) -> [OutboxRecord] {
    try messages("\(Self.selectMessages) ORDER BY number") { _ in }
  }

  /// Records that the gateway has read messages, and forgets old ones. A power cut may forget it: then they are sent
  /// again, under the same IDs.
  public func sent(_ ids: [String], at now: Double) throws(StateError) { try end(ids, failure: nil, at: now) }

  /// Records that messages are given up, and why.
  public func giveUp(_ ids: [String], because failure: String, at now: Double) throws(StateError) {
    try end(ids, failure: failure, at: now)
  }

  private func end(_ ids: [String], failure: String?, at now: Double) throws(StateError) {
    guard !ids.isEmpty else { return }
    try database.transaction(durably: failure != nil) { () throws(StateError) in
      for id in ids {
        try database.run("UPDATE outbox SET ended_at = ?, failure = ? WHERE id = ? AND ended_at IS NULL") {
          $0.bind(now)
          $0.bind(failure)
          $0.bind(id)
        }
      }
      try database.run("DELETE FROM outbox WHERE ended_at < ?") { $0.bind(now - Self.endedMessageSeconds) }
      try database.run(Self.trimMessages) { $0.bind(Self.endedMessagesKept) }
    }
  }

  private func messages(_ sql: String, _ bind: (Statement) -> Void) throws(StateError) -> [OutboxRecord] {
    let path = database.path
    return try database.rows(sql, bind) { row throws(StateError) in try OutboxRecord(row: row, path: path) }
  }

  static let selectMessages = "SELECT \(OutboxRecord.columns) FROM outbox"
  static let selectOpenMessages = """
    \(selectMessages) WHERE gateway = ? AND device = ? AND ended_at IS NULL ORDER BY number LIMIT ?
    """
  static let trimMessages = """
    DELETE FROM outbox WHERE number IN
      (SELECT number FROM outbox WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, number DESC LIMIT -1 OFFSET ?)
    """
  private static let insertMessage = """
    INSERT INTO outbox (\(OutboxRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
}

extension OutboxRecord {
  fileprivate static let columns = "id, gateway, device, what, payload, created_at, ended_at, failure"

  fileprivate func bind(to row: Statement) {
    row.bind(id)
    row.bind(session)
    row.bind(kind.rawValue)
    row.bind(payload)
    row.bind(createdAt)
    row.bind(endedAt)
    row.bind(failure)
  }

  init(row: Statement, path: String) throws(StateError) {
    let id = row.text()
    do throws(UnknownValue) {
      try self.init(
        id: id, session: row.sessionKey(), kind: row.word(), payload: row.text(), createdAt: row.real())
      endedAt = row.optionalReal()
      failure = row.optionalText()
    } catch {
      throw .corrupt(path: path, detail: "message \(id.prefix(40)) has the unknown value '\(error.text)'")
    }
  }
}
