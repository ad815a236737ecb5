import CWslay
import TestKit
import Testing
import WebSocket

/// What our server side makes of a client that others wrote, and of bytes that no honest client sends.
struct WslayVerdictTests {
  @Test(arguments: Seeds.fromEnvironment(count: 40), [1, 700, Int.max])
  func `our server side and wslay's client understand each other`(seed: UInt64, pieceByteCount: Int) {
    var random = SeededRandom(seed: seed)
    let (server, wslay) = (Side(.server), WslayPeer(.client))
    var (expected, echoes): ([Recorder.Event], [Recorder.Event]) = ([], [])
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let bytes = random.bytes(random.pick(random.oneIn(12) ? [65_535, 65_536] : [0, 1, 125, 126, 127, 3000]))
      wslay.send(.binary, bytes)
      expected.append(.message(.binary, bytes))
      server.receive(wslay.take(), pieceByteCount: pieceByteCount)
      let text = Array(random.text(of: ["a", "ü", "😀"], maxCount: 200).utf8)
      #expect(server.codec.send(.text, text))
      echoes.append(.message(.text, text))
      wslay.receive(server.take(), pieceByteCount: pieceByteCount)
    }
    wslay.close(.goingAway, reason: "enough")
    server.receive(wslay.take(), pieceByteCount: pieceByteCount)
    #expect(server.events == expected + [.close(.goingAway, "enough")], "seed \(seed)")
    wslay.receive(server.take(), pieceByteCount: pieceByteCount)
    #expect(wslay.events == echoes + [.close(.goingAway, "")], "seed \(seed)")
  }

  @Test(arguments: Seeds.fromEnvironment(count: 800))
  func `hostile bytes get the same verdict, with the same code, from wslay and from us`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = HostileFrame.maxMessageByteCount
    let ours = Side(.server, limits: WebSocketLimits(maxMessageByteCount: limit))
    let wslay = WslayPeer(.server, maxMessageByteCount: limit)
    let pieceByteCount = Int.random(in: 1...200, using: &random)
    for _ in 0..<20 {
      let bytes = HostileFrame.next(&random)
      ours.receive(bytes, pieceByteCount: pieceByteCount)
      // In pieces it would not look at all of a close frame's reason.
      wslay.receive(bytes)
    }
    let told = Self.closeTold(by: ours)
    _ = wslay.take()
    #expect(ours.events == wslay.events, "seed \(seed)")
    // Of a wrong header it says nothing but that.
    let verdict = wslay.failure == WSLAY_ERR_CALLBACK_FAILURE.rawValue ? .protocolError : wslay.closeSent
    #expect(told == verdict, "seed \(seed): \(String(describing: ours.codec.failure))")
  }

  private static func closeTold(by side: Side) -> CloseCode? {
    let client = Side(.client)
    client.receive(side.take())
    for case .close(let code, _) in client.events { return code }
    return nil
  }
}

/// Frames as a client could send them, one of four wrong in some way.
///
/// Left out is where wslay judges otherwise than RFC 6455 and the registry of close codes: it takes a close frame of one
/// byte, and refuses the codes 1012 to 1014.
enum HostileFrame {
  static let maxMessageByteCount = 2000

  static func next(_ random: inout SeededRandom) -> [UInt8] {
    let mask = random.bytes(4)
    guard random.oneIn(4) else {
      let text = Array(random.text(of: ["a", "ü", "€", "😀", "plain text "], maxCount: 30).utf8)
      return frame(random.pick([0x01, 0x00, 0x00, 0x80, 0x81, 0x82, 0x89, 0x8a]), Array(text.prefix(125)), mask: mask)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return frame(UInt8.random(in: .min ... .max, using: &random) & 0xf7, random.bytes(5), mask: mask)
    case 1: return frame(random.pick([0x88, 0x89, 0x8a]), [3, 0xe8] + random.bytes(124), mask: mask)
    case 2: return frame(0x82, random.bytes(5))
    case 3: return frame(0x82, random.bytes(5), mask: mask, lengthBytes: [126, 0, 5])
    case 4: return frame(0x82, [], mask: mask, lengthBytes: [127] + random.bytes(8))
    case 5: return frame(random.pick([0x01, 0x81]), random.bytes(3), mask: mask)
    case 6:
      return frame(random.pick([0x02, 0x82]), random.bytes(maxMessageByteCount + random.pick([-1, 0, 1])), mask: mask)
    case 7: return frame(0x88, [], mask: mask)
    default: return closeFrame(mask, &random)
    }
  }

  private static func closeFrame(_ mask: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var code = Int.random(in: 990...1020, using: &random)
    if random.oneIn(3) { code = random.pick([0, 2999, 3000, 4999, 5000, 65_535]) }
    if (1012...1014).contains(code) { code = 1000 }
    // One fault at a time: which of two is told is nobody's rule.
    let isGood = CloseCode(rawValue: UInt16(code)).isValidOnWire
    let reason = isGood && random.oneIn(2) ? random.bytes(2) : Array("rëason".utf8)
    return frame(0x88, [UInt8(code >> 8), UInt8(code & 255)] + reason, mask: mask)
  }
}
