import Core
import Posix
import TestKit
import Testing

@testable import State

struct SecretFileTests {
  let folder = TemporaryFolder("state")

  @Test func `secrets come back as they were written, until they are removed`() throws {
    let bytes = (0...255).map { UInt8($0) }
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == nil)
    try SecretFile.write([1], folder: folder.path, id: .sample(1))
    try SecretFile.write(bytes, folder: folder.path, id: .sample(1))
    try SecretFile.write([], folder: folder.path, id: .sample(2))
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == bytes)
    #expect(try SecretFile.read(folder: folder.path, id: .sample(2)) == [])
    for _ in 0..<2 { try SecretFile.remove(folder: folder.path, id: .sample(1)) }
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == nil)
    #expect(TestFiles.names(in: folder.path("secrets")) == ["00000002"])
  }

  @Test func `what a crash left of the secrets is removed with them`() throws {
    try SecretFile.write([1], folder: folder.path, id: .sample(1))
    try SecretFile.write([1], folder: folder.path, id: .sample(2))
    folder.write("half", to: "secrets/.00000001.17")
    try SecretFile.remove(folder: folder.path, id: .sample(1))
    #expect(TestFiles.names(in: folder.path("secrets")) == ["00000002"])
  }

  @Test func `a full disk leaves the older secrets and is told as one`() throws {
    try SecretFile.write([1], folder: folder.path, id: .sample(1))
    FaultPlan.enforce([.fail(.pwrite, with: .noSpace, onCall: 1)], below: folder.path) { plan in
      let error = #expect(throws: StateError.self) {
        try SecretFile.write([2], folder: folder.path, id: .sample(1))
      }
      #expect(error?.failure.code == .diskFull)
      #expect(plan.hitCount == 1)
    }
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == [1])
  }
}

struct StateErrorTests {
  private let path = "/state/state.db"

  private func failure(_ code: Int32, errno: Int32 = 0) -> TransferFailure {
    StateError(DatabaseError(code: code, message: "as sqlite says", sql: "SELECT ?", systemErrno: errno), path: path)
      .failure
  }

  @Test func `each failure of SQLite has its exit status`() {
    let (full, ioError, corrupt, notADatabase, busy, cantOpen, readOnly) = (13, 10, 11, 26, 5, 14, 8)
    #expect(failure(Int32(full)).code == .diskFull)
    #expect(failure(Int32(ioError | 3 << 8), errno: Errno.noSpace.rawValue).code == .diskFull)
    #expect(failure(Int32(ioError | 3 << 8), errno: Errno.ioError.rawValue).code == .stateUnreadable)
    #expect(failure(Int32(corrupt | 2 << 8)).code == .stateUnreadable)
    #expect(failure(Int32(notADatabase)).code == .stateUnreadable)
    #expect(failure(Int32(busy | 1 << 8)).message == "the state in \(path) was locked by another process for 5 s")
    #expect(failure(Int32(cantOpen), errno: Errno.accessDenied.rawValue).message.hasSuffix("permission denied"))
    #expect(failure(Int32(readOnly)).code == .localFile)
    #expect(failure(1).code == .stateUnreadable)
  }

  @Test func `every message is one lower-case line with the path, and has no full stop`() {
    let errors: [StateError] = [
      .corrupt(path: path, detail: "x"), .newer(path: path, found: 9, known: 1), .diskFull(path: path),
      .busy(path: path), .unreadable(path: path, .accessDenied), .unwritable(path: path, .readOnly),
      .database(path: path, DatabaseError(code: 1, message: "no such table", sql: "SELECT secret")),
    ]
    for failure in errors.map(\.failure) {
      #expect(failure.message.contains(path))
      #expect(failure.message.first?.isLowercase == true)
      #expect(!failure.message.hasSuffix(".") && !failure.message.contains("\n") && !failure.message.contains("secret"))
    }
  }
}
