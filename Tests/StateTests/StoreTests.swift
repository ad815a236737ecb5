import Core
import TestKit
import Testing

@testable import State

struct StoreTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  @Test func `a record comes back as it was written`() throws {
    let records = [TransferRecord.sample(1), .full(2)]
    try store().insert(records)
    #expect(try store().records() == records)
    #expect(try store().record(.sample(2)) == records[1])
    #expect(try store().record(.sample(3)) == nil)
  }

  @Test(arguments: TransferKind.allCases, TransferState.allCases)
  func `every kind and state can be kept`(kind: TransferKind, state: TransferState) throws {
    var record = TransferRecord.sample(1, state: state)
    record.kind = kind
    try store().insert([record])
    #expect(try store().record(record.id) == record)
  }

  @Test func `every reason and failure can be kept`() throws {
    let store = try store()
    var record = TransferRecord.sample(1)
    try store.insert([record])
    for reason in WaitReason.allCases {
      record.reason = reason
      try store.update(record, durably: false)
      #expect(try store.record(record.id) == record)
    }
    for code in FailureCode.allCases {
      record.failure = TransferFailure(code, "no hint for \(code.rawValue)")
      try store.update(record, durably: false)
      #expect(try store.record(record.id) == record)
    }
  }

  @Test func `text is kept byte by byte, whatever it looks like`() throws {
    let store = try store()
    var record = TransferRecord.sample(1)
    record.url = "'; DROP TABLE transfers; --"
    record.requestedName = ""
    record.path = "/a\u{301}/\u{1F600}\n\t"
    record.entityTag = "\"\u{0}inner nul\""
    try store.insert([record])
    let kept = try #require(try store.record(record.id))
    #expect(kept == record)
    #expect(kept.requestedName == "", "an empty name is not the absence of one")
    #expect(kept.path.map { Array($0.utf8) } == record.path.map { Array($0.utf8) })
  }

  @Test func `listings are in the order of acceptance, whatever the clock said`() throws {
    let store = try store()
    try store.insert([.sample(9, createdAt: 20), .sample(5, createdAt: 10), .sample(4, createdAt: 10)])
    try store.insert([.sample(1, createdAt: 20)])
    #expect(try store.records().map(\.id) == [9, 5, 4, 1].map(TransferID.sample))
    #expect(
      try store.records(.ids([.sample(1), .sample(7), .sample(4), .sample(5), .sample(4)])).map(\.id)
        == [5, 4, 1].map(TransferID.sample))
  }

  @Test func `unfinished are those whose state is not final`() throws {
    let store = try store()
    let records = TransferState.allCases.enumerated().map { TransferRecord.sample($0, state: $1) }
    try store.insert(records)
    #expect(try store.records(.unfinished) == records.filter { !$0.state.isFinal })
  }

  @Test func `a prefix finds the IDs that begin with it`() throws {
    let store = try store()
    let ids = ["abc00000", "abcz0000", "abczzzzz", "abd00000", "abb00000"].map { TransferID($0)! }
    try store.insert(
      ids.map { id in
        var record = TransferRecord.sample(0)
        record.id = id
        return record
      })
    #expect(try store.ids(withPrefix: "abc") == Array(ids[0...2]))
    #expect(try store.ids(withPrefix: "abcz") == Array(ids[1...2]))
    #expect(try store.ids(withPrefix: "abc00000") == [ids[0]])
    #expect(try store.ids(withPrefix: "abc%") == [])
    #expect(try store.ids(withPrefix: "ABC") == [])
    #expect(try store.ids(withPrefix: "").count == 5)
  }

  @Test func `the same command is found again, the newest of it`() throws {
    let store = try store()
    var records = (0..<5).map { TransferRecord.sample($0) }
    for index in records.indices { records[index].urlDigest = "same" }
    records[3].requestedName = "name"
    records[4].folder = "/elsewhere"
    try store.insert(records)
    func latest(_ digest: String, _ folder: String, _ name: String?) throws -> TransferID? {
      try store.latest(urlDigest: digest, folder: folder, requestedName: name)?.id
    }
    #expect(try latest("same", "/home/someone", nil) == .sample(2))
    #expect(try latest("same", "/home/someone", "name") == .sample(3))
    #expect(try latest("same", "/elsewhere", nil) == .sample(4))
    #expect(try latest("same", "/elsewhere", "name") == nil)
    #expect(try latest("other", "/home/someone", nil) == nil)
  }

  @Test func `an update writes everything but the owner`() throws {
    let store = try store()
    try store.insert([.sample(1), .sample(2)])
    var changed = TransferRecord.full(1)
    try store.update(changed, durably: true)
    changed.owner = nil
    #expect(try store.records() == [changed, .sample(2)])
  }

  @Test func `an update of a record that was removed does not bring it back`() throws {
    let store = try store()
    try store.insert([.sample(1)])
    try store.remove([.sample(1)])
    try store.update(.full(1), durably: false)
    try store.checkpoint([Checkpoint(id: .sample(1), synced: RangeSet(), bytesRefetched: 0, attempts: 1)])
    #expect(try store.records().isEmpty)
  }

  @Test func `a checkpoint writes progress and nothing else`() throws {
    let store = try store()
    var records = [TransferRecord.full(1), .full(2), .full(3)]
    try store.insert(records)
    let synced = RangeSet([ByteRange(5, 10), ByteRange(20, 30)])
    try store.checkpoint([1, 3].map { Checkpoint(id: .sample($0), synced: synced, bytesRefetched: 99, attempts: 12) })
    for index in [0, 2] {
      records[index].synced = synced
      records[index].bytesRefetched = 99
      records[index].attempts = 12
    }
    #expect(try store.records() == records)
  }

  @Test func `of records of which one cannot be inserted none is`() throws {
    let store = try store()
    try store.insert([.sample(1)])
    #expect(throws: StateError.self) { try store.insert([.sample(2), .sample(1)]) }
    #expect(try store.records().map(\.id) == [.sample(1)])
    try store.insert([.sample(2)])
    #expect(try store.records().count == 2, "the store works on after a failure")
  }

  @Test func `two stores of one folder see each other's records`() throws {
    let (one, other) = (try store(), try store())
    let before = try other.dataVersion()
    #expect(try other.dataVersion() == before)
    try one.insert([.sample(1)])
    #expect(try other.dataVersion() != before)
    #expect(try other.records().count == 1)
  }

  @Test func `a value this program never writes is told, not guessed at`() throws {
    let store = try store()
    try store.insert([.sample(1), .sample(2)])
    for change in ["state = 'flying'", "synced = '9-5'", "kind = ''", "failure_code = 'bad-luck'", "reason = 'moon'"] {
      try withDatabase(folder.path("state.db")) {
        try $0.execute("UPDATE transfers SET \(change) WHERE id = '00000002'")
      }
      let error = #expect(throws: StateError.self) { try store.records() }
      guard case .corrupt(_, let detail) = error else {
        Issue.record("\(change): \(String(describing: error))")
        continue
      }
      #expect(detail.contains("00000002"))
      #expect(try store.integrityCheck().count == 1)
      #expect(try store.record(.sample(1)) == .sample(1))
      try store.update(.sample(2), durably: false)
    }
    #expect(try store.integrityCheck() == [])
  }
}
