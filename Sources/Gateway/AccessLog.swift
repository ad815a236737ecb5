import Posix

/// One line a request on standard error.
struct AccessLog: Sendable {
  /// `GET /media/a 206 bytes=0-99 100`, and ` aborted` when not all of it went out.
  static func line(_ exchange: Exchange, isWhole: Bool) -> String {
    let range = exchange.head.value("range") ?? "-"
    let words = [exchange.head.method, exchange.head.path, "\(exchange.status)", range, "\(exchange.byteCount)"]
    let line = words.map { printable($0) }.joined(separator: " ")
    return line + (isWhole ? "\n" : " aborted\n")
  }

  /// A standard error that takes no lines is no reason to stop serving.
  func write(_ exchange: Exchange, isWhole: Bool) {
    StandardStreams.tell(Self.line(exchange, isWhole: isWhole), on: .error)
  }

  /// What strangers send must not drive a terminal or break the line.
  static func printable(_ text: String, spaces: Bool = false) -> String {
    let least: UInt32 = spaces ? 0x20 : 0x21
    return String(String.UnicodeScalarView(text.unicodeScalars.map { (least..<0x7F).contains($0.value) ? $0 : "?" }))
  }
}

extension StandardStreams {
  /// Writes where there is nobody to tell that it failed.
  static func tell(_ text: String, on stream: Output) {
    do throws(Errno) { try write(text, to: stream) } catch { return }
  }
}
