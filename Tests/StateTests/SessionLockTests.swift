import Core
import Glibc
import Posix
import TestKit
import Testing

@testable import State

struct SessionLockTests {
  let folder = TemporaryFolder("state")

  private func lock(_ session: SessionKey = .sample) throws -> SessionLock {
    try SessionLock(folder: folder.path, session: session)
  }

  @Test func `W31 a session is held by one, whose pid the second is told`() throws {
    let first = try lock()
    let refusal = #expect(throws: SessionLock.Refusal.self) { try lock() }
    #expect(refusal == .held(.sample, by: getpid()))
    #expect(refusal?.failure.code == .inUse && refusal?.failure.exitStatus.rawValue == 14)
    #expect(refusal?.failure.message.contains(SessionKey.sample.gateway) == true)
    let theirs = SessionLock.Refusal.held(.sample, by: 1).failure
    #expect(theirs.message.hasSuffix("is held by process 1"))
    withExtendedLifetime(first) {}
  }

  @Test func `other devices and gateways are other sessions`() throws {
    let first = try lock()
    let others = [
      try lock(.other), try lock(SessionKey(gateway: SessionKey.sample.gateway, device: "another")),
      try lock(SessionKey(gateway: "a\nb", device: "c")),
    ]
    #expect(TestFiles.names(in: folder.path("sessions")).count == 4)
    withExtendedLifetime((first, others)) {}
  }

  @Test func `a session is free when its holder is gone, whatever its file says`() throws {
    var first: SessionLock? = try lock()
    withExtendedLifetime(first) {}
    first = nil
    let path = folder.path("sessions/\(TestFiles.names(in: folder.path("sessions"))[0])")
    TestFiles.write(Array("1\n and more of it than a pid".utf8), to: path)
    let second = try lock()
    #expect(TestFiles.text(path) == "\(getpid())\n")
    #expect(TestFiles.mode(path) == 0o600)
    #expect(TestFiles.mode(folder.path("sessions")) == 0o700)
    withExtendedLifetime(second) {}
  }

  @Test func `of many who take at the same moment one has it at a time`() async throws {
    let path = folder.path
    let holders = Guarded(0)
    let won = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<100).reduce(0) { won, _ in
            guard let lock = try? SessionLock(folder: path, session: .sample) else { return won }
            #expect(
              holders.withLock {
                $0 += 1; return $0
              } == 1)
            holders.withLock { $0 -= 1 }
            withExtendedLifetime(lock) {}
            return won + 1
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(won > 0)
  }

  @Test func `a link in place of the file is not followed`() throws {
    _ = try lock()
    let path = folder.path("sessions/\(TestFiles.names(in: folder.path("sessions"))[0])")
    let elsewhere = folder.write("precious", to: "elsewhere")
    #expect(unlink(path) == 0 && symlink(elsewhere, path) == 0)
    #expect(throws: SessionLock.Refusal.self) { try lock() }
    #expect(TestFiles.text(elsewhere) == "precious")
  }
}
