import Posix

/// A standard stream as a place for text.
@MainActor
final class StandardSink: TextSink {
  private let stream: StandardStreams.Output

  init(_ stream: StandardStreams.Output) { self.stream = stream }

  func write(_ text: String) -> Bool {
    do throws(Errno) {
      try StandardStreams.write(Array(text.utf8), to: stream)
      return true
    } catch {
      // Nobody reads any more, or the disk behind a redirection is full: there is nowhere left to say so.
      return false
    }
  }
}
