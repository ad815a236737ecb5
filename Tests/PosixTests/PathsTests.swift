import TestKit
import Testing

@testable import Posix

@Suite struct PathsTests {
  @Test func `a path without links is where it leads to, or itself while nothing is there`() throws {
    let folder = TemporaryFolder("paths")
    let file = folder.write("x", to: "file")
    TestFiles.link(to: "file", at: folder.path("link"))
    TestFiles.link(to: folder.path, at: folder.path("loop"))
    #expect(try Files.withoutLinks(folder.path("link")) == Files.withoutLinks(file))
    #expect(try Files.withoutLinks(folder.path("loop/loop/link")) == Files.withoutLinks(file))
    #expect(try Files.withoutLinks(folder.path("none")) == folder.path("none"))
    #expect(throws: Errno.self) { try Files.withoutLinks("\(file)/x") }
  }

  @Test(arguments: [
    ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b/", "/a", "b"), ("/", "/", ""), ("//", "/", ""),
    ("//a//b//", "//a", "b"), ("/\u{301}a/\u{301}b", "/\u{301}a", "\u{301}b"), ("", ".", ""), ("./a", ".", "a"),
    ("é/ü", "é", "ü"), ("../", ".", ".."),
  ])
  func `a path falls into folder and last name`(path: String, folder: String, name: String) {
    #expect(Paths.folder(path) == folder)
    #expect(Paths.lastName(path) == name)
  }

  @Test(arguments: [
    ("/a/./b/../c", "/a/c"), ("/..", "/"), ("/../../a", "/a"), ("//a//b/", "/a/b"), ("/", "/"),
    ("/.../..a", "/.../..a"),
  ])
  func `dots and double slashes go`(path: String, normal: String) throws {
    #expect(try Paths.absolute(path) == normal)
  }

  @Test func `a relative path starts in the current folder`() throws {
    let here = try Paths.currentFolder()
    #expect(here.hasPrefix("/"))
    #expect(try Paths.absolute("x/y") == Paths.join(here, "x/y"))
    #expect(try Paths.absolute(".") == here)
    #expect(try Paths.absolute("") == here)
  }

  @Test(arguments: [
    ("a", "b", "a/b"), ("/", "b", "/b"), ("a/", "b", "a/b"), ("a", "/b", "/b"), ("", "b", "b"),
  ])
  func `a name is put below a folder`(folder: String, name: String, path: String) {
    #expect(Paths.join(folder, name) == path)
  }

  @Test(arguments: Seeds.fromEnvironment(count: 50))
  func `whatever the path, an absolute one has neither dots nor empty names`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      // NULs too: paths as text don't mind, the calls refuse them.
      let path = "/" + random.text(of: ["/", "//", ".", "..", "a", "ü", " ", "...", "\\", "\0"], maxCount: 12)
      let absolute = try Paths.absolute(path)
      let names = absolute.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      #expect(absolute == "/" || names.allSatisfy { !["", ".", ".."].contains(String($0)) }, "seed \(seed), \(path)")
      #expect(absolute.utf8.first == UInt8(ascii: "/"), "seed \(seed), \(path)")
      #expect(try Paths.absolute(absolute) == absolute, "seed \(seed), \(path)")
      let parts = (Paths.folder(absolute), Paths.lastName(absolute))
      #expect(parts.1.isEmpty ? absolute == "/" : Paths.join(parts.0, parts.1) == absolute, "seed \(seed), \(path)")
    }
  }
}
