import Core
import TestKit
import Testing

@testable import State

struct OwnerTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  /// The token of a process that has ended.
  private func goneToken() throws -> OwnerToken { try OwnerLock(folder: folder.path).token }

  @Test func `a token is a pid and sixteen digits, in one spelling`() {
    #expect(OwnerToken("4711-00000000000000ff")?.processID == 4711)
    #expect(OwnerToken(processID: 4711, number: 255).text == "4711-00000000000000ff")
    let others = [
      "", "-", "4711", "4711-", "4711-ff", "4711-00000000000000FF", "0-00000000000000ff", "+1-00000000000000ff",
      "-1-00000000000000ff", "4711-00000000000000ff-", "4711-0000000000000/ff", "04711-00000000000000ff", "../4711-00",
    ]
    for text in others { #expect(OwnerToken(text) == nil, "\(text)") }
  }

  @Test func `a process lives as long as its lock`() throws {
    var lock: OwnerLock? = try OwnerLock(folder: folder.path)
    let token = try #require(lock?.token)
    #expect(try OwnerLock.isAlive(token, folder: folder.path))
    #expect(try OwnerLock.isAlive(token, folder: folder.path), "looking does not change it")
    lock = nil
    #expect(try !OwnerLock.isAlive(token, folder: folder.path))
    #expect(TestFiles.names(in: folder.path("owners")) == [])
  }

  @Test func `the file a killed process left is stale and removed`() throws {
    _ = try store()
    folder.folder("owners")
    folder.write("", to: "owners/1-00000000000000ff")
    folder.write("", to: "owners/2-00000000000000ff")
    folder.write("", to: "owners/README")
    #expect(try !OwnerLock.isAlive(OwnerToken("1-00000000000000ff")!, folder: folder.path), "pid 1 lives, but not so")
    let lock = try OwnerLock(folder: folder.path)
    #expect(TestFiles.names(in: folder.path("owners")) == [lock.token.text, "README"].sorted())
  }

  @Test func `what nobody holds can be claimed, what a living process holds cannot`() throws {
    let store = try store()
    try store.insert([.sample(1), .sample(2), .sample(3)])
    let (mine, theirs) = (try OwnerLock(folder: folder.path), try OwnerLock(folder: folder.path))
    #expect(try store.claim([.sample(1), .sample(2)], owner: mine.token) == [:])
    #expect(try store.claim([.sample(2)], owner: mine.token) == [:], "one's own can be claimed again")
    #expect(
      try store.claim([.sample(3), .sample(2), .sample(1)], owner: theirs.token) == [
        .sample(1): mine.token, .sample(2): mine.token,
      ])
    #expect(try store.record(.sample(3))?.owner == nil, "all or none")
    #expect(try store.livingOwners() == [.sample(1): mine.token, .sample(2): mine.token])
  }

  @Test func `what a process held that is gone can be claimed`() throws {
    let store = try store()
    var record = TransferRecord.sample(1)
    record.owner = try goneToken().text
    var damaged = TransferRecord.sample(2)
    damaged.owner = "no token"
    try store.insert([record, damaged])
    #expect(try store.livingOwners() == [:])
    let mine = try OwnerLock(folder: folder.path)
    #expect(try store.claim([record.id, damaged.id], owner: mine.token) == [:])
    #expect(try store.record(record.id)?.owner == mine.token.text)
  }

  @Test func `a record can be inserted with its owner`() throws {
    let store = try store()
    let mine = try OwnerLock(folder: folder.path)
    var record = TransferRecord.sample(1)
    record.owner = mine.token.text
    try store.insert([record])
    #expect(try store.claim([record.id], owner: OwnerLock(folder: folder.path).token) == [record.id: mine.token])
  }

  @Test func `what was let go can be claimed by another`() throws {
    let store = try store()
    try store.insert([.sample(1), .sample(2), .sample(3)])
    let (mine, theirs) = (try OwnerLock(folder: folder.path), try OwnerLock(folder: folder.path))
    _ = try store.claim([.sample(1), .sample(2)], owner: mine.token)
    _ = try store.claim([.sample(3)], owner: theirs.token)
    try store.release([.sample(1)])
    #expect(try store.livingOwners() == [.sample(2): mine.token, .sample(3): theirs.token])
    try store.release(owner: mine.token)
    #expect(try store.livingOwners() == [.sample(3): theirs.token])
  }

  @Test func `of many who claim at the same moment one has it`() async throws {
    try store().insert((0..<50).map { .sample($0) })
    let path = folder.path
    let locks = try (0..<6).map { _ in try OwnerLock(folder: path) }
    let won = try await withThrowingTaskGroup(of: [TransferID: OwnerToken].self) { group in
      for lock in locks {
        group.addTask {
          let store = try Store(folder: path)
          var won: [TransferID: OwnerToken] = [:]
          for number in 0..<50 where try store.claim([.sample(number)], owner: lock.token).isEmpty {
            won[.sample(number)] = lock.token
          }
          return won
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(won.map(\.count).reduce(0, +) == 50, "each transfer was won once")
    let owners = won.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
    #expect(try store().livingOwners() == owners)
  }
}

struct WantedTests {
  let folder = TemporaryFolder("state")

  @Test func `a wish reaches the owner once`() throws {
    let (store, other) = (try Store(folder: folder.path), try Store(folder: folder.path))
    let lock = try OwnerLock(folder: folder.path)
    try store.insert([.sample(2), .sample(1), .sample(3)])
    _ = try store.claim([.sample(1), .sample(2)], owner: lock.token)
    let version = try store.dataVersion()
    #expect(try other.want(.pause, for: .sample(1)))
    #expect(try other.want(.cancel, for: .sample(2)))
    #expect(try store.dataVersion() != version)
    let taken = try store.takeWanted(owner: lock.token)
    #expect(taken.map(\.0) == [.sample(2), .sample(1)], "in the order of insertion")
    #expect(taken.map(\.1) == [.cancel, .pause])
    #expect(try store.takeWanted(owner: lock.token).isEmpty)
  }

  @Test func `nothing can be wanted of a transfer that no process owns`() throws {
    let store = try Store(folder: folder.path)
    try store.insert([.sample(1)])
    #expect(try !store.want(.cancel, for: .sample(1)))
    #expect(try !store.want(.cancel, for: .sample(2)))
  }

  @Test func `the stronger wish stays`() throws {
    let store = try Store(folder: folder.path)
    let lock = try OwnerLock(folder: folder.path)
    try store.insert([.sample(1)])
    _ = try store.claim([.sample(1)], owner: lock.token)
    for wanted in [Wanted.pause, .remove, .cancel] { #expect(try store.want(wanted, for: .sample(1))) }
    #expect(try store.takeWanted(owner: lock.token).map(\.1) == [.remove])
  }

  @Test func `a new owner is not told what was wanted of the last one`() throws {
    let store = try Store(folder: folder.path)
    let (one, other) = (try OwnerLock(folder: folder.path), try OwnerLock(folder: folder.path))
    try store.insert([.sample(1), .sample(2), .sample(3)])
    for release in [
      { try store.release(owner: one.token) }, { try store.release([.sample(1)]) },
    ] {
      _ = try store.claim([.sample(1)], owner: one.token)
      #expect(try store.want(.cancel, for: .sample(1)))
      try release()
      _ = try store.claim([.sample(1)], owner: other.token)
      #expect(try store.takeWanted(owner: other.token).isEmpty)
      try store.release(owner: other.token)
    }
    try store.remove([.sample(1)])
    #expect(try store.takeWanted(owner: one.token).isEmpty)
  }
}
