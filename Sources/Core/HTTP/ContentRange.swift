/// A Content-Range header's value (RFC 9110 §14.4).
public enum ContentRange: Hashable, Sendable {
  case bytes(ByteRange, total: Int64?)
  /// `bytes */N`: nothing of the range could be sent.
  case unsatisfied(total: Int64)
  /// Another unit than bytes.
  case otherUnit
  case malformed

  public init(_ text: String) { self = Self.parsed(text) }

  private static func parsed(_ text: String) -> ContentRange {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2 else { return .malformed }
    guard words[0].lowercased() == "bytes" else { return .otherUnit }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return .malformed }
    if halves[0] == "*" { return number(halves[1]).map { .unsatisfied(total: $0) } ?? .malformed }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last, last < Int64.max
    else { return .malformed }
    let range = ByteRange(first, last + 1)
    if halves[1] == "*" { return .bytes(range, total: nil) }
    guard let total = number(halves[1]), range.end <= total else { return .malformed }
    return .bytes(range, total: total)
  }

  /// Digits only: neither a sign nor a number that does not fit.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(text)
  }
}
