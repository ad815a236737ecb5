import Core

/// One line every ten seconds and one at the end, for logs.
@MainActor
final class LineView: ProgressView {
  static let intervalSeconds = 10.0

  private let console: Console
  private var board = ProgressBoard()
  private var nextLine: Instant?

  init(console: Console) { self.console = console }

  func take(_ events: [TransferEvent], at now: Moment) {
    for event in events where event.kind != .note { board.take(event.snapshot) }
    guard let next = nextLine else { return nextLine = now.instant + Self.intervalSeconds }
    guard now.instant >= next else { return }
    nextLine = now.instant + Self.intervalSeconds
    say(at: now)
  }

  func finish(at now: Moment) { say(at: now) }

  private func say(at now: Moment) {
    guard let latest = board.latest else { return }
    let line = board.accepted == 1 ? ProgressLine(latest, now: now.wall) : board.total
    console.progress(Self.text(of: line))
  }

  /// `f.iso: 42 %, 420.0 MiB of 1.0 GiB, 12.3 MiB/s, 0:48 to go`, without what is not known.
  static func text(of line: ProgressLine) -> String {
    var pieces: [String] = []
    if let percent = line.percent { pieces.append("\(percent) %") }
    let done = Quantity.bytes(line.bytesDone)
    if let total = line.bytesTotal, total != line.bytesDone {
      pieces.append("\(done) of \(Quantity.bytes(total))")
    } else {
      pieces.append(done)
    }
    if let state = line.state {
      pieces.append(state)
    } else {
      if let rate = line.bytesPerSecond { pieces.append(Quantity.rate(rate)) }
      if let eta = line.etaSeconds { pieces.append("\(Quantity.duration(eta)) to go") }
    }
    return "\(DisplayWidth.printable(line.name)): " + pieces.joined(separator: ", ")
  }
}
