import Core
import TestKit
import Testing

@testable import State

/// What stays fast with 100,000 records is what reads an index and sorts nothing: that can be tested without a clock.
struct QueryPlanTests {
  let folder = TemporaryFolder("state")

  private func plan(_ sql: String) throws -> String { try Store(folder: folder.path).plan(of: sql) }

  @Test func `a listing reads the index by age`() throws {
    #expect(try plan(Store.selectAll) == "SCAN transfers")
  }

  @Test func `unfinished transfers are found without the finished ones`() throws {
    #expect(try plan(Store.selectUnfinished) == "SCAN transfers USING INDEX transfers_unfinished")
  }

  @Test func `the index of unfinished transfers knows the states that are not final`() throws {
    let states = TransferState.allCases.filter { !$0.isFinal }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    #expect(Store.selectUnfinished.contains("state IN (\(states))"))
    #expect(Migration.all[0].sql.contains("WHERE state IN (\(states))"))
  }

  @Test func `the same command is one look-up`() throws {
    #expect(
      try plan(Store.selectLatest)
        == """
        SEARCH transfers USING INDEX transfers_by_command (url_digest=?)
        """)
  }

  @Test func `the wishes of a process are found by its transfers`() throws {
    let plan = try plan(Store.selectWanted)
    #expect(plan.hasPrefix("SEARCH t USING INDEX transfers_by_owner (owner=?); SEARCH w USING PRIMARY KEY"))
  }

  @Test func `a checkpoint finds its row by the ID`() throws {
    #expect(
      try plan("UPDATE transfers SET synced = ? WHERE id = ?")
        == "SEARCH transfers USING INDEX sqlite_autoindex_transfers_1 (id=?)")
  }
}
