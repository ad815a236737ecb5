import TestKit
import Testing

@testable import State

/// The write-ahead log, which every start reads to its end.
struct LogTests {
  private let folder = TemporaryFolder("log")

  private func database() throws -> Database {
    folder.write("", to: "db")
    let database = try Database(path: folder.path("db"))
    try database.execute("CREATE TABLE t (text TEXT)")
    return database
  }

  private var pageCount: Int { (TestFiles.read(folder.path("db-wal"))?.count ?? 0) / 4096 }

  private func insert(_ text: String, _ count: Int, into database: Database) throws {
    try database.transaction { () throws(StateError) in
      for _ in 0..<count { try database.execute("INSERT INTO t VALUES ('\(text)')") }
    }
  }

  @Test func `many small commits leave a short log`() throws {
    let database = try database()
    for number in 0..<600 { try insert("\(number)", 1, into: database) }
    #expect((1..<200).contains(pageCount), "\(pageCount) pages")
  }

  @Test func `a large commit is not written back at once`() throws {
    let database = try database()
    let text = String(repeating: "x", count: 4000)
    for _ in 0..<2 { try insert(text, 300, into: database) }
    // Written back, the log would have begun anew with the second one.
    #expect(pageCount >= 600, "\(pageCount) pages")
  }
}
