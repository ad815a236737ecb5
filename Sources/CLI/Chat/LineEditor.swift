/// One line that is typed, with the lines that were typed before it.
struct LineEditor {
  enum Outcome: Hashable {
    case editing
    /// The line is done; the editor is empty again.
    case submitted(String)
    /// Control-C on an empty line, and Control-D.
    case interrupted, ended
    case redraw, suspend
  }

  static let maxHistoryCount = 1000

  /// What stands left of the cursor, and right of it.
  private(set) var before = ""
  private(set) var after = ""
  /// The newest last.
  private(set) var history: [String]
  /// Which of them is shown, and what stood there before.
  private var recalled: (index: Int, draft: String)?

  var text: String { before + after }

  init(history: [String] = []) { self.history = Array(history.suffix(Self.maxHistoryCount)) }

  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .text(let text): insert(text)
    case .paste(let text): insert(Self.withoutControls(text))
    case .enter: return submit()
    case .interrupt where text.isEmpty: return .interrupted
    case .interrupt: set("")
    case .endOfInput where text.isEmpty: return .ended
    case .redraw: return .redraw
    case .suspend: return .suspend
    case .up: recall(-1)
    case .down: recall(1)
    default: edit(key)
    }
    return .editing
  }

  private mutating func edit(_ key: Key) {
    switch key {
    case .backspace: if !before.isEmpty { before.removeLast() }
    case .delete, .endOfInput: if !after.isEmpty { after.removeFirst() }
    case .left: if let one = before.popLast() { after = String(one) + after }
    case .right: if !after.isEmpty { before.append(after.removeFirst()) }
    case .home: (before, after) = ("", text)
    case .end: (before, after) = (text, "")
    case .wordLeft: after = takeWordLeft() + after
    case .wordRight: wordRight()
    case .killToEnd: after = ""
    case .killToStart: before = ""
    case .killWord: _ = takeWordLeft()
    default: break
    }
  }

  /// What combines with the character before the cursor joins it.
  private mutating func insert(_ text: String) { before += text }

  private mutating func set(_ text: String) { (before, after) = (text, "") }

  private mutating func submit() -> Outcome {
    let line = text
    set("")
    recalled = nil
    if !line.allSatisfy(\.isWhitespace), line != history.last {
      history.append(line)
      if history.count > Self.maxHistoryCount { history.removeFirst() }
    }
    return .submitted(line)
  }

  private mutating func recall(_ step: Int) {
    let index = (recalled?.index ?? history.count) + step
    guard index >= 0, index <= history.count, step < 0 || recalled != nil else { return }
    let draft = recalled?.draft ?? text
    recalled = index == history.count ? nil : (index, draft)
    set(index == history.count ? draft : history[index])
  }

  // MARK: Words

  private mutating func takeWordLeft() -> String {
    var word = ""
    while let last = before.last, !Self.isWord(last) { word = String(before.removeLast()) + word }
    while let last = before.last, Self.isWord(last) { word = String(before.removeLast()) + word }
    return word
  }

  private mutating func wordRight() {
    while let first = after.first, !Self.isWord(first) { before.append(after.removeFirst()) }
    while let first = after.first, Self.isWord(first) { before.append(after.removeFirst()) }
  }

  private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  /// Line breaks stay, as one character each; other controls go.
  private static func withoutControls(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
      switch scalar {
      case "\n", "\r": result.append("\n")
      case "\t": result.append(" ")
      default: if scalar.properties.generalCategory != .control { result.append(scalar) }
      }
    }
    return String(result)
  }
}

/// The line as it is shown: a window of it that has the cursor in it.
struct EditorWindow: Hashable {
  let text: String
  /// Columns left of the cursor.
  let cursor: Int

  /// - Parameter width: columns, one of them for the cursor behind the end.
  init(_ editor: LineEditor, width: Int) {
    let room = max(2, width) - 1
    var left: [Character] = []
    var used = 0
    for character in Self.shown(editor.before).reversed() {
      let columns = DisplayWidth.of(character)
      if used + columns > room { break }
      left.append(character)
      used += columns
    }
    cursor = used
    var right = ""
    for character in Self.shown(editor.after) {
      let columns = DisplayWidth.of(character)
      if used + columns > room { break }
      right.append(character)
      used += columns
    }
    text = String(left.reversed()) + right
  }

  private static func shown(_ text: String) -> String {
    DisplayWidth.printable(String(text.map { $0.isNewline ? "⏎" : $0 }))
  }
}
