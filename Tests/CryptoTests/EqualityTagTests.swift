import Crypto
import TestKit
import Testing

struct EqualityTagTests {
  @Test func `equal bytes have equal tags, and any flipped bit shows`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for count in [0, 1, 15, 16, 17, 4096, (1 << 20) - 1, (1 << 20) + 1, 3 << 20] {
      var bytes = random.bytes(count)
      let tag = EqualityTag.of(bytes)
      #expect(tag.utf8.count == 32)
      #expect(EqualityTag.of(bytes) == tag, "seed \(seed), \(count) bytes")
      guard count > 0 else { continue }
      bytes[Int.random(in: 0..<count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      #expect(EqualityTag.of(bytes) != tag, "seed \(seed), \(count) bytes")
      #expect(EqualityTag.of(bytes + [0]) != EqualityTag.of(bytes), "seed \(seed), \(count) bytes")
    }
  }
}
