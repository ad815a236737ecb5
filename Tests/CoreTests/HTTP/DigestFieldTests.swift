import Testing
import TestKit

@testable import Core

@Suite struct DigestFieldTests {
  /// SHA-256 and SHA-512 of RFC 9530 appendix B's `{"hello": "world"}` and a line feed.
  static let sha256 = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
  static let sha512 =
    "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:"

  static let fields: [(field: String, algorithm: String?)] = [
    (sha256, "sha-256"), (sha512, "sha-512"), ("\(sha256), \(sha512)", "sha-512"), ("\(sha512),\t\(sha256)", "sha-512"),
    ("  \(sha256)  ", "sha-256"), ("md5=:AAAA:, \(sha256), unixsum=30637", "sha-256"),
    ("\(sha256);a;b=1;c=\"x\";d=?0;e=tok/en;f=:AA==:;g=-1.5", "sha-256"),
    ("a, b=(1 \"two\" three;x=1 :AA==:);y, \(sha256)", "sha-256"), ("*x=1, \(sha256)", "sha-256"),
    // The last of one name counts, whatever it is.
    ("sha-256=:AAAA:, \(sha256)", "sha-256"), ("\(sha256), sha-256=1", nil), ("\(sha256), sha-256", nil),
    // Wrong lengths and kinds are passed over.
    ("sha-512=:AAAA:, \(sha256)", "sha-256"), ("sha-256=:AAAA:", nil), ("sha-256=1", nil), ("sha-256", nil), ("", nil),
    // A malformed field is void as a whole.
    ("\(sha256),", nil), (",\(sha256)", nil), ("\(sha256) \(sha512)", nil), ("\(sha256), x=", nil),
    ("SHA-256\(sha256.dropFirst(7))", nil), (String(sha256.dropLast()), nil), ("\(sha256), x=:A:", nil),
    ("\(sha256), x=:AA=A:", nil), ("\(sha256), x=:AB==:", nil), ("\(sha256), x=:AAA:", nil), ("\(sha256), x=?2", nil),
    ("\(sha256), x=\"a", nil), ("\(sha256), x=\"\\a\"", nil), ("\(sha256), x=\"\u{7f}\"", nil),
    ("\(sha256), x=(1", nil),
    ("\(sha256), x=(1\"a\")", nil), ("\(sha256), x=1.", nil), ("\(sha256), x=1234567890123456", nil),
    ("\(sha256), x=1.1234", nil), ("\(sha256), x=1234567890123.1", nil), ("\(sha256), x=-", nil),
    ("\(sha256), x;=1", nil), ("\(sha256) ;a", nil), ("\(sha256), x=@1", nil), ("\(sha256), ü", nil),
  ]

  @Test(arguments: fields) func `the strongest well-formed digest is taken`(field: String, algorithm: String?) {
    #expect(DigestField.strongest(in: field)?.algorithm == algorithm)
  }

  @Test func `the bytes are those of the digest`() throws {
    let promised = try #require(DigestField.strongest(in: Self.sha256))
    #expect(promised.bytes.count == 32)
    #expect(promised.bytes.prefix(4) == [0x44, 0xaf, 0xf4, 0xab])
    #expect(promised.bytes.last == 0x38)
  }

  @Test func `no field brings the reader down, and only whole digests come out`() {
    let pieces = [
      Self.sha256, Self.sha512, "sha-256", "=", ":", ",", ";", " ", "\t", "(", ")", "\"", "\\", "?0", "1", "1.5", "-",
      "a",
      "*", "AA==", "\u{0}",
    ]
    for seed in Seeds.fromEnvironment(count: 5000) {
      var random = SeededRandom(seed: seed)
      let field = random.text(of: pieces, maxCount: 12)
      guard let promised = DigestField.strongest(in: field) else { continue }
      let length = promised.algorithm == "sha-512" ? 64 : 32
      #expect(promised.bytes.count == length && field.contains(promised.algorithm), "SEED=\(seed) \(field)")
    }
  }
}

@Suite struct Base64Tests {
  /// RFC 4648 §10.
  static let vectors: [(text: String, bytes: String)] = [
    ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
    ("Zm9vYmFy", "foobar"),
  ]

  @Test(arguments: vectors) func `the RFC's vectors are decoded`(text: String, bytes: String) {
    #expect(Base64.decoded(text.utf8) == Array(bytes.utf8))
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "====", "=", "Z===", "Zm9v=", "Zh==", "Zm9=", "Zm-_", "Zm 9", "Zg==Zg==", "Zm9v\n",
    "Zg=a",
  ])
  func `text that is not canonical is refused`(text: String) {
    #expect(Base64.decoded(text.utf8) == nil)
  }

  @Test func `each text has one meaning and each meaning one text`() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").map(String.init)
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let bytes = random.bytes(Int.random(in: 0...40, using: &random))
      let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
      let sixes = stride(from: 0, to: bits.count, by: 6).map { start in
        (start..<start + 6).reduce(0) { $0 << 1 | Int($1 < bits.count ? bits[$1] : 0) }
      }
      var text = sixes.map { alphabet[$0] }.joined()
      while !text.utf8.count.isMultiple(of: 4) { text += "=" }
      #expect(Base64.decoded(text.utf8) == bytes, "SEED=\(seed)")
    }
  }
}
