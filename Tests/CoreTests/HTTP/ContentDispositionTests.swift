import Testing
import TestKit

@testable import Core

@Suite struct ContentDispositionTests {
  /// A header and the name in it; most are RFC 6266's examples and the forms that CASES tell of.
  static let names: [(header: String, name: String?)] = [
    (#"attachment; filename="a b.txt""#, "a b.txt"),
    ("attachment; filename=plain.bin", "plain.bin"),
    ("Attachment; FileName=plain.bin", "plain.bin"),
    ("inline; filename=plain.bin", "plain.bin"),
    ("attachment;filename=plain.bin;size=12", "plain.bin"),
    ("attachment; filename = plain.bin ; size=12", "plain.bin"),
    // The type forgotten, or the semicolon behind it.
    ("filename=plain.bin", "plain.bin"),
    (#"; filename="plain.bin""#, "plain.bin"),
    ("attachment filename=plain.bin", "plain.bin"),
    // Blanks and semicolons.
    ("attachment; filename=my holiday photo.jpg", "my holiday photo.jpg"),
    (#"attachment; filename="a;b=c.txt"; size=1"#, "a;b=c.txt"),
    (#"attachment; foo="; filename=wrong"; filename=right"#, "right"),
    // Quotes.
    (#"attachment; filename="a \"quoted\" \\ name.txt""#, #"a "quoted" \ name.txt"#),
    (#"attachment; filename="never closed.txt"#, "never closed.txt"),
    (#"attachment; filename="ends in a backslash\"#, #"ends in a backslash\"#),
    (#"attachment; filename="quoted" and more"#, "quoted"),
    ("attachment; filename='apostrophes'.txt", "'apostrophes'.txt"),
    // Nothing.
    ("", nil), ("attachment", nil), ("attachment;", nil), (";;;=;=", nil), ("attachment; filename", nil),
    ("attachment; filename=", nil), (#"attachment; filename="""#, nil), ("attachment; filename*=", nil),
    ("attachment; filename*=UTF-8''", nil), ("attachment; name=other.txt", nil),
    // Twice: the first that says something.
    ("attachment; filename=one.txt; filename=two.txt", "one.txt"),
    (#"attachment; filename=""; filename=two.txt"#, "two.txt"),
    // Raw UTF-8.
    (#"attachment; filename="ü 日本.bin""#, "ü 日本.bin"),
    ("attachment; filename=naïve.txt", "naïve.txt"),
    // RFC 2231's pieces and RFC 2047's words are not for this header.
    (#"attachment; filename*0="foo."; filename*1="html""#, nil),
    (#"attachment; filename="=?UTF-8?Q?foo?=""#, "=?UTF-8?Q?foo?="),
  ]

  @Test(arguments: names) func `a name is found in every form that servers send`(header: String, name: String?) {
    #expect(ContentDisposition.fileName(in: header) == name)
  }

  static let extendedNames: [(header: String, name: String?)] = [
    ("attachment; filename*=UTF-8''only%20star.bin", "only star.bin"),
    ("attachment; filename*=utf-8'en'%e2%82%ac%20rates", "€ rates"),
    ("attachment; filename*=ISO-8859-1'en'%A3%20rates", "£ rates"),
    ("attachment; filename*=iso-8859-1''na%EFve", "naïve"),
    (#"attachment; filename*="UTF-8''quoted%20too.bin""#, "quoted too.bin"),
    ("attachment; filename*=UTF-8''it's%20(1).bin", "it's (1).bin"),
    ("attachment; filename*= UTF-8''blank.bin", "blank.bin"),
    ("attachment; filename*=UTF-8''%2E%2E%2Fup.bin", "../up.bin"),
    // Both, in each order.
    (#"attachment; filename*=UTF-8''a.7z; filename="b.7z""#, "a.7z"),
    (#"attachment; filename="b.7z"; filename*=UTF-8''a.7z"#, "a.7z"),
    (#"attachment; filename="x; filename=_y_"; filename*=UTF-8''z"#, "z"),
    ("attachment; filename*=UTF-8''one; filename*=UTF-8''two", "one"),
    // A broken one leaves the word to its neighbours.
    (#"attachment; filename*=UTF-8''%C3%28; filename="b.7z""#, "b.7z"),
    (#"attachment; filename*=UTF-8''100%; filename="b.7z""#, "b.7z"),
    (#"attachment; filename*=foo.bin; filename="b.7z""#, "b.7z"),
    (#"attachment; filename*=windows-1252''%80; filename="b.7z""#, "b.7z"),
    (#"attachment; filename*=UTF-8'a.7z; filename="b.7z""#, "b.7z"),
    ("attachment; filename*=KOI8-R''%80; filename*=UTF-8''good", "good"),
    ("attachment; filename*=UTF-8''%FF", nil),
  ]

  @Test(arguments: extendedNames) func `D76 D77 an extended name wins wherever it stands`(header: String, name: String?)
  {
    #expect(ContentDisposition.fileName(in: header) == name)
  }

  static let encodedNames: [(header: String, name: String)] = [
    (#"attachment; filename="p%20c%2Fd.bin""#, "p c/d.bin"),
    ("attachment; filename=%E6%97%A5.txt", "日.txt"),
    // What is not encoded throughout is not encoded at all.
    (#"attachment; filename="100%.txt""#, "100%.txt"),
    (#"attachment; filename="50%25 and 100%.txt""#, "50%25 and 100%.txt"),
    (#"attachment; filename="%FF.txt""#, "%FF.txt"),
  ]

  @Test(arguments: encodedNames) func `D78 a percent-encoded plain name is decoded`(header: String, name: String) {
    #expect(ContentDisposition.fileName(in: header) == name)
  }

  @Test func `what is written as RFC 6266 asks is read back, whatever the name`() {
    for seed in Seeds.fromEnvironment(count: 2000) {
      var random = SeededRandom(seed: seed)
      let name = random.text(of: ["\"", "\\", ";", "'", "%", "=", "a", ".", " ", "ü", "日", "%41", "/"], maxCount: 12)
      let extended =
        "UTF-8''\(name.utf8.map { "%" + (String($0 + 0, radix: 16).count == 1 ? "0" : "") + String($0, radix: 16) }.joined())"
      let read = ContentDisposition.fileName(in: "attachment; filename=\"other\"; filename*=\(extended)")
      #expect(read == (name.isEmpty ? "other" : name), "SEED=\(seed)")
      let escaped = name.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
      let plain = ContentDisposition.fileName(in: "attachment; filename=\"\(escaped)\"; x=y")
      #expect(name.contains("%") || plain == (name.isEmpty ? nil : name), "SEED=\(seed)")
    }
  }

  @Test func `no header brings the reader down, and a name is never empty`() {
    let pieces = [
      "attachment", ";", "=", "\"", "\\", "'", "''", "filename", "filename*", "UTF-8", "%", "%4", "%41", "%C3", " ",
      "\t",
      "*", "x", "\u{301}",
    ]
    for seed in Seeds.fromEnvironment(count: 5000) {
      var random = SeededRandom(seed: seed)
      let header = random.text(of: pieces, maxCount: 20)
      let name = ContentDisposition.fileName(in: header)
      #expect(name?.isEmpty != true, "SEED=\(seed) \(header.debugDescription)")
      #expect(name.map { $0.utf8.count <= header.utf8.count } ?? true, "SEED=\(seed) \(header.debugDescription)")
    }
  }
}
