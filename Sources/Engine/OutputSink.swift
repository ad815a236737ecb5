import Core
import Posix

/// Where bytes go that are not for a part file.
protocol ByteSink: AnyObject {
  /// Why what came so far cannot be taken back, when the server's file turns out to be another one.
  var lock: String? { get }
  /// Takes bytes that belong at `offset`; false ends the connection, and then the download has been told why.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, driver: DownloadDriver) -> Bool
}

/// Standard output as the target: bytes in order, nothing kept, so nothing can be taken back.
final class OutputSink: ByteSink {
  private var hasWritten = false
  var lock: String? { hasWritten ? "part of it was written to standard output" : nil }
  private var position: Int64 = 0

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
