import Core
import TestKit
import Testing

@testable import Curl

@Suite struct HeaderReaderTests {
  /// The verdicts that are not `.more`, line by line.
  private func read(_ text: String, now: Double = 0) -> [HeaderReader.Verdict] { read(Array(text.utf8), now: now) }

  private func read(_ bytes: [UInt8], now: Double = 0) -> [HeaderReader.Verdict] {
    var reader = HeaderReader(now: { now })
    return bytes.split(separator: 10, omittingEmptySubsequences: false).compactMap { part in
      let verdict = (Array(part) + [10]).withUnsafeBytes { reader.line($0) }
      return verdict == .more ? nil : verdict
    }
  }

  private func head(_ text: String, now: Double = 0) -> ResponseHead? {
    if case .final(let head) = read(text, now: now).first { head } else { nil }
  }

  @Test func `every field is found whatever its case`() {
    let head = head(
      """
      HTTP/1.1 206 Partial Content\r
      eTaG: "a"\r
      LAST-MODIFIED: Tue, 15 Nov 1994 12:45:26 GMT\r
      Date: Tue, 15 Nov 1994 12:46:26 GMT\r
      content-length:5\r
      Content-Range: \t bytes 0-4/10 \r
      Content-Encoding: gzip\r
      Content-Type: text/plain\r
      Content-Disposition: attachment; filename=x\r
      Accept-Ranges: bytes\r
      Location: /there\r
      Retry-After: 120\r
      Repr-Digest: sha-256=:AA==:\r
      Content-Digest: sha-512=:BB==:\r
      WWW-Authenticate: Basic realm="r"\r
      X-Other: y\r
      \r

      """)
    var expected = ResponseHead(status: 206)
    expected.entityTag = "\"a\""
    expected.lastModified = "Tue, 15 Nov 1994 12:45:26 GMT"
    expected.lastModifiedTime = 784_903_526
    expected.date = 784_903_586
    expected.contentLength = 5
    expected.contentRange = "bytes 0-4/10"
    expected.contentEncoding = "gzip"
    expected.contentType = "text/plain"
    expected.contentDisposition = "attachment; filename=x"
    expected.acceptRanges = "bytes"
    expected.location = "/there"
    expected.retryAfterSeconds = 120
    expected.reprDigest = "sha-256=:AA==:"
    expected.contentDigest = "sha-512=:BB==:"
    expected.authenticate = "Basic realm=\"r\""
    #expect(head == expected)
  }

  @Test func `informational heads leave nothing behind`() {
    let head = head("HTTP/1.1 103 Early\r\nETag: \"early\"\r\n\r\nHTTP/1.1 200 OK\r\nDate: x\r\n\r\n")
    #expect(head == ResponseHead(status: 200))
  }

  @Test func `HTTP 2 shares its connection`() {
    #expect(head("HTTP/2 200 \r\n\r\n")?.isMultiplexed == true)
    #expect(head("HTTP/1.0 200 OK\r\n\r\n")?.isMultiplexed == false)
  }

  @Test func `of a single field the first line counts, lists go on`() {
    let head = head(
      "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nETag: \"b\"\r\nLocation: /1\r\nLocation: /2\r\nAccept-Ranges: none\r\n"
        + "Accept-Ranges: bytes\r\nLast-Modified: x\r\nLast-Modified: y\r\n\r\n")
    #expect(head?.entityTag == "\"a\"")
    #expect(head?.location == "/1")
    #expect(head?.acceptRanges == "none, bytes")
    #expect(head?.lastModified == "x")
  }

  @Test func `two lengths or two ranges that differ are refused`() {
    #expect(
      read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n")
        == [.refused("the response has two lengths, 5 and 7 bytes")])
    #expect(
      read("HTTP/1.1 206 P\r\nContent-Range: bytes 0-1/9\r\nContent-Range: bytes 1-2/9\r\n\r\n")
        == [.refused("the response has two ranges, bytes 0-1/9 and bytes 1-2/9")])
    #expect(head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n")?.contentLength == 5)
  }

  @Test func `a length beside chunks does not count`() {
    let head = head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(head != nil)
    #expect(head?.contentLength == nil)
  }

  @Test(arguments: ["-1", "0x10", "5 5", "", "99999999999999999999", "+5"])
  func `a length that is no number is none`(_ value: String) {
    let head = head("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\n")
    #expect(head != nil)
    #expect(head?.contentLength == nil)
  }

  @Test func `a folded line continues the one before`() {
    let head = head(
      "HTTP/1.1 200 OK\r\nContent-Disposition: attachment;\r\n  filename=x\r\nX-Other: a\r\n ETag: \"no\"\r\n\r\n")
    #expect(head?.contentDisposition == "attachment; filename=x")
    #expect(head?.entityTag == nil)
  }

  @Test func `trailers are passed over, even those that look like a head`() {
    let verdicts = read("HTTP/1.1 200 OK\r\n\r\nETag: \"late\"\r\nHTTP/1.1 206 Again\r\nETag: \"x\"\r\n\r\n")
    #expect(verdicts == [.final(ResponseHead(status: 200))])
  }

  @Test func `a header that never ends is refused`() {
    let line = "X: " + String(repeating: "x", count: 1021)
    let verdicts = read("HTTP/1.1 200 OK\r\n" + String(repeating: line + "\n", count: 300) + "\r\n")
    #expect(verdicts.first == .refused("the response's header is over 262144 bytes"))
  }

  @Test func `Retry-After is seconds or a date`() {
    func wait(_ value: String) -> Double? {
      head("HTTP/1.1 503 Busy\r\nRetry-After: \(value)\r\n\r\n", now: 784_903_526)?.retryAfterSeconds
    }
    #expect(wait("0") == 0)
    #expect(wait("7") == 7)
    #expect(wait("99999999999999999999") == 1e9)
    #expect(wait("Tue, 15 Nov 1994 12:46:26 GMT") == 60)
    #expect(wait("Tue, 15 Nov 1994 12:44:26 GMT") == 0)
    #expect(wait("soon") == nil)
    #expect(wait("-5") == nil)
  }

  @Test func `text that is not UTF-8 is ISO-8859-1`() {
    let bytes = Array("HTTP/1.1 200 OK\r\nContent-Disposition: na".utf8) + [0xEF] + Array("ve\r\n\r\n".utf8)
    guard case .final(let head) = read(bytes).first else {
      Issue.record("no head")
      return
    }
    #expect(head.contentDisposition == "naïve")
    #expect(self.head("HTTP/1.1 200 OK\r\nContent-Disposition: ü\r\n\r\n")?.contentDisposition == "ü")
  }

  @Test func `noise never traps and gives one head at most`() {
    let pieces = [
      "HTTP/1.1 200 OK", "HTTP/1.1 100 C", "HTTP/2 206", "HTTP/", "HTTP/1.1 2x0 ", "ETag:", ":", " ", "\t", "", "\r\n",
      "\n",
      "Content-Length: 9", "Content-Range: bytes 0-1/2", "Retry-After: Tue, 15 Nov 1994 12:46:26 GMT", "Date:", "\u{0}",
      "Transfer-Encoding: chunked", "Last-Modified: 99999999999999999999", "é",
    ]
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      var bytes = Array(random.text(of: pieces, maxCount: 24).utf8)
      if !bytes.isEmpty, random.oneIn(2) { bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.bytes(1)[0] }
      let verdicts = read(bytes)
      let finals = verdicts.filter { if case .final(let head) = $0 { head.status >= 200 } else { false } }
      #expect(finals.count <= 1 && finals.count + verdicts.filter(\.isRefusal).count == verdicts.count, "SEED=\(seed)")
    }
  }
}

extension HeaderReader.Verdict {
  fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
