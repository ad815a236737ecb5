internal import Glibc

/// The streams that a process is given at its start.
public enum StandardStreams {
  public enum Output: Int32, Sendable {
    case output = 1
    case error = 2
  }

  /// Writes all bytes, however long the reader takes; `.brokenPipe` when it is gone. The C function is `write`.
  public static func write(_ bytes: UnsafeRawBufferPointer, to stream: Output) throws(Errno) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        done += try unsafe Syscalls.write(stream.rawValue, UnsafeRawBufferPointer(rebasing: bytes[done...]))
      } catch .wouldBlock {
        // Whoever shares the terminal or the pipe may have made it non-blocking.
        try waitUntilReady(stream.rawValue, for: Int16(POLLOUT))
      }
    }
  }

  /// The next bytes of standard input, as many as there are; nil at its end, and where it cannot be read.
  public static func readInput(atMost limit: Int) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: limit)
    while true {
      do throws(Errno) {
        let count = try unsafe room.withUnsafeMutableBufferPointer { (room) throws(Errno) -> Int in
          try unsafe Syscalls.read(0, into: UnsafeMutableRawBufferPointer(room))
        }
        return count > 0 ? Array(room[..<count]) : nil
      } catch .wouldBlock {
        do throws(Errno) { try waitUntilReady(0, for: Int16(POLLIN)) } catch { return nil }
      } catch {
        return nil
      }
    }
  }

  /// Writes all of a text.
  public static func write(_ text: String, to stream: Output) throws(Errno) {
    try write(Array(text.utf8), to: stream)
  }

  /// Writes all bytes.
  public static func write(_ bytes: [UInt8], to stream: Output) throws(Errno) {
    try unsafe bytes.span.withUnsafeBytes { (bytes) throws(Errno) in try unsafe write(bytes, to: stream) }
  }

  /// Waits for a stream to take or give bytes, or to have ended.
  static func waitUntilReady(_ descriptor: Int32, for events: Int16) throws(Errno) {
    var watched = pollfd(fd: descriptor, events: events, revents: 0)
    while unsafe poll(&watched, 1, -1) < 0 { guard errno == EINTR else { throw .last } }
  }
}
