import Core

/// One line of a list: a URL and perhaps a name.
struct ListedURL: Hashable, Sendable {
  /// Counted from 1.
  let line: Int
  let url: String
  let name: String?
}

/// Reads a list of URLs as its bytes come: one a line, a tab and a name after it where one is wanted; empty lines and
/// those that start with `#` are skipped.
struct URLListParser {
  /// More than any server takes; a longer line is not a list of URLs.
  static let maxLineByteCount = 65_536

  private var rest: [UInt8] = []
  private var line = 0

  /// The whole lines that the bytes complete.
  mutating func feed(_ bytes: some Collection<UInt8>) throws(TransferFailure) -> [ListedURL] {
    var entries: [ListedURL] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 10) {
      rest += bytes[start..<end]
      try take(&entries)
      start = bytes.index(after: end)
    }
    rest += bytes[start...]
    guard rest.count <= Self.maxLineByteCount else { throw tooLong(line + 1) }
    return entries
  }

  /// The last line, when no line break follows it.
  mutating func finish() throws(TransferFailure) -> [ListedURL] {
    var entries: [ListedURL] = []
    if !rest.isEmpty { try take(&entries) }
    return entries
  }

  private mutating func take(_ entries: inout [ListedURL]) throws(TransferFailure) {
    line += 1
    guard rest.count <= Self.maxLineByteCount else { throw tooLong(line) }
    if line == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
    let text = String(decoding: rest, as: UTF8.self)
    rest.removeAll(keepingCapacity: true)
    let pieces = text.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
    let url = trimmed(pieces[0])
    guard !url.isEmpty, !url.hasPrefix("#") else { return }
    let name = pieces.count == 2 ? trimmed(pieces[1]) : ""
    entries.append(ListedURL(line: line, url: url, name: name.isEmpty ? nil : name))
  }

  private func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character.isWhitespace }
    var text = text.drop(while: isSpace)
    while text.last.map(isSpace) ?? false { text.removeLast() }
    return String(text)
  }

  private func tooLong(_ line: Int) -> TransferFailure {
    TransferFailure(.usage, "line \(line) is longer than \(Self.maxLineByteCount) bytes")
  }
}
