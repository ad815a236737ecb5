import Core
import TestKit
import Testing

@testable import State

struct ReceivedTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  private func found(
    _ store: Store, _ kind: ReceivedKind = .media, _ session: SessionKey = .sample, _ digest: String = "digest-1",
    since: Double = 0
  ) throws -> [ReceivedRecord] {
    try store.received(kind, of: session, idDigest: digest, since: since)
  }

  @Test func `what came is known when it comes again, by kind and session`() throws {
    try store().remember([.sample(1)], durably: true)
    let store = try store()
    #expect(try found(store) == [.sample(1)])
    #expect(try found(store, .message) == [])
    #expect(try found(store, .media, .other) == [])
    #expect(try found(store, .media, .sample, "digest-2") == [])
    #expect(try found(store, since: 1_000).count == 1)
    #expect(try found(store, since: 1_001) == [])
  }

  @Test func `the same ID with other content is remembered beside the first`() throws {
    let store = try store()
    var changed = ReceivedRecord.sample(1)
    changed.sha256 = "other"
    changed.path = nil
    var again = ReceivedRecord.sample(1, at: 2_000)
    again.path = "/elsewhere"
    try store.remember([.sample(1), changed])
    #expect(try found(store) == [.sample(1), changed])
    try store.remember([again])
    #expect(try found(store) == [changed, again])
  }

  @Test func `what came is forgotten after a day`() throws {
    let store = try store()
    try store.remember([.sample(1, at: 1_000), .sample(2, at: 2_000)])
    try store.remember([.sample(3, at: 1_000 + Store.receivedSeconds)])
    #expect(try found(store).count == 1)
    try store.remember([.sample(4, at: 1_001 + Store.receivedSeconds)])
    #expect(try found(store) == [])
    #expect(try found(store, .media, .sample, "digest-2").count == 1)
  }

  @Test func `no more than a hundred thousand are remembered`() throws {
    let store = try store()
    try store.remember([.sample(1), .sample(2)])
    // As if a hundred thousand had come since.
    try withDatabase(folder.path("state.db")) {
      try $0.execute("UPDATE received SET number = \(Store.receivedKept) WHERE id_digest = 'digest-2'")
    }
    try store.remember([.sample(3)])
    #expect(try found(store) == [])
    #expect(try found(store, .media, .sample, "digest-2").count == 1)
    #expect(try found(store, .media, .sample, "digest-3").count == 1)
  }
}

struct AssemblyTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  @Test func `an assembly comes back with its parts, whatever their order was`() throws {
    var assembly = try store().begin(.sample(1))
    #expect(assembly.number > 0)
    let store = try store()
    try store.add([.sample(3)], to: assembly.number, at: 1_500)
    try store.add([.sample(0), .sample(2)], to: assembly.number, at: 2_000)
    assembly.updatedAt = 2_000
    assembly.parts = [.sample(0), .sample(2), .sample(3)]
    #expect(try store.assembly(of: .sample, idDigest: "digest-1") == assembly)
    #expect(assembly.byteCount == 400)
    #expect(try store.assembly(of: .other, idDigest: "digest-1") == nil)
    #expect(try store.assembly(of: .sample, idDigest: "digest-2") == nil)
  }

  @Test func `a part that is recorded again is where it was recorded last`() throws {
    let store = try store()
    let assembly = try store.begin(.sample(1))
    var part = HeldPart.sample(0)
    try store.add([part], to: assembly.number, at: 1)
    part.start = 900
    try store.add([part], to: assembly.number, at: 2)
    #expect(try store.assembly(of: .sample, idDigest: "digest-1")?.parts == [part])
  }

  @Test func `beginning again forgets the parts of before`() throws {
    let store = try store()
    let first = try store.begin(.sample(1))
    try store.add([.sample(0)], to: first.number, at: 1)
    var second = AssemblyRecord.sample(1)
    second.partCount = 9
    second = try store.begin(second)
    #expect(try store.assemblies() == [second])
    #expect(try store.database.integer("SELECT count(*) FROM assembly_parts") == 0)
  }

  @Test func `rewriting leaves what it is given and nothing else`() throws {
    let store = try store()
    var assembly = try store.begin(.sample(1))
    try store.add([.sample(0), .sample(1)], to: assembly.number, at: 5)
    try store.promise(assembly.number, .init(path: "/f", sha256: "aa", inode: .max))
    assembly.bootID = "another boot"
    assembly.parts = [.sample(1)]
    try store.rewrite(assembly)
    #expect(try store.assemblies() == [assembly], "the promise is taken back too")
    try store.drop([assembly.number])
    try store.rewrite(assembly)
    #expect(try store.assemblies() == [], "what was dropped stays dropped")
  }

  @Test func `a part of an assembly that was dropped is not kept`() throws {
    let store = try store()
    let assembly = try store.begin(.sample(1))
    try store.add([.sample(0)], to: assembly.number, at: 1)
    try store.drop([assembly.number])
    try store.add([.sample(1)], to: assembly.number, at: 2)
    #expect(try store.assemblies() == [])
    #expect(try store.database.integer("SELECT count(*) FROM assembly_parts") == 0)
  }

  @Test func `what is finished is remembered as received, and its assembly is gone`() throws {
    let store = try store()
    var assembly = try store.begin(.sample(1))
    assembly.promise = .init(path: "/home/someone/photo.jpg", sha256: "aa", inode: .max)
    try store.promise(assembly.number, #require(assembly.promise))
    #expect(try store.assembly(of: .sample, idDigest: "digest-1") == assembly)
    try store.finish(assembly.number, .sample(1))
    #expect(try store.assemblies() == [])
    #expect(try store.received(.media, of: .sample, idDigest: "digest-1", since: 0) == [.sample(1)])
  }

  @Test func `the idle and the oldest of too many are surplus`() throws {
    let store = try store()
    let begun = try (1...6).map { try store.begin(.sample($0, $0 % 2 == 0 ? .sample : .other, at: Double($0))) }
    try store.add([.sample(0)], to: begun[0].number, at: 100)
    func surplus(_ moment: Double, _ count: Int) throws -> [Int64] {
      try store.surplusAssemblies(idleSince: moment, keeping: count).map(\.number)
    }
    #expect(try surplus(0, 6) == [])
    #expect(try surplus(4, 6) == [begun[1], begun[2]].map(\.number))
    #expect(try surplus(0, 3) == [begun[1], begun[2], begun[3]].map(\.number))
    #expect(try surplus(6, 4) == [begun[1], begun[2], begun[3], begun[4]].map(\.number))
    try store.drop(surplus(0, 0))
    #expect(try store.assemblies() == [])
  }

  @Test func `the assemblies of a session are its own`() throws {
    let store = try store()
    let mine = try store.begin(.sample(1))
    let theirs = try store.begin(.sample(1, .other))
    #expect(try store.assemblies(of: .sample) == [mine])
    #expect(try store.assemblies(of: .other) == [theirs])
    #expect(try store.assemblies().count == 2)
  }

  @Test func `a thousand parts cost a thousand rows, not a million`() throws {
    let store = try store()
    let assembly = try store.begin(.sample(1))
    let before = try store.database.integer("SELECT total_changes()")
    for number in 0..<1_000 { try store.add([.sample(number)], to: assembly.number, at: Double(number)) }
    // One row for the part, one for the time.
    #expect(try store.database.integer("SELECT total_changes()") - before == 2_000)
    #expect(try store.assembly(of: .sample, idDigest: "digest-1")?.parts.count == 1_000)
  }
}
