import Core

/// Every event as one JSON object a line on standard output.
@MainActor
final class JSONView: ProgressView {
  private let console: Console

  init(console: Console) { self.console = console }

  func take(_ events: [TransferEvent], at now: Moment) throws(TransferFailure) {
    var lines: [String] = []
    for event in events { lines.append(try JSONText.of(EventObject(event, time: now.wall))) }
    console.results(lines)
  }

  func finish(at now: Moment) {}
}
