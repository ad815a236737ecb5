internal import CSQLite
internal import Core

/// The durable state of all transfers: one SQLite file in one folder. It does its work on the caller's thread, and
/// belongs to one thread; other processes may have their own at the same time.
public final class Store {
  /// SQLite's own version.
  public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

  /// The folder of the state, absolute.
  public let folder: String
  let database: Database

  /// Opens the state, and makes what is missing: the folder with mode 0700, the file with mode 0600, the newest schema.
  public init(folder: String) throws(StateError) {
    let place = StateFolder(path: folder)
    try place.make()
    self.folder = folder
    database = try Database(path: place.databasePath)
    try Migrator().migrate(database)
  }

  /// Opens the state if there is one; nil, and nothing made, on a machine where nothing was ever transferred.
  public init?(readingFolder folder: String) throws(StateError) {
    let place = StateFolder(path: folder)
    guard try place.hasDatabase() else { return nil }
    self.folder = folder
    database = try Database(path: place.databasePath)
    try Migrator().migrate(database)
  }

  /// A number that changes when another connection has written (`PRAGMA data_version`); asking costs microseconds.
  public func dataVersion() throws(StateError) -> Int64 {
    try database.integer("PRAGMA data_version")
  }

  /// What is wrong with the file, one line each; empty when all is well. Reads everything.
  public func integrityCheck() throws(StateError) -> [String] {
    do throws(StateError) {
      let pages = try database.rows("PRAGMA integrity_check") { $0.text() }
      // Rows of a file whose pages are damaged say nothing more.
      guard pages == ["ok"] else { return pages }
      let orphans = try database.rows("PRAGMA foreign_key_check") { row in
        let (table, _, parent) = (row.text(), row.optionalInteger(), row.text())
        return "table \(table) has a row without its row in \(parent)"
      }
      return try orphans + unreadableRows()
    } catch .corrupt(_, let detail) {
      return [detail]
    }
  }

  private func unreadableRows() throws(StateError) -> [String] {
    let path = database.path
    return try problems(Self.selectRecords) { row throws(StateError) in _ = try TransferRecord(row: row, path: path) }
      + problems(Self.selectMedia) { row throws(StateError) in _ = try MediaUploadRecord(row: row, path: path) }
      + problems(Self.selectUploads) { row throws(StateError) in _ = try UploadRecord(row: row, path: path) }
      + problems(Self.selectUploadParts) { row throws(StateError) in _ = try UploadPart(row: row, path: path) }
      + problems(Self.selectMessages) { row throws(StateError) in _ = try OutboxRecord(row: row, path: path) }
  }

  private func problems(
    _ sql: String, _ read: (Statement) throws(StateError) -> Void
  ) throws(StateError) -> [String] {
    try database.rows(sql) { row -> String? in
      do throws(StateError) {
        try read(row)
        return nil
      } catch {
        return error.failure.message
      }
    }.compactMap(\.self)
  }
}
