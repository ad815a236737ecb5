import TestKit
import Testing

@testable import Crypto

@Suite struct DigestTests {
  // FIPS 180-4 and RFC 1321, appendix A.5.
  @Test(arguments: [
    (Digest.Algorithm.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
    (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
  ])
  func `known texts have their known digests`(algorithm: Digest.Algorithm, text: String, digits: String) {
    let digest = Digest(algorithm)
    digest.update(Array(text.utf8))
    #expect(digest.finishHexadecimal() == digits)
  }

  @Test func `a million letters a have their known digest`() {
    let digest = Digest(.sha256)
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
    for _ in 0..<1_000 { digest.update(letters) }
    #expect(digest.finishHexadecimal() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test(arguments: Digest.Algorithm.allCases)
  func `how bytes are cut into pieces doesn't matter`(algorithm: Digest.Algorithm) {
    let seed = UInt64.random(in: 0...(.max))
    var random = SeededRandom(seed: seed)
    let bytes = random.bytes(10_000)
    let whole = Digest(algorithm)
    whole.update(bytes)
    let pieces = Digest(algorithm)
    var position = 0
    while position < bytes.count {
      let count = min(Int.random(in: 0..<900, using: &random), bytes.count - position)
      bytes[position..<(position + count)].withUnsafeBytes { pieces.update($0) }
      position += count
    }
    let expected = whole.finish()
    #expect(expected.count == algorithm.byteCount)
    #expect(pieces.finish() == expected, "seed \(seed)")
  }

  @Test func `one text has its digest in one call`() {
    #expect(
      sha256Hexadecimal(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

@Suite struct HexadecimalTests {
  @Test func `each byte has two lower-case digits`() {
    #expect(Hexadecimal.text(of: [0, 1, 0x7f, 0xab, 0xff]) == "00017fabff")
    #expect(Hexadecimal.text(of: []) == "")
  }
}

@Suite struct SecureRandomTests {
  @Test func `numbers differ`() {
    var random = SecureRandom()
    #expect(Set((0..<1_000).map { _ in random.next() }).count == 1_000)
  }

  @Test func `a UUID says that it is random, and differs from others`() {
    var random = SecureRandom()
    let ids = (0..<1_000).map { _ in random.uuid() }
    #expect(Set(ids).count == 1_000)
    for id in ids {
      #expect(id.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12], "\(id)")
      let digits = Array(id)
      #expect(digits[14] == "4" && "89ab".contains(digits[19]), "\(id)")
      #expect(id.allSatisfy { $0 == "-" || ($0.isHexDigit && !$0.isUppercase) }, "\(id)")
    }
  }

  @Test func `every byte that is asked for is filled`() {
    var random = SecureRandom()
    #expect(random.bytes(count: 0).isEmpty)
    // Each place stays zero in 64 draws with a chance of 256⁻⁶⁴.
    var seen = [UInt8](repeating: 0, count: 33)
    for _ in 0..<64 { for (place, byte) in random.bytes(count: 33).enumerated() { seen[place] |= byte } }
    #expect(seen.allSatisfy { $0 != 0 })
  }
}
