#if DEBUG
  import TestKit
  import Testing

  @testable import Posix

  @Suite struct FaultPlanTests {
    let folder = TemporaryFolder("posix")
    let bytes = [UInt8](0..<200)

    private func written(_ faults: [FaultPlan.Fault], hits: Int = 1) throws -> [UInt8]? {
      try FaultPlan.enforce(faults, below: folder.path) { plan in
        let file = try Files.createExclusively(folder.path("a"))
        try file.writeAll(bytes, at: 0)
        #expect(plan.hitCount == hits)
        return TestFiles.read(folder.path("a"))
      }
    }

    @Test func `an interrupted call is made again`() throws {
      #expect(
        try written(
          [.fail(.pwrite, with: .interrupted, onCall: 1), .fail(.open, with: .interrupted, onCall: 1)], hits: 2)
          == bytes)
    }

    @Test func `what a short write leaves is written too`() throws {
      #expect(
        try written([.short(.pwrite, byteCount: 100, onCall: 1), .short(.pwrite, byteCount: 7, onCall: 2)], hits: 2)
          == bytes)
    }

    @Test func `a write that moves nothing ends in an error`() {
      #expect(throws: Errno.ioError) { try written([.short(.pwrite, byteCount: 0, onCall: 1)]) }
    }

    @Test func `the call that was named fails, and no other`() throws {
      try FaultPlan.enforce([.fail(.pwrite, with: .noSpace, onCall: 2)], below: folder.path) { plan in
        let file = try Files.createExclusively(folder.path("a"))
        try file.writeAll([1], at: 0)
        #expect(throws: Errno.noSpace) { try file.writeAll([2], at: 1) }
        try file.writeAll([2], at: 1)
        #expect(plan.callCount(.pwrite) == 3 && plan.hitCount == 1)
      }
    }

    @Test func `from the call on that was named, all fail`() throws {
      try FaultPlan.enforce([.failAll(.fdatasync, with: .ioError, fromCall: 2)], below: folder.path) { _ in
        let file = try Files.createExclusively(folder.path("a"))
        try file.syncData()
        for _ in 0..<3 { #expect(throws: Errno.ioError) { try file.syncData() } }
      }
    }

    @Test func `what is outside the folder, and after the plan, works`() throws {
      let other = TemporaryFolder("posix")
      try FaultPlan.enforce([.failAll(.open, with: .noSpace, fromCall: 1)], below: folder.path) { _ in
        _ = try Files.createExclusively(other.path("a"))
        #expect(throws: Errno.noSpace) { _ = try Files.createExclusively(folder.path("a")) }
        let place = try Files.openFolder("/tmp")
        _ = try place.status()
      }
      _ = try Files.createExclusively(folder.path("a"))
    }

    @Test func `a close that fails is told`() throws {
      FaultPlan.enforce([.fail(.close, with: .ioError, onCall: 1)], below: folder.path) { _ in
        #expect(throws: Errno.ioError) {
          let file = try Files.createExclusively(folder.path("a"))
          try file.close()
        }
      }
    }

    @Test(arguments: [Errno.invalid, .notImplemented])
    func `a file system without the flag gets a hard link instead`(error: Errno) throws {
      folder.write("new", to: "a")
      folder.write("old", to: "b")
      let place = try Files.openFolder(folder.path)
      try FaultPlan.enforce([.failAll(.rename, with: error, fromCall: 1)], below: folder.path) { plan in
        #expect(throws: Errno.exists) { try Files.renameNoReplace("a", to: "b", in: place) }
        try Files.renameNoReplace("a", to: "c", in: place)
        #expect(plan.callCount(.link) == 2)
      }
      #expect(folder.names == ["b", "c"])
      #expect(TestFiles.read(folder.path("b")) == Array("old".utf8))
    }

    @Test(arguments: [Errno.notSupported, .notImplemented])
    func `room is not reserved where that cannot be`(error: Errno) throws {
      try FaultPlan.enforce([.failAll(.fallocate, with: error, fromCall: 1)], below: folder.path) { _ in
        let file = try Files.createExclusively(folder.path("a"))
        #expect(try !file.reserve(byteCount: 10))
      }
    }

    @Test(arguments: [Syscall.pwrite, .fsync, .rename])
    func `a small file that cannot be replaced stays as it was`(call: Syscall) throws {
      let path = folder.path("a")
      try Files.writeAtomically([1], to: path)
      FaultPlan.enforce([.fail(call, with: .noSpace, onCall: 1)], below: folder.path) { _ in
        #expect(throws: Errno.noSpace) { try Files.writeAtomically([2], to: path) }
      }
      #expect(try Files.readAll(path, maxByteCount: 10) == [1])
      #expect(folder.names == ["a"])
    }

    @Test func `a folder that cannot be read to its end is not taken for a short one`() throws {
      for name in ["a", "b", "c"] { folder.write("", to: name) }
      FaultPlan.enforce([.fail(.readdir, with: .ioError, onCall: 3)], below: folder.path) { _ in
        #expect(throws: Errno.ioError) { try Files.names(in: folder.path) }
      }
    }

    @Test func `a plan holds across a suspension, and on other threads`() async throws {
      try await FaultPlan.enforce([.failAll(.mkdir, with: .readOnly, fromCall: 1)], below: folder.path) { plan in
        await Task.yield()
        let path = folder.path("a")
        let thread = Thread(name: "test") { #expect(throws: Errno.readOnly) { try Files.makeFolders(path) } }
        thread.join()
        #expect(plan.hitCount == 1)
      }
    }
  }
#endif
