import TestKit
import Testing
import WebSocket

struct HandshakeTests {
  private func handshake(_ subprotocols: [String] = [], lines: [String] = []) -> ClientHandshake {
    return ClientHandshake(
      host: "h:8787", target: "/ws?token=t", headerLines: lines, subprotocols: subprotocols)
  }

  /// What our server side answers to our client side.
  private func answer(_ client: ClientHandshake, _ subprotocols: [String] = []) -> ServerHandshake.Answer {
    let lines = String(decoding: client.request, as: UTF8.self).split(separator: "\r\n").dropFirst()
    let fields = Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let pieces = line.split(separator: ":", maxSplits: 1)
        return (pieces[0].lowercased(), String(pieces[1].drop { $0 == " " }))
      })
    return ServerHandshake.answer(method: "GET", subprotocols: subprotocols) { fields[$0] }
  }

  private func head(_ answer: ServerHandshake.Answer) -> String {
    guard case .accept(let fields, _) = answer else { return "" }
    return "HTTP/1.1 101 Switching Protocols\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
  }

  @Test(arguments: [1, 7, Int.max])
  func `client and server agree, in pieces of any size`(pieceByteCount: Int) {
    var client = handshake(["v2", "v1"])
    let bytes = Array((head(answer(client, ["v1"])) + "rest").utf8)
    var outcome: ClientHandshake.Outcome?
    var rest = bytes[...]
    while outcome == nil, !rest.isEmpty {
      outcome = client.receive(rest.prefix(pieceByteCount))
      rest = rest.dropFirst(pieceByteCount)
    }
    guard case .accepted("v1", let left) = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(left + rest == Array("rest".utf8))
  }

  @Test func `the accept key is that of RFC 6455`() {
    let fields = [
      "upgrade": "WebSocket", "connection": "keep-alive, Upgrade", "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    guard case .accept(let answer, nil) = ServerHandshake.answer(method: "GET", field: { fields[$0] }) else {
      Issue.record("refused")
      return
    }
    #expect(answer.contains { $0 == ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") })
  }

  @Test(arguments: [
    ("HTTP/1.1 101 S\r\n\r\n", "upgrade"),
    ("HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n", "key"),
    ("SSH-2.0-x\r\n\r\n", "not HTTP"), ("HTTP/1.1 abc\r\n\r\n", "not HTTP"),
  ])
  func `an answer that proves nothing is invalid`(_ text: String, _ why: String) {
    var client = handshake()
    guard case .invalid(let message) = client.receive(Array(text.utf8)) else {
      Issue.record("taken: \(text)")
      return
    }
    #expect(message.contains(why))
  }

  @Test(arguments: ["Sec-WebSocket-Protocol: v9", "Sec-WebSocket-Extensions: permessage-deflate"])
  func `what was not offered must not be chosen`(_ line: String) {
    var client = handshake(["v1"])
    let text = head(answer(client)).dropLast(2) + "\(line)\r\n\r\n"
    guard case .invalid = client.receive(Array(text.utf8)) else {
      Issue.record("taken")
      return
    }
  }

  @Test func `a refusal tells its status, when to come again and the first line of its body`() {
    var client = handshake()
    let text =
      "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 18\r\nLocation: /x\r\n\r\n\r\n  try later\u{7}  \r\nx"
    #expect(
      client.receive(Array(text.utf8), isEnd: true)
        == .refused(.init(status: 503, retryAfter: "7", location: "/x", message: "try later")))
  }

  @Test func `a refusal waits for its body until the end, but not for ever`() {
    var client = handshake()
    #expect(client.receive(Array("HTTP/1.1 403 No\r\n\r\nnot".utf8)) == nil)
    #expect(client.receive([], isEnd: true) == .refused(.init(status: 403, message: "not")))
    var other = handshake()
    let long = "HTTP/1.1 403 No\r\n\r\n" + String(repeating: "a", count: 5000)
    guard case .refused(let refusal) = other.receive(Array(long.utf8)) else {
      Issue.record("waits")
      return
    }
    #expect(refusal.message.count == 200)
  }

  @Test func `the words of a refusal in chunks are read without their lengths, in any pieces`() {
    let whole = Array(
      "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nnot\r\n5\r\n you\n\r\n0\r\n\r\n".utf8)
    for cut in 0..<whole.count {
      var client = handshake()
      let first = client.receive(whole[..<cut])
      #expect((first ?? client.receive(whole[cut...])) == .refused(.init(status: 403, message: "not you")), "\(cut)")
    }
  }

  @Test func `the status of a refusal is known before its words`() {
    var client = handshake()
    #expect(client.receive(Array("HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nn".utf8)) == nil)
    #expect(client.refusedStatus == 403)
    #expect(client.receive([], isEnd: true) == .refused(.init(status: 403, message: "n")))
  }

  @Test func `a head without an end is given up`() {
    var client = handshake()
    guard case .invalid = client.receive([UInt8](repeating: 65, count: 20_000)) else {
      Issue.record("waits")
      return
    }
    var other = handshake()
    guard case .invalid = other.receive(Array("HTTP/1.1 101".utf8), isEnd: true) else {
      Issue.record("waits")
      return
    }
  }

  @Test func `a header line can't bring another one along`() {
    let text = String(decoding: handshake(lines: ["X: a\r\nY: b"]).request, as: UTF8.self)
    #expect(!text.contains("\r\nY:"))
  }

  @Test(arguments: ["upgrade", "connection", "sec-websocket-version", "sec-websocket-key"])
  func `a request without one of its fields is refused`(_ name: String) {
    var fields = [
      "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    fields[name] = nil
    guard case .refuse(let status, _, _) = ServerHandshake.answer(method: "GET", field: { fields[$0] }) else {
      Issue.record("accepted")
      return
    }
    #expect(status == (name == "sec-websocket-key" ? 400 : 426))
  }
}
