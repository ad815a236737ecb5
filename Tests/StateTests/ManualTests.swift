import TestKit
import Testing

@testable import State

/// hermes-transfer-state(5) names everything there is, so that nothing is added without being explained.
struct ManualTests {
  let folder = TemporaryFolder("state")

  @Test func `the manual names every table and column, and no other version of the journal`() throws {
    let root = #filePath.prefix(#filePath.count - "Tests/StateTests/ManualTests.swift".count)
    let manual = try #require(TestFiles.text("\(root)man/hermes-transfer-state.5"))
    let words = Set(manual.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    let database = try Store(folder: folder.path).database
    let tables = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text() }
    #expect(tables.count == 14)
    for table in tables {
      #expect(manual.contains("\n.Ss \(table)\n"), "table \(table)")
      let columns = try database.rows("SELECT name FROM pragma_table_info('\(table)')") { $0.text() }
      for column in columns { #expect(words.contains(column), "column \(table).\(column)") }
    }
    #expect(manual.contains("It 80 Ta 16") && JournalFormat.headerByteCount == 80)
  }
}
