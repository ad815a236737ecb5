import TestKit
import Testing

@testable import Gateway

private let later = HTTPDate(secondsSince1970: now - 500).text
private let earlier = HTTPDate(secondsSince1970: now - 2000).text

/// One row: what a GET says and the status it gets.
struct Precondition: Sendable, CustomTestStringConvertible {
  let fields: [(String, String)]
  let status: Int
  var testDescription: String { fields.map { "\($0.0): \($0.1)" }.joined(separator: ", ") }
}

/// RFC 9110 §13.1 and §13.2.2.
@Suite struct PreconditionTests {
  static let rows = [
    Precondition(fields: [("If-Match", tag)], status: 200),
    Precondition(fields: [("If-Match", "*")], status: 200),
    Precondition(fields: [("If-Match", "\"a,b\" , \(tag)")], status: 200),
    Precondition(fields: [("If-Match", "\"other\"")], status: 412),
    Precondition(fields: [("If-Match", "W/\(tag)")], status: 412),
    Precondition(fields: [("If-Match", "")], status: 412),
    Precondition(fields: [("If-Match", "\"other\""), ("If-None-Match", tag)], status: 412),
    Precondition(fields: [("If-Unmodified-Since", modified)], status: 200),
    Precondition(fields: [("If-Unmodified-Since", earlier)], status: 412),
    Precondition(fields: [("If-Unmodified-Since", "yesterday")], status: 200),
    Precondition(fields: [("If-Match", tag), ("If-Unmodified-Since", earlier)], status: 200),
    Precondition(fields: [("If-None-Match", tag)], status: 304),
    Precondition(fields: [("If-None-Match", "W/\(tag)")], status: 304),
    Precondition(fields: [("If-None-Match", "*")], status: 304),
    Precondition(fields: [("If-None-Match", "\"other\"")], status: 200),
    Precondition(fields: [("If-None-Match", "\"other\""), ("If-Modified-Since", later)], status: 200),
    Precondition(fields: [("If-Modified-Since", modified)], status: 304),
    Precondition(fields: [("If-Modified-Since", later)], status: 304),
    Precondition(fields: [("If-Modified-Since", earlier)], status: 200),
    Precondition(fields: [("If-None-Match", tag), ("Range", "bytes=0-1")], status: 304),
    Precondition(fields: [("If-Match", "\"other\""), ("Range", "bytes=0-1")], status: 412),
    Precondition(fields: [("If-Range", tag), ("Range", "bytes=0-1")], status: 206),
    Precondition(fields: [("If-Range", "\"other\""), ("Range", "bytes=0-1")], status: 200),
    Precondition(fields: [("If-Range", "W/\(tag)"), ("Range", "bytes=0-1")], status: 200),
    Precondition(fields: [("If-Range", modified), ("Range", "bytes=0-1")], status: 206),
    Precondition(fields: [("If-Range", later), ("Range", "bytes=0-1")], status: 200),
    Precondition(fields: [("If-Range", earlier), ("Range", "bytes=0-1")], status: 200),
    Precondition(fields: [("If-Range", "junk"), ("Range", "bytes=0-1")], status: 200),
    Precondition(fields: [("If-Range", "\"other\""), ("Range", "bytes=5000-")], status: 200),
    Precondition(fields: [("If-Range", tag)], status: 200),
  ]

  @Test(arguments: rows) func `preconditions are weighed in the RFC's order`(row: Precondition) {
    let request = RequestHead("GET", "/media/film.mp4", row.fields.map { HeaderField($0.0, $0.1) })
    #expect(plan(request).status == row.status)
  }

  @Test func `304 carries the validators and nothing of the content`() {
    let answer = plan(get(("If-None-Match", tag)))
    #expect(answer.fields == [HeaderField("ETag", tag), HeaderField("Last-Modified", modified)])
    #expect(answer.body == .nothing(insteadOfByteCount: 1000))
  }

  @Test func `a date within its own second is no ground for a range`() {
    let fresh = FileEntity(name: "f", byteCount: 9, device: 1, inode: 2, modifiedNanoseconds: now * 1_000_000_000)
    let date = HTTPDate(secondsSince1970: now).text
    #expect(plan(get(("If-Range", date), ("Range", "bytes=0-1")), fresh).status == 200)
  }

  @Test func `a weak tag of ours never carries a range`() {
    let request = get(("If-Range", "W/" + tag), ("Range", "bytes=0-1"))
    #expect(plan(request, faults: [FaultSpec(fault: .weakTag)]).status == 200)
    #expect(plan(get(("If-Match", "W/" + tag)), faults: [FaultSpec(fault: .weakTag)]).status == 412)
  }

  @Test(arguments: [
    ("*", TagList.any), (" * ", .any), ("", .tags([])), ("\"a\"", .tags(["\"a\""])),
    ("W/\"a\", \"b,c\",, \"\"", .tags(["W/\"a\"", "\"b,c\"", "\"\""])), ("\"a\", b, \"c\"", .tags(["\"a\""])),
    ("\"open", .tags([])),
  ])
  func `a list of tags splits outside the quotes only`(text: String, list: TagList) {
    #expect(TagList(text) == list)
  }

  @Test func `whatever a list holds, its tags are quoted`() {
    let pieces = ["\"", "W/", ",", " ", "a", "*", "\t", "\"x\"", "\r\n"]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      guard case .tags(let tags) = TagList(random.text(of: pieces, maxCount: 8)) else { continue }
      #expect(tags.allSatisfy { $0.hasSuffix("\"") && ($0.hasPrefix("\"") || $0.hasPrefix("W/\"")) }, "SEED=\(seed)")
    }
  }
}
