import TestKit
import Testing

@testable import Gateway

@Suite struct RouteTests {
  @Test(arguments: [
    ("/", Route.welcome), ("/media/a.bin", .media(["a.bin"])), ("/media/b/c/d", .media(["b", "c", "d"])),
    ("/media/a%20b%C3%A9", .media(["a bé"])), ("/media/100%25", .media(["100%"])), ("/media/a+b", .media(["a+b"])),
  ])
  func `paths lead to files by name`(path: String, route: Route) {
    #expect(Route(path) == route)
  }

  @Test(arguments: [
    "/media", "/media/", "/media//a", "/media/a/", "/media/..", "/media/../a", "/media/%2e%2e/a", "/media/a/%2E%2e/b",
    "/media/.", "/media/.x", "/media/%2Ehidden", "/media/a%2Fb", "/media/..%2fetc", "/media/%2F", "/other", "//media/a",
    "/Media/a", "/%2Fmedia/a", "/media%2Fa", "/media/.git/config",
  ])
  func `nothing outside, hidden or nameless is reached`(path: String) {
    #expect(Route(path) == .unknown)
  }

  @Test(arguments: [
    "", "media/a", "*", "/media/%", "/media/%4", "/media/%zz", "/media/%00", "/media/a%00.bin", "/media/%FF",
  ])
  func `broken escapes, NULs and other encodings are malformed`(path: String) {
    #expect(Route(path) == .malformed)
  }

  @Test func `whatever random path is taken, its names stay inside`() {
    let pieces = ["/", "/media/", ".", "..", "%2e", "%2F", "%", "a", "%00", "é", "\\", "%C3"]
    for seed in Seeds.fromEnvironment(count: 3000) {
      var random = SeededRandom(seed: seed)
      guard case .media(let names) = Route("/media/" + random.text(of: pieces, maxCount: 8)) else { continue }
      #expect(!names.isEmpty && names.allSatisfy { !$0.isEmpty && $0.first != "." }, "SEED=\(seed)")
      #expect(names.allSatisfy { !$0.contains("/") && !$0.contains("\0") }, "SEED=\(seed)")
    }
  }
}

@Suite struct MediaNamingTests {
  @Test(arguments: [
    ("a b.txt", "attachment; filename=\"a b.txt\""),
    ("é.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%A9.txt"),
    ("a\"b\\c.txt", "attachment; filename=\"a_b_c.txt\"; filename*=UTF-8''a%22b%5Cc.txt"),
    ("50%.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"),
    ("a\r\nX: y", "attachment; filename=\"a__X: y\"; filename*=UTF-8''a%0D%0AX%3A%20y"),
  ])
  func `a name is told plainly and, where that loses something, exactly`(name: String, value: String) {
    #expect(MediaNaming.contentDisposition(name) == value)
  }

  @Test(arguments: [
    ("a.MP4", "video/mp4"), ("a.tar.gz", "application/gzip"), ("a", "application/octet-stream"),
    ("a.", "application/octet-stream"), ("a.bin", "application/octet-stream"),
  ])
  func `the extension tells the media type`(name: String, type: String) {
    #expect(MediaNaming.contentType(name) == type)
  }

  @Test func `altered content differs in every byte`() {
    var bytes = (0...255).map { UInt8($0) }
    let original = bytes
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    AlteredContent.alter(&raw)
    #expect(zip(bytes, original).allSatisfy { $0 != $1 })
  }
}
