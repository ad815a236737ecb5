internal import CPosix
internal import Glibc

/// A question at the terminal whose answer doesn't show while it is typed, such as a password.
public enum HiddenPrompt {
  private static let maxByteCount = 4096

  /// Asks, and gives the line; nil when the input ends instead. Throws what opening the terminal says when there is none.
  public static func ask(_ question: String, terminal path: String = "/dev/tty") throws(Errno) -> String? {
    let terminal = try Syscalls.open(path, in: AT_FDCWD, flags: O_RDWR)
    try TerminalMode.hideTyping(terminal.rawValue)
    defer { TerminalMode.restore() }
    try write(question, to: terminal.rawValue)
    let line = try readLine(terminal.rawValue)
    // The line end that was typed did not show either.
    try write("\n", to: terminal.rawValue)
    return line
  }

  /// Byte by byte: what was typed ahead after the line is somebody else's.
  private static func readLine(_ descriptor: Int32) throws(Errno) -> String? {
    var bytes: [UInt8] = []
    while bytes.count < maxByteCount {
      var byte: UInt8 = 0
      let count = try unsafe withUnsafeMutableBytes(of: &byte) { (room) throws(Errno) -> Int in
        try unsafe Syscalls.read(descriptor, into: room)
      }
      if count == 0 && bytes.isEmpty { return nil }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ text: String, to descriptor: Int32) throws(Errno) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = try unsafe bytes.span.withUnsafeBytes { (bytes) throws(Errno) -> Int in
        try unsafe Syscalls.write(descriptor, bytes)
      }
      bytes = bytes.dropFirst(count)
    }
  }
}
