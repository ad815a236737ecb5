import TestKit
import Testing

/// The liar must lie exactly as told, or the tests that lean on it prove nothing.
@Suite struct FaultServerTests {
  private static let length: Int64 = 200_000
  private let pattern = Pattern(7)
  private let resource = Resource.pattern(7, byteCount: length, age: 3600)

  private func answer(
    _ faults: Fault..., method: String = "GET", headers: [String] = [], on resource: Resource? = nil
  ) async -> RawResponse {
    let server = FaultServer()
    server.serve("/f", resource ?? self.resource, .all(faults))
    let response = await RawClient.send("/f", method: method, port: server.port, headers: headers)
    server.stop()
    return response
  }

  @Test func `the whole comes with length, tag and ranges on offer`() async {
    let response = await answer()
    #expect(response.status == 200)
    #expect(response["etag"] == "\"E1\"")
    #expect(response["accept-ranges"] == "bytes")
    #expect(response["last-modified"]?.hasSuffix("GMT") == true)
    #expect(ByteContent(response.body) == ByteContent(pattern.bytes(0..<Self.length)))
  }

  @Test(
    arguments: [
      ("bytes=0-", 0..<200_000), ("bytes=100-199", 100..<200), ("bytes=199999-", 199_999..<200_000),
      ("bytes=-5", 199_995..<200_000), ("bytes=150000-999999", 150_000..<200_000),
    ] as [(String, Range<Int64>)])
  func `a range comes as asked`(asked: String, part: Range<Int64>) async {
    let response = await answer(headers: ["Range: \(asked)"])
    #expect(response.status == 206)
    #expect(response["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/200000")
    #expect(ByteContent(response.body) == ByteContent(pattern.bytes(part)))
  }

  @Test func `a range beyond the end is refused with the length and a page`() async {
    let response = await answer(headers: ["Range: bytes=200000-"])
    #expect(response.status == 416)
    #expect(response["content-range"] == "bytes */200000")
    #expect(response.body.count == 222)
  }

  @Test func `a stale If-Range brings the whole, unless it is ignored`() async {
    let headers = ["Range: bytes=5-", "If-Range: \"E0\""]
    #expect(await answer(headers: headers).status == 200)
    #expect(await answer(.ignoreIfRange, headers: headers).status == 206)
    #expect(await answer(headers: ["Range: bytes=5-", "If-Range: \"E1\""]).status == 206)
  }

  @Test func `preconditions decide before ranges`() async {
    #expect(await answer(headers: ["Range: bytes=5-", "If-Match: \"E0\""]).status == 412)
    let unchanged = await answer(headers: ["If-None-Match: \"E1\""])
    #expect(unchanged.status == 304)
    #expect(unchanged.body.isEmpty)
  }

  @Test func `a cut ends in order after exactly that many bytes, a reset does not`() async {
    let cut = await answer(.cut(after: 70_000))
    #expect(ByteContent(cut.body) == ByteContent(pattern.bytes(0..<70_000)))
    #expect(cut.ending == .closed)
    let reset = await answer(.reset(after: 70_000))
    #expect(ByteContent(reset.body) == ByteContent(pattern.bytes(0..<70_000)))
    #expect(reset.ending == .reset)
  }

  @Test func `lies about ranges are told as named`() async {
    let headers = ["Range: bytes=1000-1099"]
    #expect(await answer(.ignoreRange, headers: headers).body.count == Int(Self.length))
    let disguised = await answer(.rangeWithStatus200, headers: headers)
    #expect(disguised.status == 200)
    #expect(disguised["content-range"] == "bytes 1000-1099/200000")
    let shifted = await answer(.shiftRange(by: -400), headers: headers)
    #expect(shifted["content-range"] == "bytes 600-1099/200000")
    #expect(ByteContent(shifted.body) == ByteContent(pattern.bytes(600..<1100)))
    #expect(await answer(.otherTotal(9), headers: headers)["content-range"] == "bytes 1000-1099/9")
    #expect(await answer(.noContentRange, headers: headers)["content-range"] == nil)
    let multipart = await answer(.multipart, headers: headers)
    #expect(multipart["content-type"]?.hasPrefix("multipart/byteranges") == true)
    #expect(String(decoding: multipart.body, as: UTF8.self).contains("Content-Range: bytes 1000-1099/200000"))
  }

  @Test func `heads are bent as named`() async {
    #expect(await answer(.weakTag)["etag"] == "W/\"E1\"")
    #expect(await answer(.noValidator)["etag"] == nil)
    #expect(await answer(.noValidator)["last-modified"] == nil)
    #expect(await answer(.newTag("\"E2\""))["etag"] == "\"E2\"")
    let busy = await answer(.status(503, retryAfter: "2", body: "later"))
    #expect(busy.status == 503)
    #expect(busy["retry-after"] == "2")
    #expect(busy["etag"] == nil)
    #expect(await answer(.redirect(to: "/g"))["location"] == "/g")
    #expect(await answer(.html200).body.count == 29)
    #expect(await answer(.auth401()).status == 401)
    #expect(await answer(.auth401(unless: "Bearer x"), headers: ["Authorization: Bearer x"]).status == 200)
    #expect(await answer(.headRefused, method: "HEAD").status == 403)
    #expect(await answer(.headRefused).status == 200)
    #expect(await answer(.brokenStatusLine).status == 0)
  }

  @Test func `framing is as named`() async {
    let small = Resource.text("hello")
    let chunked = await answer(.chunked(), headers: ["Connection: close"], on: small)
    #expect(String(decoding: chunked.body, as: UTF8.self) == "5\r\nhello\r\n0\r\n\r\n")
    let open = await answer(.chunked(terminated: false), on: small)
    #expect(String(decoding: open.body, as: UTF8.self) == "5\r\nhello\r\n")
    #expect(open.ending == .closed)
    let bare = await answer(.noLength, on: small)
    #expect(bare["content-length"] == nil)
    #expect(bare.body == Array("hello".utf8))
    let long = await answer(.longBody(extra: 3), headers: ["Range: bytes=0-"], on: small)
    #expect(long["content-length"] == "5")
    #expect(await answer(.http10, headers: ["Range: bytes=2-"], on: small).status == 200)
  }

  @Test func `a flipped byte is the only wrong one`() async {
    var expected = pattern.bytes(0..<Self.length)
    expected[99_999] ^= 0xff
    #expect(await ByteContent(answer(.flip(at: 99_999)).body) == ByteContent(expected))
  }

  @Test func `the script picks requests by number and by part, and all is recorded`() async {
    let server = FaultServer()
    server.serve(
      "/f", resource, .on(2, .status(503)), .from(4, .newTag("\"E9\"")),
      .part(holding: 150_000, times: 1, .status(500)))
    var statuses: [Int] = []
    for range in ["0-9", "0-9", "0-9", "100000-160000", "100000-160000"] {
      statuses.append(await RawClient.send("/f", port: server.port, headers: ["Range: bytes=\(range)"]).status)
    }
    #expect(statuses == [206, 503, 206, 500, 206])
    #expect(server.requests.map(\.number) == [1, 2, 3, 4, 5])
    #expect(server.requests.map(\.status) == statuses)
    #expect(server.requests[4].bodyByteCount == 60_001)
    #expect(server.requests[3].range == "bytes=100000-160000")
    #expect(server.connectionCount == 5)
    server.stop()
  }

  @Test func `a stalled connection says nothing more and ends with the server`() async {
    let server = FaultServer()
    server.serve("/f", resource, .always(.stall(after: 1000)))
    let port = server.port
    async let response = RawClient.send("/f", port: port, seconds: 20)
    #expect(await onThread { server.wait { $0.first?.bodyByteCount == 1000 } })
    server.stop()
    let ending = await response
    #expect(ending.body.count == 1000)
    #expect(ending.ending == .closed)
  }

  @Test func `a request that nobody expected fails the test`() async {
    let server = FaultServer()
    let response = await RawClient.send("/other", port: server.port)
    #expect(response.status == 500)
    withKnownIssue { server.stop() }
  }
}
