/// Names the process that works on a transfer: its pid, for people, and a random part.
public struct OwnerToken: Hashable, Sendable {
  /// `PID-RANDOM`, with sixteen hexadecimal digits; also the name of the process's lock file.
  public let text: String
  public let processID: Int32

  /// Nil unless the text is a whole token.
  public init?(_ text: String) {
    let pieces = text.split(separator: "-", omittingEmptySubsequences: false)
    guard pieces.count == 2, let pid = Int32(pieces[0]), pid > 0, let number = UInt64(pieces[1], radix: 16) else {
      return nil
    }
    self.init(processID: pid, number: number)
    guard self.text == text else { return nil }  // one spelling only: it is a file name
  }

  init(processID: Int32, number: UInt64) {
    let digits = String(number, radix: 16)
    text = "\(processID)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    self.processID = processID
  }
}

extension OwnerToken: CustomStringConvertible {
  public var description: String { text }
}
