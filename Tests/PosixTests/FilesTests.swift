import Glibc
import TestKit
import Testing

@testable import Posix

@Suite struct FilesTests {
  let folder = TemporaryFolder("posix")

  @Test func `a new file is private`() throws {
    let place = try Files.openFolder(folder.path)
    #expect(try Files.createExclusively("a", in: place).status().mode == 0o600)
    #expect(try Files.createExclusively(folder.path("b")).status().mode == 0o600)
  }

  @Test func `a taken name is not created again, not even through a link`() throws {
    let place = try Files.openFolder(folder.path)
    folder.write("x", to: "taken")
    #expect(symlink("nowhere", folder.path("link")) == 0)
    for name in ["taken", "link"] {
      #expect(throws: Errno.exists) { _ = try Files.createExclusively(name, in: place) }
      #expect(throws: Errno.exists) { _ = try Files.createExclusively(folder.path(name)) }
    }
    #expect(folder.names == ["link", "taken"])
  }

  @Test func `a link is never opened as a file of ours`() throws {
    let place = try Files.openFolder(folder.path)
    folder.write("x", to: "target")
    #expect(symlink("target", folder.path("link")) == 0)
    #expect(throws: Errno.tooManySymlinks) { _ = try Files.openExisting("link", in: place) }
    #expect(throws: Errno.tooManySymlinks) { _ = try Files.openExisting("link", in: place, writing: true) }
    #expect(throws: Errno.tooManySymlinks) { _ = try Files.openExisting(folder.path("link")) }
    #expect(throws: Errno.tooManySymlinks) { try Files.readAll(folder.path("link"), maxByteCount: 9) }
    #expect(try Files.openToRead(folder.path("link")).readAll(maxByteCount: 9) == Array("x".utf8))
  }

  @Test func `a FIFO at a file's place holds no one up`() throws {
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    #expect(try Files.openExisting("fifo", in: Files.openFolder(folder.path)).status().kind == .other)
  }

  @Test func `a missing file is not found`() throws {
    let place = try Files.openFolder(folder.path)
    #expect(throws: Errno.notFound) { _ = try Files.openExisting("a", in: place) }
    #expect(throws: Errno.notFound) { try Files.status(folder.path("a")) }
    #expect(throws: Errno.notFound) { try Files.unlink("a", in: place) }
    #expect(throws: Errno.notFound) { try Files.unlink(folder.path("a")) }
    #expect(throws: Errno.notFound) { _ = try Files.openFolder(folder.path("a")) }
    try Files.unlink("a", in: place, ifThere: true)
    try Files.unlink(folder.path("a"), ifThere: true)
    #expect(try Files.statusIfThere(folder.path("a")) == nil)
  }

  @Test func `a NUL ends no name early`() throws {
    let place = try Files.openFolder(folder.path)
    #expect(throws: Errno.invalid) { _ = try Files.createExclusively("a\0b", in: place) }
    #expect(throws: Errno.invalid) { try Files.makeFolders(folder.path("a\0b")) }
    folder.write("x", to: "a")
    #expect(throws: Errno.invalid) { try Files.unlink("a\0b", in: place) }
    #expect(throws: Errno.invalid) { try Files.rename("a", to: "b\0c", in: place) }
    #expect(folder.names == ["a"])
  }

  @Test func `the kinds of files are told apart`() throws {
    folder.write("abc", to: "file")
    #expect(symlink("file", folder.path("link")) == 0)
    #expect(try Files.status(folder.path).kind == .folder)
    #expect(try Files.status(folder.path("file")).kind == .file)
    #expect(try Files.status(folder.path("link")).kind == .file)
    #expect(try Files.status(folder.path("link"), followsLinks: false).kind == .link)
    #expect(try Files.status("link", in: Files.openFolder(folder.path)).kind == .link)
    #expect(try Files.status("/dev/null").kind == .other)
    #expect(throws: Errno.notFolder) { _ = try Files.openFolder(folder.path("file")) }
  }

  @Test func `a name is taken by a link that leads nowhere`() {
    #expect(symlink("nowhere", folder.path("link")) == 0)
    #expect(Files.isThere(folder.path("link")))
    #expect(!Files.isThere(folder.path("other")))
    #expect(!Files.isThere(folder.path("other/below")))
  }

  @Test func `a status tells identity, links and time`() throws {
    let path = folder.write("abc", to: "a")
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    #expect(Glibc.link(path, folder.path("b")) == 0)
    let status = try Files.status(path)
    #expect(status.byteCount == 3 && status.linkCount == 2 && status.modifiedNanoseconds == 1_700_000_000_123_456_789)
    let other = try Files.status(folder.path("b"))
    #expect((other.device, other.inode) == (status.device, status.inode))
    #expect(status.ownerID == Process.userID)
  }

  @Test func `a file gets another name in place of an older file`() throws {
    folder.write("new", to: "a")
    folder.write("old", to: "b")
    try Files.rename("a", to: "b", in: Files.openFolder(folder.path))
    #expect(folder.names == ["b"])
    try Files.rename(folder.path("b"), to: folder.path("c"))
    #expect(TestFiles.read(folder.path("c")) == Array("new".utf8))
  }

  @Test func `a file gets another name only where that is free`() throws {
    let place = try Files.openFolder(folder.path)
    folder.write("new", to: "a")
    folder.write("old", to: "b")
    #expect(symlink("nowhere", folder.path("link")) == 0)
    #expect(throws: Errno.exists) { try Files.renameNoReplace("a", to: "b", in: place) }
    #expect(throws: Errno.exists) { try Files.renameNoReplace("a", to: "link", in: place) }
    try Files.renameNoReplace("a", to: "c", in: place)
    #expect(folder.names == ["b", "c", "link"])
    #expect(TestFiles.read(folder.path("b")) == Array("old".utf8))
  }
}

@Suite struct FolderTests {
  let folder = TemporaryFolder("posix")

  @Test func `missing folders are made, with those above`() throws {
    let path = folder.path("a/b/c")
    try Files.makeFolders(path)
    try Files.makeFolders(path)
    try Files.makeFolders("\(path)/")
    for made in ["a", "a/b", "a/b/c"] { #expect(try Files.status(folder.path(made)).mode == 0o700) }
    try Files.makeFolders("/")
    // A file system that makes none says so, once.
    #expect(throws: Errno.notFound) { try Files.makeFolders("/proc/none/state") }
  }

  @Test func `a link to a folder is one, a file is not`() throws {
    folder.folder("real")
    #expect(symlink("real", folder.path("link")) == 0)
    try Files.makeFolders(folder.path("link/below"))
    folder.write("x", to: "file")
    #expect(throws: Errno.notFolder) { try Files.makeFolders(folder.path("file")) }
    #expect(throws: Errno.notFolder) { try Files.makeFolders(folder.path("file/below")) }
    #expect(symlink("nowhere", folder.path("dangling")) == 0)
    #expect(throws: Errno.notFound) { try Files.makeFolders(folder.path("dangling")) }
  }

  @Test func `the names in a folder are listed`() throws {
    for name in [".hidden", "a", "zä"] { folder.write("", to: name) }
    folder.folder("folder")
    #expect(try Files.names(in: folder.path).sorted() == [".hidden", "a", "folder", "zä"])
    #expect(try Files.names(in: folder.path("folder")).isEmpty)
    #expect(throws: Errno.notFolder) { try Files.names(in: folder.path("a")) }
    try Files.removeFolder(folder.path("folder"))
    #expect(throws: Errno.notFound) { try Files.names(in: folder.path("folder")) }
  }

  @Test func `a small file is replaced as a whole`() throws {
    let path = folder.path("a")
    try Files.writeAtomically([1, 2], to: path)
    try Files.writeAtomically([3], to: path)
    #expect(try Files.readAll(path, maxByteCount: 10) == [3])
    #expect(try Files.status(path).mode == 0o600)
    #expect(folder.names == ["a"])
    #expect(throws: Errno.notFound) { try Files.writeAtomically([1], to: folder.path("no/a")) }
  }
}
