import Core

/// Where text goes: a standard stream, or a test's memory.
@MainActor
protocol TextSink: AnyObject {
  func write(_ text: String) -> WriteOutcome
}

/// What became of written text.
enum WriteOutcome: Hashable, Sendable {
  case written
  /// Nobody reads any more, as after `| head`: no error, but nothing more needs to be written.
  case readerGone
  /// The file behind a redirection took no more.
  case failed(TransferFailure)
}
