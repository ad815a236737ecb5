import Core
import TestKit
import Testing

@testable import Curl

@Suite struct HeaderFieldsTests {
  private func read(_ text: String, keepsFields: Bool = true) -> [HeaderReader.Verdict] {
    var reader = HeaderReader(now: { 0 })
    reader.keepsFields = keepsFields
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
      let verdict = (Array(line.utf8) + [13, 10]).withUnsafeBytes { reader.line($0) }
      return verdict == .more ? nil : verdict
    }
  }

  private let head = """
    HTTP/1.1 204 Fine\r
    uPLOAD-offset: \t 70 \r
    Link: a,\r
     \t b\r
    link: c\r
    no colon\r
    : no name\r
    Empty:\r
    \r

    """

  @Test func `every field is kept as it came, and found in any case`() {
    guard case .final(let head) = read(head).first else {
      Issue.record("no head")
      return
    }
    #expect(head.fields.lines.map(\.name) == ["uPLOAD-offset", "Link", "link", "Empty"])
    #expect(head.fields["Upload-Offset"] == "70")
    #expect(head.fields["LINK"] == "a, b, c")
    #expect(head.fields["empty"] == "")
    #expect(head.fields["upload_offset"] == nil && head.fields["upload"] == nil && head.fields[""] == nil)
  }

  @Test func `no field is kept that nobody asked for, and no informational head told`() {
    let verdicts = read("HTTP/1.1 104 Early\r\nLocation: /x\r\n\r\n" + head, keepsFields: false)
    #expect(verdicts == [.final(ResponseHead(status: 204))])
  }

  @Test func `informational heads come one by one, however many they are`() {
    let early = "HTTP/1.1 104 Early\r\nUpload-Offset: 7\r\nX: \(String(repeating: "x", count: 1000))\r\n\r\n"
    let verdicts = read(String(repeating: early, count: 1000) + head)
    #expect(verdicts.count == 1001)
    let isEach = verdicts.dropLast().allSatisfy { verdict in
      if case .informational(let head) = verdict { head.fields["upload-offset"] == "7" } else { false }
    }
    #expect(isEach)
  }

  @Test func `noise gives heads below 200 and at most one above`() {
    let pieces = ["HTTP/1.1 200 OK", "HTTP/1.1 104 E", "HTTP/2 206", " ", "\t", "A:", ":", "b: c", "\r\n", "\r\n", "é"]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let verdicts = read(random.text(of: pieces, maxCount: 24) + "\r\n")
      let finals = verdicts.filter { if case .informational(let head) = $0 { head.status >= 200 } else { true } }
      #expect(finals.count <= 1, "SEED=\(seed)")
    }
  }
}
