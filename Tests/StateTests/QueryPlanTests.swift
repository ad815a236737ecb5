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

  @Test func `the media of a session are found by what is unfinished`() throws {
    #expect(
      try plan(Store.selectUnfinishedMedia)
        == "SCAN t USING INDEX transfers_unfinished; SEARCH m USING INDEX sqlite_autoindex_media_uploads_1 (transfer=?)"
    )
    let states = TransferState.allCases.filter { !$0.isFinal }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    #expect(Store.selectUnfinishedMedia.contains("state IN (\(states))"))
  }

  @Test func `an upload and its parts are found by its transfer, in order`() throws {
    #expect(
      try plan("\(Store.selectUploads) WHERE transfer = ?")
        == "SEARCH uploads USING INDEX sqlite_autoindex_uploads_1 (transfer=?)")
    #expect(
      try plan("\(Store.selectUploadParts) WHERE transfer = ? ORDER BY number")
        == "SEARCH upload_parts USING PRIMARY KEY (transfer=?)")
  }

  @Test func `what is to be sent is found without what was sent, in order`() throws {
    #expect(
      try plan(Store.selectOpenMessages) == "SEARCH outbox USING INDEX outbox_open (gateway=? AND device=?)")
    #expect(try plan(Store.trimMessages).contains("INDEX outbox_ended (ended_at>?)"))
  }

  @Test func `what came is found by its ID`() throws {
    #expect(try plan(Store.selectReceived) == "SEARCH received USING INDEX received_by_id (id_digest=?)")
    #expect(try plan(Store.deleteReceived) == "SEARCH received USING INDEX received_by_id (id_digest=?)")
    #expect(
      try plan("DELETE FROM received WHERE received_at < ?")
        == "SEARCH received USING INDEX received_by_time (received_at<?)")
    #expect(
      try plan("DELETE FROM received WHERE number <= (SELECT max(number) FROM received) - ?").hasPrefix(
        "SEARCH received USING INTEGER PRIMARY KEY (rowid<?)"))
  }

  @Test func `parts are found by their assembly, and go with it without a search of all`() throws {
    #expect(try plan(Store.selectParts) == "SEARCH assembly_parts USING PRIMARY KEY (assembly=?)")
    #expect(
      try plan("\(Store.selectAssemblies) WHERE id_digest = ? AND gateway = ? AND device = ?").hasPrefix(
        "SEARCH assemblies USING INDEX sqlite_autoindex_assemblies_1"))
  }
}
