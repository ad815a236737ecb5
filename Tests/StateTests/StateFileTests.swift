import Core
import Glibc
import TestKit
import Testing

@testable import State

struct StateFileTests {
  let folder = TemporaryFolder("state")

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    return status.st_mode & 0o777
  }

  @Test func `nothing of the state is for other users`() throws {
    let state = folder.path("deep/er/state")
    let store = try Store(folder: state)
    let lock = try OwnerLock(folder: state)
    try SecretFile.write([1, 2, 3], folder: state, id: .sample(1))
    let journal = try WriteJournal.create(
      folder: state, id: .sample(1), bootID: "b", device: 1, inode: 2)
    try store.insert([.sample(1)])
    for path in ["", "/owners", "/secrets", "/journal"] { #expect(mode(state + path) == 0o700, "\(path)") }
    let files = [
      "state.db", "state.db-wal", "state.db-shm", "owners/\(lock.token)", "secrets/00000001", "journal/00000001",
    ]
    for file in files { #expect(mode("\(state)/\(file)") == 0o600, "\(file)") }
    withExtendedLifetime(journal) {}
  }

  @Test func `the mode of a folder that was there is its owner's business`() throws {
    let state = folder.folder("state")
    #expect(chmod(state, 0o755) == 0)
    _ = try Store(folder: state)
    #expect(mode(state) == 0o755)
    #expect(mode("\(state)/state.db") == 0o600)
  }

  @Test func `reading where there is no state makes nothing`() throws {
    #expect(try Store(readingFolder: folder.path("none")) == nil)
    #expect(try Store(readingFolder: folder.path) == nil)
    #expect(folder.names == [])
    try Store(folder: folder.path).insert([.sample(1)])
    #expect(try Store(readingFolder: folder.path)?.records().count == 1)
  }

  @Test(arguments: [2, 15, 16, 100, 511, 4_096, 100_000])
  func `a file that is no database is refused and left alone`(byteCount: Int) throws {
    let garbage = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    folder.write(garbage, to: "state.db")
    let error = #expect(throws: StateError.self) { try Store(folder: folder.path) }
    guard case .corrupt(let path, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == folder.path("state.db"))
    #expect(error?.failure.code == .stateUnreadable)
    #expect(TestFiles.read(path) == garbage)
  }

  @Test func `a page that was overwritten is found by the check`() throws {
    do {
      let store = try Store(folder: folder.path)
      try store.insert((0..<500).map { .sample($0) })
      #expect(try store.integrityCheck() == [])
    }
    // The last connection has put the WAL into the file and removed it.
    let path = folder.path("state.db")
    var bytes = try #require(TestFiles.read(path))
    #expect(bytes.count > 20 * 4_096)
    for index in (10 * 4_096)..<(12 * 4_096) { bytes[index] = 0x5a }
    TestFiles.write(bytes, to: path)
    let store = try Store(folder: folder.path)
    #expect(try !store.integrityCheck().isEmpty)
  }

  @Test func `a folder that cannot be made is told with its path`() throws {
    let file = folder.write("", to: "file")
    let error = #expect(throws: StateError.self) { try Store(folder: "\(file)/state") }
    #expect(error?.failure.code == .stateUnreadable)
    #expect(error?.failure.message.contains("\(file)/state") == true)
  }

  @Test func `a database behind a symbolic link is not followed`() throws {
    let elsewhere = folder.write("", to: "elsewhere")
    #expect(symlink(elsewhere, folder.path("state.db")) == 0)
    #expect(throws: StateError.self) { try Store(folder: folder.path) }
    #expect(TestFiles.byteCount(elsewhere) == 0)
  }
}
