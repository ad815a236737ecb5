import TestKit
import Testing

@testable import Core

@Suite struct SafeFileNameTests {
  static let names: [(raw: String, safe: String)] = [
    ("a.txt", "a.txt"), ("Größe 日本 👩🏽.tar.gz", "Größe 日本 👩🏽.tar.gz"), ("a (1).txt", "a (1).txt"),
    // Only the last part of a path.
    ("../../etc/passwd", "passwd"), ("C:\\temp\\x.exe", "x.exe"), ("a/b\\c", "c"), ("/", "fallback"),
    ("a/", "fallback"),
    ("a\\", "fallback"), ("/etc/passwd\0.txt", "passwd.txt"), ("a/\u{301}b", "\u{301}b"),
    // Dots, spaces and dashes at the ends.
    (".", "fallback"), ("..", "fallback"), ("...", "fallback"), (". .", "fallback"), (".bashrc", "bashrc"),
    ("..hidden", "hidden"), (" . a.txt . ", "a.txt"), ("a.txt...", "a.txt"), (".\u{308}a", "\u{308}a"),
    ("\u{a0}a\u{3000}", "a"), ("-rf", "_rf"), (".-rf", "_rf"), ("--", "_-"), ("-\u{301}x", "_\u{301}x"), ("a-", "a-"),
    ("\u{200b}.bashrc", "bashrc"), (".\u{200b}.bashrc", "bashrc"), ("\u{2060}-rf", "_rf"),
    // Controls and marks without a picture.
    ("a\nb\tc\u{1b}[31m\u{7f}\u{85}.txt", "abc[31m.txt"), ("a\u{202e}txt.exe", "atxt.exe"),
    ("a\u{2066}b\u{2069}\u{200e}\u{200f}\u{61c}c", "abc"), ("a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f", "abcdef"),
    ("a\u{2028}b\u{2029}c", "abc"), ("a\u{ad}b\u{fff9}c\u{e0041}d\u{3164}", "abcd"), ("\u{200b}\u{202e}", "fallback"),
    ("", "fallback"), (" ", "fallback"), ("\0", "fallback"), ("❤\u{fe0f}.txt", "❤\u{fe0f}.txt"),
    // Composed.
    ("a\u{308}.txt", "\u{e4}.txt"), ("\u{212b}.txt", "\u{c5}.txt"), ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
    ("o\u{200b}\u{308}", "\u{f6}"),
  ]

  @Test(arguments: names) func `T09 W52 D79 a name from outside becomes a plain one`(raw: String, safe: String) {
    // By bytes: String's == would take a composed and a decomposed name for the same.
    #expect(Array(SafeFileName(raw, fallback: "fallback").text.utf8) == Array(safe.utf8))
  }

  @Test func `a fallback is cleaned too, and there is always a name`() {
    #expect(SafeFileName("", fallback: "../.x").text == "x")
    #expect(SafeFileName("", fallback: "").text == "file")
    #expect(SafeFileName("..", fallback: "/").text == "file")
    #expect(SafeFileName.fallback(kind: "download", id: "7k3m9x2q") == "download-7k3m9x2q")
  }

  static let longNames: [(raw: String, safe: String)] = [
    (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
    (String(repeating: "a", count: 300), String(repeating: "a", count: 200)),
    (String(repeating: "a", count: 300) + ".iso", String(repeating: "a", count: 196) + ".iso"),
    (String(repeating: "a", count: 300) + ".tar.zst", String(repeating: "a", count: 192) + ".tar.zst"),
    // 3 bytes each: 196 is 65 of them and a byte over.
    (String(repeating: "日", count: 100) + ".iso", String(repeating: "日", count: 65) + ".iso"),
    // A flag is one character of two scalars, 8 bytes.
    (String(repeating: "🇩🇪", count: 50) + ".iso", String(repeating: "🇩🇪", count: 24) + ".iso"),
    // No extension is that long.
    ("a." + String(repeating: "b", count: 300), "a." + String(repeating: "b", count: 198)),
    (String(repeating: "a", count: 199) + " " + String(repeating: "b", count: 99), String(repeating: "a", count: 199)),
    ("x" + String(repeating: "\u{301}", count: 300) + ".iso", "x" + String(repeating: "\u{301}", count: 97) + ".iso"),
  ]

  @Test(arguments: longNames) func `a long name is cut between characters and keeps its extension`(
    raw: String, safe: String
  ) {
    #expect(SafeFileName(raw, fallback: "fallback").text == safe)
  }

  static let variants: [(name: String, number: Int, variant: String)] = [
    ("a.txt", 1, "a (1).txt"), ("a.txt", 12, "a (12).txt"), ("a", 2, "a (2)"), ("a.tar.gz", 1, "a (1).tar.gz"),
    ("A.TAR.XZ", 1, "A (1).TAR.XZ"), ("tar.gz", 1, "tar (1).gz"), (".tar.gz", 1, ".tar (1).gz"),
    (".bashrc", 1, ".bashrc (1)"),
    ("a.", 1, "a. (1)"), ("a (1).txt", 1, "a (1) (1).txt"), ("v1.2", 3, "v1 (3).2"),
    (String(repeating: "a", count: 200), 10, String(repeating: "a", count: 195) + " (10)"),
    (String(repeating: "a", count: 196) + ".iso", 1, String(repeating: "a", count: 192) + " (1).iso"),
    (String(repeating: "a", count: 255), 1, String(repeating: "a", count: 251) + " (1)"),
  ]

  @Test(arguments: variants) func `a taken name gets a number before its extension`(
    name: String, number: Int, variant: String
  ) {
    #expect(SafeFileName.variant(of: name, number) == variant)
  }

  @Test func `a part file is hidden, and named after its file and transfer`() {
    #expect(SafeFileName.partName(for: "a.iso", id: "7k3m9x2q") == ".a.iso.7k3m9x2q.hermes-part")
    let long = SafeFileName.partName(for: String(repeating: "日", count: 85), id: "7k3m9x2q")
    #expect(long == "." + String(repeating: "日", count: 77) + ".7k3m9x2q.hermes-part")
    #expect(long.utf8.count <= 255)
  }

  @Test func `whatever comes, the name is safe, and cleaning it again changes nothing`() {
    let pieces = [
      "a", ".", "..", "/", "\\", " ", "-", "\0", "\n", "\u{202e}", "\u{200b}", "\u{301}", "\u{308}", "ü", "日", "👩🏽‍🚀",
      ".tar.gz",
      ".iso", "\u{1100}", "\u{1161}", "\u{feff}", "\u{a0}", "\u{fe0f}", String(repeating: "x", count: 90),
      String(repeating: "日", count: 60), String(repeating: "\u{301}", count: 120),
    ]
    for seed in Seeds.fromEnvironment(count: 3000) {
      var random = SeededRandom(seed: seed)
      let raw = random.text(of: pieces, maxCount: 16)
      let name = SafeFileName(raw, fallback: "fallback").text
      let sourceText = "SEED=\(seed) \(raw.debugDescription)"
      #expect(!name.isEmpty && name.utf8.count <= 200, "\(sourceText)")
      #expect(
        !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 32 || $0.value == 127 }, "\(sourceText)")
      #expect(
        !name.unicodeScalars.contains { (0x200b...0x200f).contains($0.value) || $0.value == 0x202e }, "\(sourceText)")
      #expect(![".", "-", " "].contains(name.unicodeScalars.first), "\(sourceText)")
      #expect(![".", " "].contains(name.unicodeScalars.last), "\(sourceText)")
      #expect(Array(SafeFileName(name, fallback: "fallback").text.utf8) == Array(name.utf8), "\(sourceText)")
      let number = Int.random(in: 1...9999, using: &random)
      let variant = SafeFileName.variant(of: name, number)
      #expect(variant.utf8.count <= 200 && variant.contains("(\(number))"), "\(sourceText)")
      #expect(SafeFileName.partName(for: variant, id: "7k3m9x2q").utf8.count <= 255, "\(sourceText)")
    }
  }
}
