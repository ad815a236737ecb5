import Core
import Posix

/// Standard output as the target: bytes in order, nothing kept, so nothing can be taken back.
final class OutputSink {
  private(set) var hasWritten = false
  private var position: Int64 = 0

  /// Writes bytes that belong at `offset`; false when that failed, and then the download has been told.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, driver: DownloadDriver) -> Bool {
    guard offset == position else {
      driver.abort(TransferFailure(.internalError, "bytes came out of order: \(offset) instead of \(position)"))
      return false
    }
    do throws(Errno) {
      try unsafe StandardStreams.write(bytes, to: .output)
    } catch {
      driver.abort(TransferFailure(.localFile, "cannot write to standard output: \(error)"))
      return false
    }
    hasWritten = true
    position += Int64(bytes.count)
    return true
  }
}
