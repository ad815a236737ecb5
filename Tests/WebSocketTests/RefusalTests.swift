import TestKit
import Testing
import WebSocket

/// Answers other than 101: what of them is told.
struct RefusalTests {
  private func outcome(_ pieces: [String], isEnd: Bool = false) -> ClientHandshake.Outcome? {
    var client = ClientHandshake(host: "h", target: "/")
    for piece in pieces.dropLast() {
      if let early = client.receive(Array(piece.utf8)) { return early }
    }
    return client.receive(Array((pieces.last ?? "").utf8), isEnd: isEnd)
  }

  @Test func `a chunked body is told without its chunks, once it is whole`() {
    let head = "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(outcome([head]) == nil)
    #expect(outcome([head, "4\r\nnot \r\n6;x=y\r\nthat w"]) == nil)
    let refused = ClientHandshake.Outcome.refused(.init(status: 403, message: "not that way"))
    #expect(outcome([head, "4\r\nnot \r\n6;x=y\r\nthat w\r\n2\r\nay\r\n0\r\n\r\n"]) == refused)
    #expect(outcome([head, "4\r\nnot \r\n8\r\nthat way"], isEnd: true) == refused)
  }

  @Test(arguments: ["zz\r\nx", "ffffffffffffffffffff\r\nx", "-5\r\nx", "\r\nx"])
  func `a chunk without a length ends the body`(body: String) {
    #expect(
      outcome(["HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n" + body])
        == .refused(.init(status: 500, message: "")))
  }

  @Test func `a page is told without its tags`() {
    let page = "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>nginx</body></html>\r\n"
    #expect(
      outcome(["HTTP/1.1 403 x\r\nContent-Type: text/HTML\r\nContent-Length: \(page.utf8.count)\r\n\r\n" + page])
        == .refused(.init(status: 403, message: "403 Forbidden")))
  }

  @Test func `what stands behind the body's length is not of it`() {
    #expect(
      outcome(["HTTP/1.1 404 x\r\nContent-Length: 2\r\n\r\nnothing"]) == .refused(.init(status: 404, message: "no")))
    #expect(outcome(["HTTP/1.1 404 x\r\nContent-Length: -2\r\n\r\n"]) == .refused(.init(status: 404, message: "")))
    #expect(outcome(["HTTP/1.1 204 x\r\n\r\n"]) == .refused(.init(status: 204, message: "")))
  }

  @Test func `the answer stands behind interim ones`() {
    let early = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    #expect(outcome([early]) == nil)
    #expect(
      outcome([early, "HTTP/1.1 503 x\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"])
        == .refused(.init(status: 503, retryAfter: "5", message: "")))
  }

  /// Whatever comes is taken, refused or called invalid, and the same however it is cut.
  @Test(arguments: Seeds.fromEnvironment(count: 600))
  func `any answer in any pieces has one outcome`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let answer = Self.answer(&random)
    var whole = ClientHandshake(host: "h", target: "/", subprotocols: ["v1"], nonce: Self.nonce)
    var cut = whole
    let expected = whole.receive(answer, isEnd: true)
    var (rest, found): (ArraySlice<UInt8>, ClientHandshake.Outcome?) = (answer[...], nil)
    repeat {
      let piece = rest.prefix(Int.random(in: 1...60, using: &random))
      rest = rest.dropFirst(piece.count)
      found = cut.receive(piece, isEnd: rest.isEmpty)
    } while found == nil && !rest.isEmpty
    if case .accepted(let subprotocol, let first)? = found {
      found = .accepted(subprotocol: subprotocol, rest: first + rest)
    }
    #expect(expected != nil, "seed \(seed)")
    #expect(found == expected, "seed \(seed)")
  }

  private static let nonce = [UInt8](1...16)

  private static func answer(_ random: inout SeededRandom) -> [UInt8] {
    let lines = [
      "HTTP/1.1 101 Switching Protocols\r\n", "HTTP/1.1 403 No\r\n", "HTTP/1.1 103 Early\r\n", "Upgrade: websocket\r\n",
      "Connection: upgrade\r\n", "Content-Length: 12\r\n", "Transfer-Encoding: chunked\r\n", "\r\n", "\n", "5\r\nhello",
      "0\r\n\r\n", "Sec-WebSocket-Protocol: v1\r\n", "Content-Type: text/html\r\n", "<title>no</title>\n", ":\r\n", "x",
      // The proof that belongs to the nonce.
      "Sec-WebSocket-Accept: \(acceptOfNonce)\r\n",
    ]
    var text = random.oneIn(2) ? lines[0] + lines[3] + lines[4] + lines[16] : random.pick(Array(lines[0...2]))
    text += random.text(of: lines, maxCount: random.oneIn(20) ? 1500 : 12)
    var bytes = Array(text.utf8)
    if random.oneIn(3) { bytes[random.pick(Array(bytes.indices))] = random.bytes(1)[0] }
    return bytes
  }

  private static let acceptOfNonce: String = {
    let client = ClientHandshake(host: "h", target: "/", subprotocols: ["v1"], nonce: Self.nonce)
    let lines = String(decoding: client.request, as: UTF8.self).split(separator: "\r\n")
    let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
    let fields = [
      "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-version": "13", "sec-websocket-key": String(key),
    ]
    guard case .accept(let answer, _) = ServerHandshake.answer(method: "GET", field: { fields[$0] }) else { return "" }
    return answer.first { $0.0 == "Sec-WebSocket-Accept" }?.1 ?? ""
  }()
}
