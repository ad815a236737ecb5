/// Lines that stand at the cursor until they are taken away; the cursor is at the end of the last.
struct Drawing: Hashable {
  let lines: [String]

  var text: String { lines.joined(separator: "\n") }

  /// What takes the lines away in a window of `columns`: a terminal that became narrower has wrapped them, so that each
  /// may take several rows by now.
  func eraser(columns: Int) -> String {
    let columns = max(1, columns)
    let rows = lines.reduce(0) { $0 + max(1, (DisplayWidth.of($1) + columns - 1) / columns) }
    let up = rows > 1 ? "\u{1B}[\(rows - 1)A" : ""
    return "\r\(up)\u{1B}[J"
  }
}
