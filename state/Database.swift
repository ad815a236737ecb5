internal import CSQLite

/// One connection to an SQLite file. It belongs to one thread: SQLite is opened without its own locks
/// (SQLITE_OPEN_NOMUTEX, sqlite.org/threadsafe.html), and the class is not Sendable.
@safe
final class Database {
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// What `PRAGMA synchronous` is set to now.
  private var isDurable = false
  /// Pages in the write-ahead log after the last commit.
  private var loggedPageCount: Int32 = 0

  /// How long to wait for another process that writes: its longest write is a commit with a sync, 0.7 s measured.
  static let busyMilliseconds: Int32 = 5_000

  /// Opens a file that is there; an empty one becomes a database.
  init(path: String) throws(StateError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let error = unsafe DatabaseError(of: opened, code: code)
      // A connection is given even on failure, and must be closed (sqlite.org/c3ref/open.html).
      unsafe sqlite3_close_v2(opened)
      throw StateError(error, path: path)
    }
    self.path = path
    unsafe self.handle = handle
    // From here on a throw runs deinit, which closes.
    unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    try enterWAL()
    // 8 MiB of pages at most: ten thousand transfers are changed without reading them again.
    try execute(
      "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -8192")
    boundLog()
  }

  /// A process that opens the state reads every page that stands in the log, and a thousand of them, where SQLite would
  /// write them back by itself, cost a short command 3 ms (measured). So small commits leave few; large ones, which come
  /// one after the other, don't pay for a checkpoint each.
  private func boundLog() {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_wal_hook(
      handle,
      { this, _, _, pageCount in
        guard let this = unsafe this else { return SQLITE_OK }
        unsafe Unmanaged<Database>.fromOpaque(this).takeUnretainedValue().logged(pageCount)
        return SQLITE_OK
      }, this)
  }

  private func logged(_ pageCount: Int32) {
    let isSmall = (0..<Self.smallPageCount).contains(pageCount - loggedPageCount)
    loggedPageCount = pageCount
    guard pageCount >= (isSmall ? Self.fewPageCount : Self.manyPageCount) else { return }
    // What it does not get done, because others read, the next one does.
    unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  private static let smallPageCount: Int32 = 32
  private static let fewPageCount: Int32 = 128
  private static let manyPageCount: Int32 = 1000

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// The change to WAL needs the file alone, and answers BUSY without waiting where two processes could wait for each
  /// other (sqlite.org/c3ref/busy_handler.html): two first starts at the same moment take turns here.
  private func enterWAL() throws(StateError) {
    for _ in 0..<(Self.busyMilliseconds / 10) {
      do {
        return try execute("PRAGMA journal_mode = WAL")
      } catch .busy {
        sqlite3_sleep(10)
      }
    }
    throw .busy(path: path)
  }

  /// Runs statements that have no values and whose rows don't matter.
  func execute(_ sql: String) throws(StateError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe failed(DatabaseError(of: handle, code: code, sql: sql)) }
  }

  /// All that `body` writes, or nothing. The write lock is taken at once, so nothing read in `body` is stale.
  /// `durably` means that the commit is on the disk when this returns (synchronous FULL, 0.7–2.4 ms); without it a power
  /// cut may forget the newest commits, never a part of one (WAL with NORMAL, 0.02 ms).
  @discardableResult
  func transaction<Result>(
    durably: Bool = false, _ body: () throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try setDurability(durably)
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After some failures SQLite has rolled back by itself (sqlite.org/lang_transaction.html); why it came to this
      // is the error worth telling, and an open transaction ends with the connection at the latest.
      if unsafe sqlite3_get_autocommit(handle) == 0 { unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Many look-ups with one lock of the file, and of one moment.
  func reading<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
    try execute("BEGIN")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      if unsafe sqlite3_get_autocommit(handle) == 0 { unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// The level can't be changed inside a transaction, so it is set before one.
  private func setDurability(_ durable: Bool) throws(StateError) {
    guard durable != isDurable else { return }
    try execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    isDurable = durable
  }

  private func failed(_ error: DatabaseError) -> StateError { StateError(error, path: path) }
}

/// Statements with values; each is prepared once.
extension Database {
  /// Runs a statement that gives no rows; answers how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws(StateError) -> Int {
    let statement = try statement(sql)
    defer { statement.reset() }
    bind(statement)
    _ = try step(statement)
    return Int(unsafe sqlite3_changes64(handle))
  }

  /// All rows, each made into a value by `read`.
  func rows<Row>(
    _ sql: String, _ bind: (Statement) -> Void = { _ in }, read: (Statement) throws(StateError) -> Row
  ) throws(StateError) -> [Row] {
    let statement = try statement(sql)
    defer { statement.reset() }
    bind(statement)
    var rows: [Row] = []
    while try step(statement) { rows.append(try read(statement)) }
    return rows
  }

  /// The first row, nil when there is none.
  func first<Row>(
    _ sql: String, _ bind: (Statement) -> Void = { _ in }, read: (Statement) throws(StateError) -> Row
  ) throws(StateError) -> Row? {
    let statement = try statement(sql)
    defer { statement.reset() }
    bind(statement)
    return try step(statement) ? try read(statement) : nil
  }

  /// The first column of the first row as a number; 0 when there is no row.
  func integer(_ sql: String, _ bind: (Statement) -> Void = { _ in }) throws(StateError) -> Int64 {
    try first(sql, bind) { $0.integer() } ?? 0
  }

  private func statement(_ sql: String) throws(StateError) -> Statement {
    if let kept = statements[sql] { return kept }
    do {
      let made = unsafe try Statement(sql, on: handle)
      statements[sql] = made
      return made
    } catch {
      throw failed(error)
    }
  }

  private func step(_ statement: Statement) throws(StateError) -> Bool {
    do { return try statement.step() } catch { throw failed(error) }
  }
}
