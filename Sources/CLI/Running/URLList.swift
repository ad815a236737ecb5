import Core

/// One line of a list: a URL and perhaps a name.
struct ListedURL: Hashable, Sendable {
  /// Counted from 1.
  let line: Int
  let url: String
  let name: String?
}

/// Reads a list of URLs line by line: a tab and a name stand behind a URL where one is wanted; empty lines and those
/// that start with `#` are skipped.
struct URLListParser {
  private var line = 0

  /// What a line says, without its end; nil when nothing.
  mutating func entry(of bytes: [UInt8]) -> ListedURL? {
    line += 1
    // Editors of other systems put U+FEFF before the first line.
    let isMarked = line == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let text = String(decoding: isMarked ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
    let pieces = text.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
    let url = pieces.first.map(trimmed) ?? ""
    guard !url.isEmpty, !url.hasPrefix("#") else { return nil }
    let name = pieces.count == 2 ? trimmed(pieces[1]) : ""
    return ListedURL(line: line, url: url, name: name.isEmpty ? nil : name)
  }

  private func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character.isWhitespace }
    var text = text.drop(while: isSpace)
    while text.last.map(isSpace) ?? false { text.removeLast() }
    return String(text)
  }
}
