/// A Retry-After header's value in one of its two forms (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable {
  /// From now on; never negative.
  case seconds(Double)
  /// A date, or what passes for one; the border reads it (curl_getdate).
  case dateText(String)

  /// More than anyone may ask for, so that the longest number is still one; `RetryPolicy` caps it well below.
  static let maxSeconds: Double = 1e9

  /// Nil for what is neither a number nor anything like a date.
  public init?(_ text: String) {
    let bytes = text.utf8
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    // Only digits are in the grammar; some servers send a fraction.
    if let first = bytes.first, isDigit(first), bytes.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }) {
      guard let seconds = Double(text) else { return nil }
      self = .seconds(min(seconds, Self.maxSeconds))
    } else {
      // Every form of HTTP-date begins with the day's name and has a time of day in it.
      guard bytes.contains(where: isDigit), bytes.contains(UInt8(ascii: ":")) else { return nil }
      self = .dateText(text)
    }
  }
}
