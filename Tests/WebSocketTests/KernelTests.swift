import CKernels
import TestKit
import Testing

/// Every level that this machine has, against the scalar one.
struct KernelTests {
  private let levels = [HERMES_LEVEL_SSSE3, HERMES_LEVEL_AVX2, HERMES_LEVEL_NEON].map { Int32($0) }
    .filter { hermes_has_level($0) != 0 }

  private func encoded(_ bytes: [UInt8], key: UInt32, phase: Int, level: Int32) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4)
    let count = hermes_base64_encode(&text, bytes, bytes.count, key, phase, level)
    #expect(count == text.count)
    return text
  }

  private func decoded(_ text: [UInt8], level: Int32) -> (bytes: [UInt8], taken: Int) {
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
    let taken = hermes_base64_decode(&bytes, text, text.count, level)
    return (Array(bytes[..<(taken / 4 * 3)]), taken)
  }

  @Test func `the scalar form gives the vectors of RFC 4648`() {
    let pairs = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ]
    for (plain, text) in pairs {
      #expect(encoded(Array(plain.utf8), key: 0, phase: 0, level: 0) == Array(text.utf8))
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 300))
  func `every level encodes, masks and decodes as the scalar one does`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let bytes = random.bytes(Int.random(in: 0..<700, using: &random))
    let key = UInt32.random(in: .min ... .max, using: &random)
    let phase = Int.random(in: 0..<8, using: &random)
    let plain = encoded(bytes, key: 0, phase: 0, level: 0)
    let masked = encoded(bytes, key: key, phase: phase, level: 0)
    var unmasked = masked
    hermes_mask(&unmasked, unmasked.count, key, phase, 0)
    #expect(unmasked == plain, "seed \(seed)")
    for level in levels {
      #expect(encoded(bytes, key: key, phase: phase, level: level) == masked, "seed \(seed), level \(level)")
      var other = masked
      hermes_mask(&other, other.count, key, phase, level)
      #expect(other == plain, "seed \(seed), level \(level)")
      let whole = Array(plain.prefix(bytes.count / 3 * 4))
      #expect(decoded(whole, level: level) == (Array(bytes.prefix(bytes.count / 3 * 3)), whole.count))
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 300))
  func `every level stops at the same bad character`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var text = encoded(random.bytes(Int.random(in: 1..<150, using: &random) * 3), key: 0, phase: 0, level: 0)
    let place = Int.random(in: 0..<text.count, using: &random)
    text[place] = UInt8.random(in: .min ... .max, using: &random)
    let expected = decoded(text, level: 0)
    for level in levels { #expect(decoded(text, level: level) == expected, "seed \(seed), level \(level)") }
  }

  @Test func `every one of the 256 characters is judged alike`() {
    for byte in UInt8.min ... .max {
      let text = [UInt8](repeating: UInt8(ascii: "A"), count: 60) + [byte] + [UInt8](repeating: 65, count: 67)
      let expected = decoded(text, level: 0)
      for level in levels { #expect(decoded(text, level: level) == expected, "character \(byte), level \(level)") }
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 500))
  func `UTF-8 is judged as Swift judges it, in whatever pieces it comes`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var bytes = Array(
      random.text(of: ["a", "ü", "€", "😀", "plain ascii text that is longer than a vector"], maxCount: 12).utf8)
    if random.oneIn(2), !bytes.isEmpty { bytes[random.pick(Array(bytes.indices))] = random.bytes(1)[0] }
    if random.oneIn(4), !bytes.isEmpty { bytes.removeLast() }
    var state: UInt32 = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Int.random(in: 1...9, using: &random)))
      rest = rest.dropFirst(piece.count)
      state = hermes_utf8(state, piece, piece.count)
    }
    #expect((state == 0) == (String(validating: bytes, as: UTF8.self) != nil), "seed \(seed)")
  }
}
