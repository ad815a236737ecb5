internal import CSQLite

/// What SQLite answered when it did not do as asked; the values of a statement are left out, they may be private.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The extended result code, such as 2067 for SQLITE_CONSTRAINT_UNIQUE.
  public let code: Int32
  /// SQLite's text for it.
  public let message: String
  /// The statement with `?` where values stand; nil when none was being run.
  public let sql: String?
  /// The errno behind it, 0 when there is none (`sqlite3_system_errno`).
  public let systemErrno: Int32

  public init(code: Int32, message: String, sql: String? = nil, systemErrno: Int32 = 0) {
    self.code = code
    self.message = message
    self.sql = sql
    self.systemErrno = systemErrno
  }

  /// The low byte of the extended code: the kind of failure.
  public var primaryCode: Int32 { code & 0xff }

  /// Reads the last error of a connection.
  init(of connection: OpaquePointer?, code: Int32, sql: String? = nil) {
    unsafe self.init(
      code: code, message: String(cString: sqlite3_errmsg(connection)), sql: sql,
      systemErrno: sqlite3_system_errno(connection))
  }
}

extension DatabaseError: CustomStringConvertible {
  public var description: String { "\(message) (sqlite \(code)\(systemErrno == 0 ? "" : ", errno \(systemErrno)"))" }
}
