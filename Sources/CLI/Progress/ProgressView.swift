import Core

/// One way to show what happens; it is told everything and decides what to show, and when.
@MainActor
protocol ProgressView: AnyObject {
  func take(_ events: [TransferEvent], at now: Moment) throws(TransferFailure)
  /// Nothing more comes.
  func finish(at now: Moment)
}

/// `--progress none`, and `--quiet`.
@MainActor
final class SilentView: ProgressView {
  func take(_ events: [TransferEvent], at now: Moment) {}
  func finish(at now: Moment) {}
}

/// `--progress`, with `auto` resolved.
enum ProgressKind: String, Hashable, Sendable {
  case bar, line, json, none

  /// What `auto` means here: bars need a terminal that can move its cursor and somebody who looks at it.
  static func automatic(isTerminal: Bool, terminalName: String?, isCI: Bool, isJSON: Bool, isQuiet: Bool) -> Self {
    if isJSON { return .json }
    if isQuiet { return .none }
    return isTerminal && !isCI && terminalName != nil && terminalName != "dumb" ? .bar : .line
  }
}
