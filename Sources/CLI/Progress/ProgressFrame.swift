import Core

/// The bars of one moment, as lines of text.
enum ProgressFrame {
  /// At most `rows` lines of at most `width` columns: a line for each transfer under way, as far as they fit, then a
  /// total when there are several. `now` is in seconds since 1970.
  static func lines(of board: ProgressBoard, width: Int, rows: Int, now: Double) -> [String] {
    guard rows > 0, let latest = board.latest else { return [] }
    if board.accepted == 1 { return rendered([ProgressLine(latest, now: now)], width: width) }
    let open = shown(board.open, limit: rows - 1)
    return rendered(open.map { ProgressLine($0, now: now) } + [board.total], width: width)
  }

  /// What moves goes before what waits, each in the order of acceptance.
  private static func shown(_ open: [TransferSnapshot], limit: Int) -> [TransferSnapshot] {
    let moving = open.filter { $0.state == .running || $0.state == .verifying }
    let waiting = open.filter { $0.state == .waiting }
    return Array((moving + waiting).prefix(max(0, limit)))
  }

  private static func rendered(_ lines: [ProgressLine], width: Int) -> [String] {
    let layout = ProgressLayout(lines: lines, width: width)
    return lines.map(layout.text)
  }
}
