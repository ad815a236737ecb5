import TestKit
import Testing

@testable import WebSocket

@Suite struct Base64DecoderTests {
  /// Decodes a text in pieces of random size.
  private static func decoded(_ text: [UInt8], _ random: inout SeededRandom) -> [UInt8]? {
    var decoder = Base64Decoder()
    decoder.append(Array("left".utf8).span)
    decoder.begin()
    var rest = text[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
      rest = rest.dropFirst(piece.count)
      decoder.append(piece.span)
    }
    return decoder.finish() ? decoder.bytes : nil
  }

  @Test(arguments: [
    ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
    (" Zm9v\r\n\tYmFy ", "foobar"), ("Zg = = ", "f"), ("Pz8-Pz8_", "??>???"), ("Pz8+Pz8/", "??>???"),
  ])
  func `white space, the other alphabet and missing padding are forgiven`(text: String, bytes: String) {
    var random = SeededRandom(seed: 1)
    #expect(Self.decoded(Array(text.utf8), &random) == Array(bytes.utf8))
  }

  @Test(arguments: ["Z", "Zm9vY", "=", "Z===", "Zg=", "Zg===", "Zm9v=", "Zg==Zg==", "Zm9v!", "Zm\0v", "Zm8=v", "Zmé"])
  func `anything else is refused`(text: String) {
    var random = SeededRandom(seed: 1)
    #expect(Self.decoded(Array(text.utf8), &random) == nil)
  }

  @Test func `what was encoded comes back, however it is cut and littered`() {
    for seed in Seeds.fromEnvironment(count: 300) {
      var random = SeededRandom(seed: seed)
      let bytes = random.bytes(Int.random(in: 0...2000, using: &random))
      var text = [UInt8](repeating: 0, count: Base64.textByteCount(bytes.count))
      _ = bytes.withUnsafeBytes { bytes in
        text.withUnsafeMutableBytes { Base64.encode(bytes, into: $0) }
      }
      let litter = Int.random(in: 1...100, using: &random)
      var littered: [UInt8] = []
      for character in text { littered += random.oneIn(litter) ? [character, 0x0a] : [character] }
      #expect(Self.decoded(littered, &random) == bytes, "SEED=\(seed)")
    }
  }
}
