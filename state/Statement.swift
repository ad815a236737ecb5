internal import CSQLite

/// One prepared statement. It is finalised with the object, and its connection lives at least as long.
///
/// Values go in and come out in order, one call a value: the list of columns, the writing and the reading stand side
/// by side in the code and cannot drift apart by a wrong index.
@safe
final class Statement {
  let sql: String
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private var nextParameter: Int32 = 1
  private var nextColumn: Int32 = 0
  /// The first failed bind; told by `step`, so that a row of values is written without thirty `try`.
  private var bindFailure: Int32 = SQLITE_OK

  init(_ sql: String, on connection: OpaquePointer) throws(DatabaseError) {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let handle = unsafe prepared else {
      throw unsafe DatabaseError(of: connection, code: code, sql: sql)
    }
    self.sql = sql
    unsafe self.handle = handle
    unsafe self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Goes to the next row; false when there is none.
  func step() throws(DatabaseError) -> Bool {
    guard bindFailure == SQLITE_OK else {
      throw unsafe DatabaseError(of: connection, code: bindFailure, sql: sql)
    }
    nextColumn = 0
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw unsafe DatabaseError(of: connection, code: code, sql: sql)
    }
  }

  /// Makes it ready to be run again, with all values NULL, and lets go of the read lock it held.
  func reset() {
    // What sqlite3_reset returns is the last step's failure again, which was thrown then (sqlite.org/c3ref/reset.html).
    _ = unsafe sqlite3_reset(handle)
    _ = unsafe sqlite3_clear_bindings(handle)
    nextParameter = 1
    nextColumn = 0
    bindFailure = SQLITE_OK
  }

  private func bound(_ code: Int32) {
    if code != SQLITE_OK && bindFailure == SQLITE_OK { bindFailure = code }
    nextParameter += 1
  }

  private func column() -> Int32 {
    defer { nextColumn += 1 }
    return nextColumn
  }
}

/// Values in, in the order of the `?`.
extension Statement {
  func bind(_ value: Int64?) {
    guard let value else { return bound(SQLITE_OK) }  // a parameter that is not bound is NULL
    bound(unsafe sqlite3_bind_int64(handle, nextParameter, value))
  }

  func bind(_ value: Int) { bind(Int64(value)) }

  func bind(_ value: Bool) { bind(value ? Int64(1) : 0) }

  func bind(_ value: Double?) {
    guard let value else { return bound(SQLITE_OK) }
    bound(unsafe sqlite3_bind_double(handle, nextParameter, value))
  }

  func bind(_ value: String?) {
    guard var value else { return bound(SQLITE_OK) }
    let code = value.withUTF8 { text in
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        unsafe hermes_sqlite3_bind_text(handle, nextParameter, text.baseAddress, Int32(text.count))
      }
    }
    bound(code)
  }
}

/// Values out of the current row, in the order of the columns.
extension Statement {
  func integer() -> Int64 { unsafe sqlite3_column_int64(handle, column()) }

  func optionalInteger() -> Int64? {
    let column = column()
    return unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
  }

  func flag() -> Bool { integer() != 0 }

  func real() -> Double { unsafe sqlite3_column_double(handle, column()) }

  func optionalReal() -> Double? {
    let column = column()
    return unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_double(handle, column)
  }

  func text() -> String { optionalText() ?? "" }

  func optionalText() -> String? {
    let column = column()
    // The length is asked after the text: sqlite.org/c3ref/column_blob.html, "the safest policy".
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    let byteCount = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: byteCount), as: UTF8.self)
  }
}
