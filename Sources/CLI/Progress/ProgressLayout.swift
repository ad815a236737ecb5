import Core

/// Lays a progress line out for a width: fields are dropped, the least needed first, until the name has room.
struct ProgressLayout {
  /// Columns of the fields, each without the two spaces before it.
  private struct Fields {
    var bar = false
    var total = false
    var bytes = false
    var rate = false
    var eta = false
  }

  private static let ladder: [Fields] = [
    Fields(bar: true, total: true, bytes: true, rate: true, eta: true),
    Fields(total: true, bytes: true, rate: true, eta: true),
    Fields(bytes: true, rate: true, eta: true),
    Fields(rate: true, eta: true),
    Fields(eta: true),
    Fields(),
  ]

  /// One width for names and one set of fields for all lines of a frame, so that columns stand below each other.
  private let fields: Fields
  private let nameWidth: Int
  private let barWidth: Int
  private let width: Int

  init(lines: [ProgressLine], width: Int) {
    self.width = max(1, width)
    let longest = lines.map { DisplayWidth.of(DisplayWidth.printable($0.name)) }.max() ?? 0
    let wanted = min(max(longest, 8), 40)
    let enough = min(wanted, Self.enoughName)
    var chosen = Self.ladder[Self.ladder.count - 1]
    for fields in Self.ladder
    where Self.fixedWidth(fields) + (fields.bar ? 2 + Self.leastBar : 0) + enough <= self.width {
      chosen = fields
      break
    }
    fields = chosen
    let room = self.width - Self.fixedWidth(chosen)
    if chosen.bar {
      barWidth = min(42, max(Self.leastBar, room - 2 - wanted))
      nameWidth = min(wanted, room - 2 - barWidth)
    } else {
      barWidth = 0
      nameWidth = max(0, min(wanted, room))
    }
  }

  func text(of line: ProgressLine) -> String {
    var pieces = [DisplayWidth.pad(line.name, to: nameWidth), percent(of: line)]
    if fields.bar { pieces.append(bar(of: line)) }
    if fields.bytes { pieces.append(bytes(of: line)) }
    pieces.append(tail(of: line))
    let text = pieces.filter { !$0.isEmpty }.joined(separator: "  ")
    return DisplayWidth.fit(String(trimmed(text)), into: width)
  }

  private func percent(of line: ProgressLine) -> String {
    if let percent = line.percent { return Self.right("\(percent)%", 4) }
    return fields.bytes ? "    " : Self.right(Quantity.compactBytes(line.bytesDone), 4)
  }

  private func bar(of line: ProgressLine) -> String {
    let inner = barWidth - 2
    guard let percent = line.percent else { return "[" + String(repeating: " ", count: inner) + "]" }
    let filled = percent * inner / 100
    let head = filled > 0 && filled < inner ? ">" : ""
    let body = String(repeating: "=", count: filled - head.count)
    return "[" + body + head + String(repeating: " ", count: inner - filled) + "]"
  }

  private func bytes(of line: ProgressLine) -> String {
    guard fields.total else { return Self.right(Quantity.bytes(line.bytesDone), Self.bytesWidth) }
    let done = Quantity.bytes(line.bytesDone)
    let text = line.bytesTotal.map { "\(done)/\(Quantity.bytes($0))" } ?? done
    return Self.right(text, Self.bytesWidth * 2 + 1)
  }

  /// Rate and ETA, or the state in their place.
  private func tail(of line: ProgressLine) -> String {
    if let state = line.state { return DisplayWidth.fit(state, into: max(0, tailWidth)) }
    var pieces: [String] = []
    if fields.rate { pieces.append(Self.right(line.bytesPerSecond.map(Quantity.rate) ?? "", Self.rateWidth)) }
    if fields.eta { pieces.append(Self.right(eta(of: line), Self.etaWidth)) }
    return pieces.joined(separator: "  ")
  }

  /// Without a length there is no end to tell: the rate takes its place where it has no column of its own.
  private func eta(of line: ProgressLine) -> String {
    if let seconds = line.etaSeconds { return Quantity.duration(seconds) }
    guard !fields.rate, let rate = line.bytesPerSecond, let count = Int64(exactly: rate.rounded()) else { return "" }
    return Quantity.compactBytes(count) + "/s"
  }

  private var tailWidth: Int {
    (fields.rate ? Self.rateWidth : 0) + (fields.eta ? Self.etaWidth : 0) + (fields.rate && fields.eta ? 2 : 0)
  }

  /// So that a terminal of 80 columns, the last one free, has a bar and a readable name.
  private static let enoughName = 14
  private static let leastBar = 10
  private static let bytesWidth = 10
  private static let rateWidth = 12
  private static let etaWidth = 8

  /// All but name and bar, with the gaps between.
  private static func fixedWidth(_ fields: Fields) -> Int {
    var width = 2 + 4
    if fields.bytes { width += 2 + (fields.total ? bytesWidth * 2 + 1 : bytesWidth) }
    if fields.rate { width += 2 + rateWidth }
    if fields.eta { width += 2 + etaWidth }
    return width
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
  }

  private func trimmed(_ text: String) -> Substring {
    var text = text[...]
    while text.last == " " { text.removeLast() }
    return text
  }
}
