import TestKit
import Testing

@testable import CLI

struct ChatEditorTests {
  private func typed(_ text: String, _ editor: inout LineEditor) -> [LineEditor.Outcome] {
    var reader = KeyReader()
    return reader.read(text.utf8).map { editor.take($0) }
  }

  private func line(_ text: String, history: [String] = []) -> String {
    var editor = LineEditor(history: history)
    _ = typed(text, &editor)
    return editor.before + "|" + editor.after
  }

  @Test(arguments: [
    ("abc", "abc|"), ("abc\u{7F}", "ab|"), ("abc\u{1B}[D\u{1B}[D", "a|bc"), ("ab\u{1B}[DX", "aX|b"),
    ("abc\u{01}", "|abc"),
    ("abc\u{01}\u{06}\u{0B}", "a|"), ("abc\u{1B}[D\u{15}", "|c"), ("one two\u{17}", "one |"),
    ("one, two\u{1B}b", "one, |two"),
    ("one two\u{01}\u{1B}f", "one| two"), ("ab\u{1B}[D\u{1B}[3~", "a|"), ("ab\u{1B}[H\u{1B}[F", "ab|"),
    ("ab\u{03}", "|"),
    ("日本\u{1B}[D", "日|本"), ("e\u{301}\u{7F}", "|"), ("👨‍👩‍👧\u{7F}", "|"), ("a\u{04}", "a|"), ("ab\u{1B}[1;5D", "|ab"),
    ("\u{1B}[200~a\r\nb\tc\u{1B}[201~", "a\nb c|"), ("\u{1B}[999zx", "x|"), ("\u{1B}Zx", "x|"),
  ])
  func `keys edit the line`(keys: String, expected: String) {
    #expect(line(keys) == expected)
  }

  @Test func `what was typed before comes back, and the draft after it`() {
    #expect(line("\u{1B}[A", history: ["one", "two"]) == "two|")
    #expect(line("dra\u{1B}[A\u{1B}[A\u{1B}[A", history: ["one", "two"]) == "one|")
    #expect(line("dra\u{1B}[A\u{1B}[A\u{1B}[B\u{1B}[B", history: ["one", "two"]) == "dra|")
    #expect(line("dra\u{1B}[B", history: ["one"]) == "dra|")
  }

  @Test func `a line is handed over and kept once`() {
    var editor = LineEditor()
    #expect(typed("hi\r", &editor).last == .submitted("hi"))
    _ = typed("hi\r \r", &editor)
    #expect(editor.history == ["hi"] && editor.text.isEmpty)
    #expect(typed("\u{04}", &editor) == [.ended] && typed("\u{03}", &editor) == [.interrupted])
    for number in 0..<1100 { _ = typed("\(number)\r", &editor) }
    #expect(editor.history.count == LineEditor.maxHistoryCount && editor.history.last == "1099")
  }

  @Test func `the window has the cursor in it, whatever the width`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      var reader = KeyReader()
      var editor = LineEditor()
      for key in reader.read(random.bytes(Int.random(in: 0..<60, using: &random))) { _ = editor.take(key) }
      let text = ["日本語", "abc", "e\u{301}", "\u{7}x\n", "👍🏽"].randomElement(using: &random) ?? ""
      _ = editor.take(.paste(String(repeating: text, count: Int.random(in: 0..<20, using: &random))))
      for _ in 0..<Int.random(in: 0..<30, using: &random) { _ = editor.take(.left) }
      let width = 2 + Int.random(in: 0..<60, using: &random)
      let window = EditorWindow(editor, width: width)
      #expect(window.cursor < width && DisplayWidth.of(window.text) < max(3, width), "seed \(seed)")
      #expect(!window.text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("hi there", ChatLine.say("hi there")), ("  ", .nothing), ("/model x", .say("/model x")), ("//quit", .say("/quit")),
    ("/quit", .quit), ("/answer 1 because", .answer(["1", "because"])),
    ("/upload a.txt", .upload(path: "a.txt", caption: nil)),
    ("/upload 'a b' see this ", .upload(path: "a b", caption: "see this")),
    ("/upload a\\ b", .upload(path: "a b", caption: nil)), ("/upload \"it's\"", .upload(path: "it's", caption: nil)),
  ])
  func `a line is said, or asks for something`(text: String, expected: ChatLine) throws {
    #expect(try ChatLine(text) == expected)
  }

  @Test func `lines with line breaks survive the file`() {
    let folder = TemporaryFolder("history")
    let history = ChatHistory(folder: folder.path)
    let lines = ["one", "two\nthree", "back\\slash", "\\n"]
    #expect(history.load() == [] && history.save(lines) == nil && history.load() == lines)
  }
}
