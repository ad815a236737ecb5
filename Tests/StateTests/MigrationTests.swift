import Core
import TestKit
import Testing

@testable import State

/// Opens a database of its own for one use.
func withDatabase<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
  try body(try Database(path: path))
}

struct MigrationTests {
  let folder = TemporaryFolder("state")

  private func emptyFile(_ name: String = "state.db") -> String { folder.write("", to: name) }

  private func schema(_ database: Database) throws -> String {
    try database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name") { $0.text() }
      .joined(separator: ";\n\n") + ";\n"
  }

  private let steps = [
    Migration(number: 1, name: "one", sql: "CREATE TABLE one (a); INSERT INTO one VALUES (1)"),
    Migration(number: 2, name: "two", sql: "ALTER TABLE one ADD COLUMN b; UPDATE one SET b = a + 1"),
    Migration(number: 3, name: "three", sql: "CREATE TABLE three AS SELECT a + b AS c FROM one"),
  ]

  /// A step that was released is never edited: a wrong digest here is no reason to change the digest.
  @Test func `each migration is what it was when it was released`() {
    let digests = Migration.all.map { fnv1a($0.sql) }
    #expect(digests == ["7285d9acdf8604df", "e365c5e88b50ba52", "3fbfe6c504611fd6"])
  }

  @Test func `the migrations of the code are the files, counted from 1`() {
    let folder = String(#filePath.prefix(#filePath.count - "Tests/StateTests/MigrationTests.swift".count))
    let files = TestFiles.names(in: "\(folder)/state/migrations")
    #expect(
      files
        == Migration.all.map {
          "\(String(repeating: "0", count: 4 - String($0.number).count))\($0.number)-\($0.name).sql"
        })
    #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
    for (file, migration) in zip(files, Migration.all) {
      #expect(TestFiles.text("\(folder)/state/migrations/\(file)") == migration.sql)
    }
  }

  @Test func `the schema is the one that was looked at`() throws {
    try withDatabase(emptyFile()) { database in
      try Migrator().migrate(database)
      Golden.check(try schema(database), "schema")
    }
  }

  @Test(arguments: 0..<Migration.all.count)
  func `every earlier schema becomes the newest`(version: Int) throws {
    let newest = try withDatabase(emptyFile("newest.db")) { database in
      try Migrator().migrate(database)
      return try schema(database)
    }
    try withDatabase(emptyFile()) { database in
      try Migrator(migrations: Array(Migration.all.prefix(version))).migrate(database)
      try Migrator().migrate(database)
      #expect(try schema(database) == newest)
      #expect(try database.integer("PRAGMA user_version") == Migration.all.count)
    }
  }

  @Test func `the transfers of the first schema are there in the newest`() throws {
    let records = [TransferRecord.sample(1), .full(2)]
    try Store(folder: folder.path).insert(records)
    let path = folder.path("state.db")
    let sql = try withDatabase(path) { database in
      try database.rows("SELECT sql FROM migrations WHERE number = 1") { $0.text() }
    }
    #expect(sql == [Migration.all[0].sql])
    // As the first program left it: the later tables and their steps are taken away.
    try withDatabase(path) { database in
      try database.execute(
        "PRAGMA foreign_keys = OFF; DELETE FROM migrations WHERE number > 1; PRAGMA user_version = 1")
      for table in [
        "media_uploads", "media_downloads", "outbox", "assembly_parts", "assemblies", "received", "part_sizes",
        "upload_parts", "uploads",
      ] {
        try database.execute("DROP TABLE \(table)")
      }
    }
    let store = try Store(folder: folder.path)
    #expect(try store.records() == records)
    #expect(try store.media(of: .sample(1)) == nil)
    #expect(try store.integrityCheck() == [])
  }

  @Test(arguments: 0...3)
  func `steps go on from where the last program stopped, each once`(version: Int) throws {
    try withDatabase(emptyFile()) { database in
      try Migrator(migrations: Array(steps.prefix(version))).migrate(database)
      for _ in 0..<2 { try Migrator(migrations: steps).migrate(database) }
      #expect(try database.rows("SELECT c FROM three") { $0.integer() } == [3])
      #expect(try database.rows("SELECT name FROM migrations ORDER BY number") { $0.text() } == steps.map(\.name))
    }
  }

  @Test func `a step that fails leaves the version before it`() throws {
    let broken = Migration(number: 2, name: "two", sql: "CREATE TABLE two (a); INSERT INTO nowhere VALUES (1)")
    try withDatabase(emptyFile()) { database in
      #expect(throws: StateError.self) { try Migrator(migrations: [steps[0], broken]).migrate(database) }
      #expect(try database.integer("PRAGMA user_version") == 1)
      #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'two'") == 0)
      try Migrator(migrations: steps).migrate(database)
      #expect(try database.integer("PRAGMA user_version") == 3)
    }
  }

  @Test func `a newer schema is refused and left alone`() throws {
    try Store(folder: folder.path).insert([.sample(1)])
    let path = folder.path("state.db")
    let known = Migration.all.count
    try withDatabase(path) { try $0.execute("PRAGMA user_version = \(known + 2)") }
    let error = #expect(throws: StateError.self) { try Store(folder: folder.path) }
    #expect(error == .newer(path: path, found: known + 2, known: known))
    #expect(error?.failure.code == .stateTooNew)
    #expect(error?.failure.exitStatus.rawValue == 16)
    #expect(throws: StateError.self) { try Store(readingFolder: folder.path) }
    #expect(try withDatabase(path) { try $0.integer("SELECT count(*) FROM transfers") } == 1)
  }

  @Test func `a schema made by other steps of the same number is refused`() throws {
    try withDatabase(emptyFile()) { database in
      try Migrator(migrations: [steps[0]]).migrate(database)
      let edited = Migration(number: 1, name: "one", sql: steps[0].sql + " ")
      #expect(throws: StateError.self) { try Migrator(migrations: [edited]).migrate(database) }
    }
  }

  @Test func `the database of another program is refused and left alone`() throws {
    try withDatabase(emptyFile()) { try $0.execute("CREATE TABLE theirs (a)") }
    let error = #expect(throws: StateError.self) { try Store(folder: folder.path) }
    #expect(error?.failure.exitStatus == .state)
    #expect(try withDatabase(folder.path("state.db")) { try $0.integer("SELECT count(*) FROM sqlite_schema") } == 1)
  }

  @Test func `many first starts at the same moment make one schema`() async throws {
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask { try Store(folder: path).insert([.sample(number)]) }
      }
      try await group.waitForAll()
    }
    #expect(try Store(folder: path).records().count == 8)
  }

  private func fnv1a(_ text: String) -> String {
    String(text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
