import Glibc
import TestKit
import Testing

@testable import Posix

@Suite struct DescriptorTests {
  let folder = TemporaryFolder("posix")

  @Test func `bytes are read from where they were written`() throws {
    let file = try Files.createExclusively(folder.path("a"))
    try file.writeAll([1, 2, 3], at: 10)
    var room = [UInt8](repeating: 9, count: 8)
    #expect(try file.read(into: &room, at: 9) == 4)
    #expect(room == [0, 1, 2, 3, 9, 9, 9, 9])
    #expect(try file.read(into: &room, at: 13) == 0)
    #expect(try file.status().byteCount == 13)
  }

  @Test func `writing into what is open to read says so`() throws {
    folder.write("x", to: "a")
    let file = try Files.openToRead(folder.path("a"))
    #expect(throws: Errno.badDescriptor) { try file.writeAll([1], at: 0) }
  }

  @Test func `a file is read as a whole up to a limit`() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    folder.write(bytes, to: "a")
    #expect(try Files.readAll(folder.path("a"), maxByteCount: 200_000) == bytes)
    #expect(throws: Errno.fileTooLarge) { try Files.readAll(folder.path("a"), maxByteCount: 199_999) }
    #expect(try Files.readAll(folder.write("", to: "b"), maxByteCount: 0) == [])
  }

  @Test func `a closed descriptor's number is free`() throws {
    let file = try Files.createExclusively(folder.path("a"))
    let raw = file.rawValue
    #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
    let path = "/proc/self/fd/\(raw)"
    #expect(Links.target(path) == folder.path("a"))
    try file.close()
    #expect(Links.target(path) != folder.path("a"))
  }

  @Test func `a descriptor that goes closes its number`() throws {
    var raw: Int32 = -1
    do {
      let file = try Files.createExclusively(folder.path("a"))
      raw = file.rawValue
    }
    #expect(Links.target("/proc/self/fd/\(raw)") != folder.path("a"))
  }

  @Test func `a number that was given away stays open`() throws {
    let raw = try Files.createExclusively(folder.path("a")).release()
    #expect(Links.target("/proc/self/fd/\(raw)") == folder.path("a"))
    try Descriptor(owning: raw).close()
  }

  @Test func `reserved room doesn't show in the length`() throws {
    let file = try Files.createExclusively(folder.path("a"))
    #expect(try file.reserve(byteCount: 0))
    if try file.reserve(byteCount: 1 << 20) {
      var status = stat()
      #expect(fstat(file.rawValue, &status) == 0 && status.st_blocks * 512 >= 1 << 20)
    }
    #expect(try file.status().byteCount == 0)
  }

  @Test func `a file is cut off`() throws {
    let file = try Files.createExclusively(folder.path("a"))
    try file.writeAll([1, 2, 3], at: 0)
    try file.truncate(byteCount: 2)
    #expect(try file.readAll(maxByteCount: 10) == [1, 2])
  }

  @Test func `a file and its folder are synced`() throws {
    let place = try Files.openFolder(folder.path)
    let file = try Files.createExclusively("a", in: place)
    try file.syncData()
    try file.sync()
    try file.syncFileSystem()
    try place.sync()
    #expect(try file.freeByteCount() > 0)
    #expect(try Files.freeByteCount(at: folder.path) > 0)
  }

  @Test func `only one open file has the exclusive lock`() throws {
    let one = try Files.createExclusively(folder.path("a"))
    do {
      let other = try Files.openToRead(folder.path("a"))
      #expect(try one.lock(.exclusive))
      #expect(try !other.lock(.exclusive))
      #expect(try !other.lock(.shared))
      #expect(try one.lock(.shared))
      #expect(try other.lock(.shared))
      #expect(try !one.lock(.exclusive))
    }
    #expect(try one.lock(.exclusive), "the other one is closed")
  }
}
