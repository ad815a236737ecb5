import Core
import Posix

/// A standard stream as a place for text.
@MainActor
final class StandardSink: TextSink {
  private let stream: StandardStreams.Output

  init(_ stream: StandardStreams.Output) { self.stream = stream }

  func write(_ text: String) -> WriteOutcome {
    do throws(Errno) {
      try StandardStreams.write(Array(text.utf8), to: stream)
      return .written
    } catch .brokenPipe {
      return .readerGone
    } catch {
      let code = error.isDiskFull ? FailureCode.diskFull : .localFile
      return .failed(TransferFailure(code, "cannot write to standard output: \(error)"))
    }
  }
}
