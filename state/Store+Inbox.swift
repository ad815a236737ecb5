/// What can come twice; raw values are the words of the database.
public enum ReceivedKind: String, Sendable, CaseIterable {
  case message, media, prompt
}

/// Something that came and was dealt with, so that the same thing is known when it comes again.
public struct ReceivedRecord: Sendable, Hashable {
  public var session: SessionKey
  public var kind: ReceivedKind
  /// SHA-256 of its ID, in hexadecimal.
  public var idDigest: String
  /// SHA-256 of its content, in hexadecimal; empty where the ID alone tells.
  public var sha256: String
  /// The file that was made of it.
  public var path: String?
  /// Seconds since 1970.
  public var receivedAt: Double

  public init(
    session: SessionKey, kind: ReceivedKind, idDigest: String, sha256: String = "", path: String? = nil,
    receivedAt: Double
  ) {
    self.session = session
    self.kind = kind
    self.idDigest = idDigest
    self.sha256 = sha256
    self.path = path
    self.receivedAt = receivedAt
  }
}

/// What came, for a day: so long may the other side send it again and not be heard twice.
extension Store {
  public static let receivedSeconds = 86_400.0
  static let receivedKept = 100_000

  /// Remembers what came, and forgets what is too old. What came with the same content is remembered once. `durably`: it
  /// survives a power cut when this returns.
  public func remember(_ received: [ReceivedRecord], durably: Bool = false) throws(StateError) {
    guard !received.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for one in received { try insert(one) }
    }
  }

  /// What came under an ID since a moment (`receivedSeconds` ago), oldest first; several when its content differed.
  public func received(
    _ kind: ReceivedKind, of session: SessionKey, idDigest: String, since moment: Double
  ) throws(StateError) -> [ReceivedRecord] {
    try database.rows(Self.selectReceived) {
      $0.bind(idDigest)
      $0.bind(session)
      $0.bind(kind.rawValue)
      $0.bind(moment)
    } read: { row in
      ReceivedRecord(
        session: session, kind: kind, idDigest: idDigest, sha256: row.text(), path: row.optionalText(),
        receivedAt: row.real())
    }
  }

  /// The newest of what came since a moment, `limit` at most: IDs and contents by their digests.
  public func recentlyReceived(
    _ kind: ReceivedKind, of session: SessionKey, since moment: Double, limit: Int
  ) throws(StateError) -> [(idDigest: String, sha256: String)] {
    try database.rows(Self.selectRecent) {
      $0.bind(session)
      $0.bind(kind.rawValue)
      $0.bind(moment)
      $0.bind(limit)
    } read: { row in
      (idDigest: row.text(), sha256: row.text())
    }
  }

  /// Within a transaction. The numbers rise with each insert, so a number that is `receivedKept` behind is surplus: no
  /// counting.
  func insert(_ one: ReceivedRecord) throws(StateError) {
    try database.run(Self.deleteReceived) {
      $0.bind(one.idDigest)
      $0.bind(one.session)
      $0.bind(one.kind.rawValue)
      $0.bind(one.sha256)
    }
    try database.run(Self.insertReceived) {
      $0.bind(one.session)
      $0.bind(one.kind.rawValue)
      $0.bind(one.idDigest)
      $0.bind(one.sha256)
      $0.bind(one.path)
      $0.bind(one.receivedAt)
    }
    try database.run("DELETE FROM received WHERE received_at < ?") { $0.bind(one.receivedAt - Self.receivedSeconds) }
    try database.run("DELETE FROM received WHERE number <= (SELECT max(number) FROM received) - ?") {
      $0.bind(Self.receivedKept)
    }
  }

  static let selectReceived = """
    SELECT sha256, path, received_at FROM received
    WHERE id_digest = ? AND gateway = ? AND device = ? AND what = ? AND received_at >= ? ORDER BY number
    """
  static let selectRecent = """
    SELECT id_digest, sha256 FROM received
    WHERE gateway = ? AND device = ? AND what = ? AND received_at >= ? ORDER BY number DESC LIMIT ?
    """
  static let deleteReceived = """
    DELETE FROM received WHERE id_digest = ? AND gateway = ? AND device = ? AND what = ? AND sha256 = ?
    """
  private static let insertReceived = """
    INSERT INTO received (gateway, device, what, id_digest, sha256, path, received_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
}
