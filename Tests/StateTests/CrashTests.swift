import Core
import TestKit
import Testing

@testable import State

/// A crash of the process leaves the database and its WAL as the last write left them; a power cut may also leave only a
/// beginning of the WAL. Both are made here by copying the files between two calls.
struct CrashTests {
  let folder = TemporaryFolder("state")

  /// The state as a process finds it that starts after a crash at this moment.
  private func afterCrash(_ number: Int, walByteCount: Int? = nil) throws -> Store {
    let copy = folder.folder("crash-\(number)")
    for name in ["state.db", "state.db-wal"] {
      guard var bytes = TestFiles.read(folder.path("state/\(name)")) else { continue }
      if name.hasSuffix("-wal"), let walByteCount { bytes = Array(bytes.prefix(walByteCount)) }
      TestFiles.write(bytes, to: "\(copy)/\(name)")
    }
    return try Store(folder: copy)
  }

  private func step(_ number: Int, _ store: Store, _ random: inout SeededRandom) throws {
    let id = TransferID.sample(Int.random(in: 0..<20, using: &random))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try store.insert([.sample(100 + number), .full(10_000 + number)])
    case 1:
      let synced = RangeSet(ByteRange(0, Int64(number + 1) << 20))
      try store.checkpoint([Checkpoint(id: id, synced: synced, bytesRefetched: Int64(number), attempts: number)])
    case 2:
      var record = TransferRecord.full(Int.random(in: 0..<20, using: &random))
      record.bytesRefetched = Int64(number)
      try store.update(record, durably: Bool.random(using: &random))
    case 3: try store.remove([id])
    default: try store.add([.sample(number, of: id)])
    }
  }

  @Test func `after a crash at any moment everything is there that was committed`() throws {
    var random = SeededRandom(seed: 1)
    let store = try Store(folder: folder.path("state"))
    try store.insert((0..<20).map { .sample($0) })
    for number in 0..<60 {
      try step(number, store, &random)
      #expect(try afterCrash(number).records() == store.records(), "step \(number)")
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 20))
  func `after a power cut the state is one that was, never a mixture`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let store = try Store(folder: folder.path("state"))
    try store.insert((0..<20).map { .sample($0) })
    // So that only later commits stand in the WAL that is cut.
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var history = [try store.records()]
    for number in 0..<20 {
      try step(number, store, &random)
      history.append(try store.records())
    }
    let whole = Int(TestFiles.byteCount(folder.path("state/state.db-wal")) ?? 0)
    #expect(whole > 0)
    for number in 0..<5 {
      let cut = Int.random(in: 0...whole, using: &random)
      let found = try afterCrash(number, walByteCount: cut)
      #expect(history.contains(try found.records()), "seed \(seed), WAL cut at \(cut) of \(whole)")
      #expect(try found.integrityCheck() == [])
    }
  }

  @Test func `what was inserted durably is in the WAL when the call returns`() throws {
    let store = try Store(folder: folder.path("state"))
    try store.insert((0..<1_000).map { .full($0) })
    #expect(try store.database.integer("PRAGMA synchronous") == 2)
    try store.checkpoint([Checkpoint(id: .sample(1), synced: RangeSet(), bytesRefetched: 0, attempts: 0)])
    #expect(try store.database.integer("PRAGMA synchronous") == 1)
    #expect(try afterCrash(0).records().count == 1_000)
  }
}
