import Core
import Crypto
import Posix
import TestKit
import Testing

@testable import HermesTransfer
@testable import State

/// Media that come in parts, on disk, and what a crash leaves of them.
struct AssemblyShelfTests {
  private let folder = TemporaryFolder("shelf")
  private let key = SessionKey(gateway: "ws://g/ws", device: "d")
  private let store: Store

  init() throws {
    folder.folder("media")
    store = try Store(folder: folder.path("state"))
  }

  private func shelf(_ name: String = "media") -> AssemblyShelf {
    AssemblyShelf(session: key, folder: folder.path(name), limits: MediaLimits(), bootID: "boot")
  }

  private let head = MediaFrame(id: "a", kind: .document, mime: "a/b", parts: 2, fileName: "f")

  private func part(_ number: Int, _ text: String, at start: Int64) -> HeldPart {
    HeldPart(part: number, start: start, byteCount: Int64(text.utf8.count), tag: EqualityTag.of(Array(text.utf8)))
  }

  /// Writes parts in the order given, and gives them as they stand.
  private func write(_ shelf: AssemblyShelf, _ parts: [(Int, String)], _ begun: [HeldPart] = []) throws -> [HeldPart] {
    var held = begun
    for (number, text) in parts {
      let one = part(number, text, at: held.map { $0.start + $0.byteCount }.max() ?? 0)
      #expect(try shelf.write(1, one, Array(text.utf8), store, now: 0) == nil)
      held.append(one)
    }
    return held
  }

  @Test func `a media that began in one folder ends there, though another is meant by now`() throws {
    let first = shelf()
    try first.begin(1, head, store, now: 0)
    let held = try write(first, [(1, "second")])
    let second = shelf("elsewhere")
    let found = try #require(try second.restore(store, now: 1).saved.first)
    #expect(found.saved.parts == held)
    second.adopt(found.record, as: 1)
    let all = try write(second, [(0, "first")], held)
    let finish = try second.finish(1, head, MediaJoin(all), store, now: 2)
    #expect(finish == .saved(path: folder.path("media/f"), byteCount: 11, sha256: sha256Hexadecimal(of: "firstsecond")))
    #expect(TestFiles.text(folder.path("media/f")) == "firstsecond")
    #expect(TestFiles.names(in: folder.path("media")) == ["f"])
  }

  @Test func `what is dropped in a later life is removed from the folder that it was begun in`() throws {
    try shelf().begin(1, head, store, now: 0)
    let first = shelf()
    try first.begin(1, head, store, now: 0)
    _ = try write(first, [(0, "first")])
    #expect(TestFiles.names(in: folder.path("media")).count == 1)
    // Idle for too long.
    #expect(try shelf("elsewhere").restore(store, now: 10_000).saved.isEmpty)
    #expect(TestFiles.names(in: folder.path("media")) == [])
  }

  @Test func `after a crash behind the name nothing is left of what it was put together from`() throws {
    let first = shelf()
    try first.begin(1, head, store, now: 0)
    _ = try write(first, [(1, "second"), (0, "first")])
    let record = try #require(try store.assemblies(of: key).first)
    // The name is given, and the process ends before it says so.
    folder.write("firstsecond", to: "media/f")
    let inode = try Files.status(folder.path("media/f")).inode
    let path = folder.path("media/f")
    try store.promise(
      record.number,
      AssemblyRecord.Promise(path: path, sha256: sha256Hexadecimal(of: "firstsecond"), inode: inode))
    let restored = try shelf().restore(store, now: 1)
    #expect(
      restored.finished.map(\.finish) == [
        .saved(path: path, byteCount: 11, sha256: sha256Hexadecimal(of: "firstsecond"))
      ])
    #expect(TestFiles.names(in: folder.path("media")) == ["f"])
    #expect(try store.assemblies(of: key).isEmpty)
  }

  @Test func `a part file that somebody removes fails the media, and leaves no hole in it`() throws {
    let first = shelf()
    try first.begin(1, head, store, now: 0)
    let held = try write(first, [(0, "first")])
    for name in TestFiles.names(in: folder.path("media")) {
      try Files.unlink(folder.path("media/\(name)"), ifThere: false)
    }
    let one = part(1, "second", at: held[0].byteCount)
    #expect(try first.write(1, one, Array("second".utf8), store, now: 0)?.code == .localFile)
    #expect(TestFiles.names(in: folder.path("media")) == [])
  }

  @Test func `what an earlier life left is not given up in place of what began anew with its number`() throws {
    try shelf().begin(1, head, store, now: 0)
    let second = shelf()
    let found = try #require(try second.restore(store, now: 1).saved.first)
    try second.begin(7, head, store, now: 1)
    let record = try #require(try store.assemblies(of: key).first)
    #expect(record.number == found.record.number)
    try second.giveUp(found.record, store)
    #expect(try store.assemblies(of: key).count == 1)
  }

  @Test func `the state knows a link without what may be secret in it`() throws {
    var linked = head
    linked.url = "https://h/f?signature=5157"
    #expect(!linked.saved.contains("5157"))
    #expect(MediaFrame(saved: linked.saved)?.fileName == "f")
  }
}
