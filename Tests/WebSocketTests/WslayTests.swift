import TestKit
import Testing
import WebSocket

/// libwslay's server in process: that our client agrees with a WebSocket that others wrote.
struct WslayTests {
  private static let byteCounts = [0, 1, 125, 126, 127, 65_535, 65_536]

  private func payload(_ kind: MessageKind, _ byteCount: Int) -> [UInt8] {
    kind == .text
      ? (0..<byteCount).map { UInt8(ascii: "a") + UInt8($0 % 26) }
      : (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  }

  /// Lets both talk until neither has anything to say; each gets the other's bytes in pieces of this size.
  private func exchange(_ client: Side, _ wslay: WslayPeer, pieceByteCount: Int = .max) {
    while true {
      let (ours, theirs) = (client.take(), wslay.take())
      if ours.isEmpty, theirs.isEmpty { return }
      wslay.receive(ours, pieceByteCount: pieceByteCount)
      client.receive(theirs, pieceByteCount: pieceByteCount)
    }
  }

  @Test(arguments: byteCounts, [MessageKind.text, .binary])
  func `wslay reads our messages of every length, byte for byte`(byteCount: Int, kind: MessageKind) {
    let bytes = payload(kind, byteCount)
    for pieceByteCount in [1, 7, Int.max] {
      let (client, wslay) = (Side(.client), WslayPeer())
      var offset = 0
      repeat {
        client.codec.sendFragment(kind) { writer in
          offset += writer.append(bytes, from: offset)
          return offset == bytes.count
        }
        wslay.receive(client.take(), pieceByteCount: pieceByteCount)
      } while offset < bytes.count
      #expect(wslay.events == [.message(kind, bytes)], "in pieces of \(pieceByteCount)")
      #expect(wslay.failure == 0)
    }
  }

  @Test(arguments: byteCounts, [MessageKind.text, .binary])
  func `we read wslay's messages of every length, byte for byte`(byteCount: Int, kind: MessageKind) {
    let bytes = payload(kind, byteCount)
    for pieceByteCount in [1, 7, Int.max] {
      let (client, wslay) = (Side(.client), WslayPeer())
      wslay.send(kind, bytes)
      client.receive(wslay.take(), pieceByteCount: pieceByteCount)
      #expect(client.events == [.message(kind, bytes)], "in pieces of \(pieceByteCount)")
      #expect(client.codec.failure == nil)
    }
  }

  @Test(arguments: [
    1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 4000, 4401, 4999,
  ])
  func `each understands and answers the other's close`(code: UInt16) {
    let code = CloseCode(rawValue: code)
    for pieceByteCount in [1, Int.max] {
      let (client, wslay) = (Side(.client), WslayPeer())
      client.codec.close(code, reason: "für heute")
      exchange(client, wslay, pieceByteCount: pieceByteCount)
      #expect(wslay.events == [.close(code, "für heute")])
      #expect(client.codec.closeReceived == code)

      let (other, closing) = (Side(.client), WslayPeer())
      closing.close(code, reason: "für heute")
      exchange(other, closing, pieceByteCount: pieceByteCount)
      #expect(other.events == [.close(code, "für heute")])
      #expect(closing.events == [.close(code, "")])
      #expect(closing.failure == 0)
    }
  }

  @Test func `a close without a code is one for both`() {
    let (client, wslay) = (Side(.client), WslayPeer())
    client.codec.close(nil)
    exchange(client, wslay)
    #expect(wslay.events == [.close(.noStatus, "")])
    #expect(client.codec.closeReceived == .noStatus)
  }

  @Test(arguments: Seeds.fromEnvironment(count: 150))
  func `wslay understands our fragments with pings between them, in any pieces`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (client, wslay) = (Side(.client, seed: seed), WslayPeer())
    var expected: [Recorder.Event] = []
    var pongs: [Recorder.Event] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let (kind, bytes) = Self.message(&random)
      var offset = 0
      repeat {
        if random.oneIn(3) {
          let payload = random.bytes(Int.random(in: 0...125, using: &random))
          client.codec.ping(payload)
          expected.append(.ping(payload))
          pongs.append(.pong(payload))
        }
        let limit = Int.random(in: 0...1500, using: &random)
        client.codec.sendFragment(kind) { writer in
          offset += writer.append(Array(bytes[offset..<min(bytes.count, offset + limit)]))
          return offset == bytes.count
        }
        wslay.receive(client.take(), pieceByteCount: Self.pieceByteCount(&random))
      } while offset < bytes.count
      expected.append(.message(kind, bytes))
    }
    exchange(client, wslay, pieceByteCount: Self.pieceByteCount(&random))
    #expect(wslay.events == expected, "seed \(seed)")
    #expect(client.events == pongs, "seed \(seed)")
    #expect(wslay.failure == 0, "seed \(seed)")
  }

  @Test(arguments: Seeds.fromEnvironment(count: 150))
  func `we understand wslay's fragments with pings between them, in any pieces`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (client, wslay) = (Side(.client, seed: seed), WslayPeer())
    var messages: [Recorder.Event] = []
    var pings: [[UInt8]] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let (kind, bytes) = Self.message(&random)
      if bytes.isEmpty || random.oneIn(3) {
        wslay.send(kind, bytes)
      } else {
        wslay.send(kind, fragments: Self.cut(bytes, &random))
      }
      messages.append(.message(kind, bytes))
      while true {
        if random.oneIn(4) {
          pings.append(random.bytes(Int.random(in: 0...125, using: &random)))
          wslay.ping(pings[pings.count - 1])
        }
        let piece = wslay.take(Self.pieceByteCount(&random))
        if piece.isEmpty { break }
        client.receive(piece, pieceByteCount: Self.pieceByteCount(&random))
        wslay.receive(client.take(), pieceByteCount: Self.pieceByteCount(&random))
      }
    }
    exchange(client, wslay)
    #expect(client.events.filter { if case .message = $0 { true } else { false } } == messages, "seed \(seed)")
    #expect(client.events.filter { if case .ping = $0 { true } else { false } } == pings.map { .ping($0) })
    #expect(wslay.events == pings.map { .pong($0) }, "seed \(seed)")
    #expect(client.codec.failure == nil, "seed \(seed)")
  }

  /// Frames that may be wrong, to wslay and to our server side: both tell the same until one of them is, and both say so.
  @Test(arguments: Seeds.fromEnvironment(count: 300))
  func `our server side takes and refuses what wslay takes and refuses`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (ours, wslay) = (Side(.server), WslayPeer())
    for _ in 0..<40 {
      let first = random.pick(
        [0x01, 0x02, 0x00, 0x80, 0x80, 0x81, 0x82, 0x89, 0x8a] + (random.oneIn(8) ? Self.rare : []))
      let payload =
        random.oneIn(4)
        ? random.bytes(Int.random(in: 0..<4, using: &random))
        : Array(random.text(of: ["a", "ü", "😀"], maxCount: 60).utf8)
      let bytes = frame(UInt8(first), payload, mask: random.oneIn(60) ? nil : random.bytes(4))
      ours.receive(bytes, pieceByteCount: Self.pieceByteCount(&random))
      wslay.receive(bytes, pieceByteCount: Self.pieceByteCount(&random))
      (_, _) = (ours.take(), wslay.take())
    }
    #expect(ours.events == wslay.events, "seed \(seed)")
    // wslay sends no close frame where a header was wrong: it only ends.
    let isRefused = wslay.failure != 0 || wslay.closeSent != nil
    #expect((ours.codec.failure != nil) == isRefused, "seed \(seed): \(String(describing: ours.codec.failure))")
  }

  // MARK: What the seeds make

  /// Frames with a reserved bit, an unknown opcode and a fragmented ping. No close: wslay takes a reason that ends within
  /// a character.
  private static let rare = [0xc1, 0x91, 0x83, 0x8b, 0x09]

  private static func message(_ random: inout SeededRandom) -> (MessageKind, [UInt8]) {
    if random.oneIn(2) { return (.binary, random.bytes(Int.random(in: 0..<6000, using: &random))) }
    return (.text, Array(random.text(of: ["a", "ü", "😀", "a longer piece of text "], maxCount: 200).utf8))
  }

  private static func pieceByteCount(_ random: inout SeededRandom) -> Int {
    random.oneIn(4) ? 1 : Int.random(in: 1...900, using: &random)
  }

  private static func cut(_ bytes: [UInt8], _ random: inout SeededRandom) -> [[UInt8]] {
    var rest = bytes[...]
    var pieces: [[UInt8]] = []
    while !rest.isEmpty {
      pieces.append(Array(rest.prefix(Int.random(in: 1...1500, using: &random))))
      rest = rest.dropFirst(pieces[pieces.count - 1].count)
    }
    return pieces
  }
}
