import Core

/// Bars redrawn in place on a terminal.
@MainActor
final class BarView: ProgressView {
  /// Nothing is drawn before this: most small files are there by then, and a flash tells nobody anything.
  static let delaySeconds = 0.5
  /// At most ten frames a second.
  static let frameSeconds = 0.1

  private let console: Console
  private let window: () -> WindowSize
  private var board = ProgressBoard()
  private var nextFrame: Instant?
  private var hasDrawn = false

  /// `window` is asked at every frame, for it may change at any time.
  init(console: Console, window: @escaping () -> WindowSize) {
    self.console = console
    self.window = window
  }

  func take(_ events: [TransferEvent], at now: Moment) {
    for event in events where event.kind != .note { board.take(event.snapshot) }
    guard let next = nextFrame else { return nextFrame = now.instant + Self.delaySeconds }
    guard now.instant >= next else { return }
    nextFrame = now.instant + Self.frameSeconds
    draw(at: now)
  }

  /// The last frame stays, with everything at its end.
  func finish(at now: Moment) {
    guard hasDrawn else { return }
    draw(at: now)
    console.keepDrawing()
  }

  private func draw(at now: Moment) {
    let window = window()
    // The last column stays free: some terminals wrap as soon as it is written.
    let lines = ProgressFrame.lines(of: board, width: window.columns - 1, rows: window.rows - 1, now: now.wall)
    console.draw(lines, columns: window.columns)
    if !lines.isEmpty { hasDrawn = true }
  }
}

/// A terminal's size in characters.
struct WindowSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// What a terminal that does not tell is taken for.
  static let unknown = WindowSize(columns: 80, rows: 24)
}
