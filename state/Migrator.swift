/// One step of the schema: SQL text that is never edited once it was released.
struct Migration: Sendable, Hashable {
  /// Counted from 1; also the schema's version after it.
  let number: Int
  let name: String
  let sql: String

  /// All steps, oldest first: `migrations/NNNN-name.sql`.
  static let all = [
    Migration(number: 1, name: "transfers", sql: text(PackageResources._001_transfers_sql)),
    Migration(number: 2, name: "session", sql: text(PackageResources._002_session_sql)),
    Migration(number: 3, name: "uploads", sql: text(PackageResources._003_uploads_sql)),
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Brings a database to the newest schema, step by step; each step and the note of it are one transaction.
struct Migrator {
  var migrations = Migration.all

  private static let ledger = """
    CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, sql TEXT NOT NULL) STRICT
    """

  func migrate(_ database: Database) throws(StateError) {
    let found = try version(of: database)
    if found == 0 { try checkEmpty(database) } else { try checkLedger(database) }
    for migration in migrations where migration.number > found {
      try database.transaction(durably: true) { () throws(StateError) in
        // Another process may have been faster since.
        guard try version(of: database) < migration.number else { return }
        try database.execute(Self.ledger)
        try database.execute(migration.sql)
        try database.run("INSERT INTO migrations (number, name, sql) VALUES (?, ?, ?)") {
          $0.bind(migration.number)
          $0.bind(migration.name)
          $0.bind(migration.sql)
        }
        try database.execute("PRAGMA user_version = \(migration.number)")
      }
    }
  }

  /// The schema's version, 0 for a new file; throws `newer` when it is none of ours.
  private func version(of database: Database) throws(StateError) -> Int {
    let found = Int(try database.integer("PRAGMA user_version"))
    let known = migrations.last?.number ?? 0
    guard found <= known else { throw .newer(path: database.path, found: found, known: known) }
    return found
  }

  /// A file with tables but without a version belongs to another program.
  private func checkEmpty(_ database: Database) throws(StateError) {
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    // Another process may have made our tables between the two looks.
    let version = try version(of: database)
    guard tables == 0 || version > 0 else {
      throw .corrupt(path: database.path, detail: "\(tables) tables and indexes of another program")
    }
  }

  /// Steps that ran must be the ones we know: the same number with other text is another program's schema.
  private func checkLedger(_ database: Database) throws(StateError) {
    let ran = try database.rows("SELECT number, name, sql FROM migrations ORDER BY number") {
      Migration(number: Int($0.integer()), name: $0.text(), sql: $0.text())
    }
    for migration in ran where !migrations.contains(migration) {
      throw .corrupt(
        path: database.path, detail: "its schema was made by an unknown migration \(migration.number) \(migration.name)"
      )
    }
  }
}
