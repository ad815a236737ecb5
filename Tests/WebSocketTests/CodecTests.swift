import TestKit
import Testing
import WebSocket

struct CodecTests {
  @Test(arguments: [0, 1, 125, 126, 127, 65_519, 65_520, 65_521, 65_535, 65_536, 200_000], [true, false])
  func `W6 messages of every length arrive whole, both ways`(byteCount: Int, isFromClient: Bool) {
    let (from, to) = isFromClient ? (Side(.client), Side(.server)) : (Side(.server), Side(.client))
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    from.send(.binary, bytes, to: to)
    #expect(to.events == [.message(.binary, bytes)])
    #expect(to.codec.failure == nil)
  }

  @Test(arguments: [125, 126, 65_535, 65_536])
  func `W6 a frame of a boundary's length is read`(byteCount: Int) {
    let side = Side(.client)
    let bytes = [UInt8](repeating: 7, count: byteCount)
    side.receive(frame(0x82, bytes), pieceByteCount: 1)
    #expect(side.events == [.message(.binary, bytes)])
  }

  @Test func `W8 a text frame in seven pieces is one message`() {
    let side = Side(.client)
    let text = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
    side.receive(frame(0x81, text), pieceByteCount: 20_004 / 7 + 1)
    #expect(side.events == [.message(.text, text)])
  }

  @Test func `W3 W4 frames of 40,000 bytes, 64 KiB and 4 MiB are taken by default`() {
    for byteCount in [40_000, 64 << 10, 4 << 20] {
      let side = Side(.client)
      side.receive(frame(0x82, [UInt8](repeating: 1, count: byteCount)))
      #expect(side.events.count == 1)
      #expect(side.codec.failure == nil)
    }
  }

  @Test func `W4 a message above the limit is refused with 1009, before its bytes are taken`() {
    let side = Side(.client, limits: WebSocketLimits(maxMessageByteCount: 1000))
    side.receive(frame(0x02, [UInt8](repeating: 1, count: 600)))
    side.receive(frame(0x80, [UInt8](repeating: 1, count: 401)))
    #expect(side.codec.failure?.code == .messageTooBig)
    let server = Side(.server)
    server.receive(side.take())
    guard case .close(.messageTooBig, let reason) = server.events.first else {
      Issue.record("no close frame: \(server.events)")
      return
    }
    #expect(reason.contains("1000"))
  }

  @Test func `a ping is answered between two fragments of a message that we send`() {
    let (client, server) = (Side(.client), Side(.server))
    let bytes = [UInt8](repeating: 9, count: 300_000)
    var pings = 0
    client.send(.binary, bytes, to: server) {
      server.codec.ping([UInt8(pings)])
      client.receive(server.take())
      pings += 1
    }
    #expect(pings == 5)
    #expect(server.events.filter { if case .pong = $0 { true } else { false } }.count == pings)
    #expect(server.events.last == .message(.binary, bytes))
  }

  @Test func `pings that nobody reads the answers to cost bounded memory, and the last is answered`() {
    let (client, server) = (Side(.client), Side(.server))
    for number in 0..<100_000 {
      client.receive(frame(0x89, [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]))
    }
    #expect(client.codec.output.count <= 128 << 10)
    while !client.codec.output.isEmpty { server.receive(client.take(1000)) }
    let last = 99_999
    #expect(server.events.last == .pong([UInt8(last >> 16), UInt8(last >> 8 & 255), UInt8(last & 255)]))
  }

  @Test func `a close asked for while the output is empty goes out, and nothing after it`() {
    let (client, server) = (Side(.client), Side(.server))
    client.codec.close(.normal, reason: "bye")
    client.codec.ping([1])
    #expect(client.codec.fragmentRoom == 0)
    server.receive(client.take())
    #expect(server.events == [.close(.normal, "bye")])
    client.receive(server.take())
    #expect(client.events == [.close(.normal, "")])
    #expect(client.take().isEmpty)
  }

  @Test func `a close frame's reason is cut to fit, where a character ends`() {
    let (client, server) = (Side(.client), Side(.server))
    client.codec.close(.goingAway, reason: String(repeating: "ü", count: 200))
    server.receive(client.take())
    #expect(server.events == [.close(.goingAway, String(repeating: "ü", count: 61))])
  }

  @Test func `base64 written into fragments is that of the whole`() {
    let (client, server) = (Side(.client), Side(.server))
    let bytes = (0..<100_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var offset = 0
    repeat {
      client.codec.sendFragment(.text) { writer in
        if offset == 0 { _ = writer.append(Array("<".utf8)) }
        let count = min(writer.base64RoomByteCount, bytes.count - offset)
        bytes.withUnsafeBytes { writer.appendBase64(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
        offset += count
        return offset == bytes.count
      }
      server.receive(client.take())
    } while offset < bytes.count
    guard case .message(.text, let text) = server.events.first else {
      Issue.record("no message: \(server.events)")
      return
    }
    var decoded = [UInt8](repeating: 0, count: 99_999)
    let taken = text.dropFirst().dropLast(4).withUnsafeBytes { source in
      decoded.withUnsafeMutableBytes { Base64.decodeGroups(source, into: $0) }
    }
    #expect(taken == 99_999 / 3 * 4)
    #expect(decoded == Array(bytes.prefix(99_999)))
  }

  @Test func `output stays where it is until it is consumed`() {
    let client = Side(.client)
    _ = client.codec.send(.binary, [1, 2, 3])
    let first = client.codec.output.baseAddress
    _ = client.codec.send(.binary, [4])
    #expect(client.codec.output.baseAddress == first)
    client.codec.outputConsumed(2)
    client.codec.ping([])
    #expect(client.codec.output.baseAddress == first.map { $0 + 2 })
  }

  static let violations: [(String, [UInt8], CloseCode)] = [
    ("a reserved bit", frame(0xc1, [65]), .protocolError), ("opcode 3", frame(0x83), .protocolError),
    ("opcode 11", frame(0x8b), .protocolError), ("a fragmented ping", frame(0x09), .protocolError),
    ("a ping of 126 bytes", frame(0x89, [UInt8](repeating: 0, count: 126)), .protocolError),
    ("a continuation of nothing", frame(0x80, [1]), .protocolError),
    ("a message within a message", frame(0x01, [65]) + frame(0x81, [65]), .protocolError),
    (
      "16 bits for a short length", frame(0x82, [UInt8](repeating: 0, count: 5), lengthBytes: [126, 0, 5]),
      .protocolError
    ),
    ("64 bits for a middle length", frame(0x82, [], lengthBytes: [127, 0, 0, 0, 0, 0, 0, 255, 255]), .protocolError),
    ("a length of 2^63", frame(0x82, [], lengthBytes: [127, 128, 0, 0, 0, 0, 0, 0, 0]), .protocolError),
    (
      "a length of 2^63 - 1", frame(0x82, [], lengthBytes: [127, 127, 255, 255, 255, 255, 255, 255, 255]),
      .messageTooBig
    ),
    ("a masked frame from a server", frame(0x81, [65], mask: [1, 2, 3, 4]), .protocolError),
    ("text that is no UTF-8", frame(0x81, [0xc0, 0x80]), .invalidPayload),
    ("text that is no UTF-8, before its end", frame(0x01, [0xff]), .invalidPayload),
    ("text that ends within a character", frame(0x81, [0xe2, 0x82]), .invalidPayload),
    ("a close of one byte", frame(0x88, [3]), .protocolError),
    ("close code 1005", frame(0x88, [3, 0xed]), .protocolError),
    ("close code 999", frame(0x88, [3, 0xe7]), .protocolError),
    ("close code 1015", frame(0x88, [3, 0xf7]), .protocolError),
    ("close code 5000", frame(0x88, [0x13, 0x88]), .protocolError),
    ("a close reason that is no UTF-8", frame(0x88, [3, 0xe8, 0xff]), .invalidPayload),
  ]

  @Test(arguments: violations, [1, 2, Int.max])
  func `what breaks the protocol ends the connection with its code`(
    _ violation: (name: String, bytes: [UInt8], code: CloseCode), pieceByteCount: Int
  ) {
    let (client, server) = (Side(.client), Side(.server))
    client.receive(violation.bytes + frame(0x81, [65]), pieceByteCount: pieceByteCount)
    #expect(client.codec.failure?.code == violation.code, "\(violation.name)")
    server.receive(client.take())
    guard case .close(violation.code, _) = server.events.last else {
      Issue.record("\(violation.name): no close frame in \(server.events)")
      return
    }
  }

  @Test func `a frame from a client must be masked`() {
    let server = Side(.server)
    server.receive(frame(0x81, [65]))
    #expect(server.codec.failure?.code == .protocolError)
  }

  @Test(arguments: [
    1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4401, 4999,
  ])
  func `every code that may stand in a close frame is told and answered`(_ code: Int) {
    let (client, server) = (Side(.client), Side(.server))
    client.receive(frame(0x88, [UInt8(code >> 8), UInt8(code & 255)] + Array("why".utf8)))
    #expect(client.events == [.close(CloseCode(rawValue: UInt16(code)), "why")])
    server.receive(client.take())
    #expect(server.events == [.close(CloseCode(rawValue: UInt16(code)), "")])
  }

  @Test(arguments: Seeds.fromEnvironment(count: 400))
  func `any bytes in any pieces end in order or in a failure`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let side = Side(random.oneIn(2) ? .client : .server, limits: WebSocketLimits(maxMessageByteCount: 5000), seed: seed)
    for _ in 0..<60 {
      var bytes = random.bytes(Int.random(in: 0..<40, using: &random))
      // Mostly frames that could be right.
      if !random.oneIn(4) {
        bytes = frame(
          random.pick([0x01, 0x02, 0x00, 0x80, 0x81, 0x82, 0x89, 0x8a, 0x88]), bytes,
          mask: side.codec.role == .server ? random.bytes(4) : nil)
      }
      side.receive(bytes, pieceByteCount: Int.random(in: 1...50, using: &random))
      #expect(side.codec.output.count <= 128 << 10, "seed \(seed)")
      if random.oneIn(3) { _ = side.take() }
    }
    #expect(side.codec.receivedByteCount <= 5000, "seed \(seed)")
  }

  @Test(arguments: Seeds.fromEnvironment(count: 200))
  func `a client and a server understand each other in any pieces`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (client, server) = (Side(.client, seed: seed), Side(.server))
    var expected: [Recorder.Event] = []
    var wire: [UInt8] = []
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let kind: MessageKind = random.oneIn(2) ? .text : .binary
      let bytes =
        kind == .text
        ? Array(random.text(of: ["a", "ü", "😀", "longer piece of text "], maxCount: 60).utf8)
        : random.bytes(Int.random(in: 0..<3000, using: &random))
      var offset = 0
      repeat {
        if random.oneIn(3) {
          client.codec.ping([UInt8(offset & 255)])
          expected.append(.ping([UInt8(offset & 255)]))
        }
        let limit = Int.random(in: 0...900, using: &random)
        client.codec.sendFragment(kind) { writer in
          offset += writer.append(Array(bytes[offset..<min(bytes.count, offset + limit)]))
          return offset == bytes.count
        }
        wire += client.take()
      } while offset < bytes.count
      expected.append(.message(kind, bytes))
    }
    while !wire.isEmpty {
      let count = min(wire.count, Int.random(in: 1...700, using: &random))
      server.receive(Array(wire[..<count]))
      wire.removeFirst(count)
    }
    #expect(server.events == expected, "seed \(seed)")
  }
}
