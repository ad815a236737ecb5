import Core
import Posix
import TestKit
import Testing

@testable import State

struct OutboxTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  @Test(arguments: OutboxKind.allCases) func `a message comes back as it was accepted`(kind: OutboxKind) throws {
    var message = OutboxRecord.sample(1)
    message.kind = kind
    message.payload = "{\"text\":\"'; -- \u{0} \u{1F600}\"}"
    try store().accept([message])
    #expect(try store().message(message.id) == message)
    #expect(try store().openMessages(of: .sample) == [message])
    #expect(message.isOpen && !message.isSent)
  }

  @Test func `messages wait in the order of acceptance, each for its session`() throws {
    let store = try store()
    try store.accept([.sample(9), .sample(3), .sample(5, .other)])
    try store.accept([.sample(1)])
    #expect(try store.openMessages(of: .sample).map(\.id) == ["message-9", "message-3", "message-1"])
    #expect(try store.openMessages(of: .sample, limit: 2).map(\.id) == ["message-9", "message-3"])
    #expect(try store.openMessages(of: .other).map(\.id) == ["message-5"])
    #expect(try store.messages().count == 4)
  }

  @Test func `of messages of which one cannot be accepted none is`() throws {
    let store = try store()
    try store.accept([.sample(1)])
    #expect(throws: StateError.self) { try store.accept([.sample(2), .sample(1)]) }
    #expect(try store.messages().map(\.id) == ["message-1"])
  }

  @Test func `what was sent or given up is no longer to be sent, and says what became of it`() throws {
    let store = try store()
    try store.accept([.sample(1), .sample(2), .sample(3)])
    try store.sent(["message-1"], at: 50)
    try store.giveUp(["message-2"], because: "the card expired", at: 60)
    try store.giveUp(["message-1"], because: "too late", at: 70)
    #expect(try store.openMessages(of: .sample).map(\.id) == ["message-3"])
    let (sent, failed) = (try #require(try store.message("message-1")), try #require(try store.message("message-2")))
    #expect(sent.isSent && sent.endedAt == 50 && sent.failure == nil)
    #expect(!failed.isSent && !failed.isOpen && failed.failure == "the card expired")
  }

  @Test func `another process sees that a message was sent`() throws {
    let (one, other) = (try store(), try store())
    try one.accept([.sample(1)])
    let version = try one.dataVersion()
    try other.sent(other.openMessages(of: .sample).map(\.id), at: 5)
    #expect(try one.dataVersion() != version)
    #expect(try one.message("message-1")?.isSent == true)
  }

  @Test func `what has ended is kept for a week and what waits for ever`() throws {
    let store = try store()
    try store.accept([.sample(1), .sample(2), .sample(3)])
    try store.sent(["message-1"], at: 1_000)
    try store.sent(["message-2"], at: 1_000 + Store.endedMessageSeconds)
    #expect(try store.messages().map(\.id) == ["message-1", "message-2", "message-3"])
    try store.giveUp(["nobody"], because: "x", at: 1_001 + Store.endedMessageSeconds)
    #expect(try store.messages().map(\.id) == ["message-2", "message-3"])
  }

  @Test func `the newest thousand that have ended are kept, and all that wait`() throws {
    let store = try store()
    let count = Store.endedMessagesKept + 5
    try store.accept((0..<count).map { .sample($0) } + [.sample(9_999)])
    try store.sent((0..<count).map { "message-\($0)" }, at: 1)
    #expect(try store.messages().map(\.id) == (5..<count).map { "message-\($0)" } + ["message-9999"])
  }

  /// SQLite makes its own system calls, which no fault plan sees: the level it was told is what can be looked at.
  @Test func `what a person said is synced before the call returns, what can be repeated is not`() throws {
    let store = try store()
    func level() throws -> Int64 { try store.database.integer("PRAGMA synchronous") }
    let (full, normal) = (Int64(2), Int64(1))
    try store.accept([.sample(1), .sample(2)])
    #expect(try level() == full)
    try store.sent(["message-1"], at: 5)
    #expect(try level() == normal)
    try store.giveUp(["message-2"], because: "x", at: 5)
    #expect(try level() == full)
    try store.insert(media: [.sample(1)])
    #expect(try level() == full)
    try store.checkpoint(media: [.sample(1)])
    #expect(try level() == normal)
    let begun = try store.begin(.sample(1))
    try store.promise(begun.number, .init(path: "/f", sha256: "aa", inode: 1))
    #expect(try level() == full)
    try store.add([.sample(1)], to: begun.number, at: 1)
    #expect(try level() == normal)
    try store.finish(begun.number, .sample(1))
    #expect(try level() == full)
  }

  @Test func `a message of a kind that is unknown is told`() throws {
    let store = try store()
    try store.accept([.sample(1)])
    try withDatabase(folder.path("state.db")) { try $0.execute("UPDATE outbox SET what = 'shout'") }
    #expect(throws: StateError.self) { try store.openMessages(of: .sample) }
    #expect(try store.integrityCheck().count == 1)
  }
}
