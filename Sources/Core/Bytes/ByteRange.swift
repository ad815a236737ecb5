/// A run of bytes, counted from 0; the end is exclusive.
public struct ByteRange: Hashable, Sendable {
  public let start: Int64
  public let end: Int64

  /// - Precondition: `0 ≤ start ≤ end`.
  public init(_ start: Int64, _ end: Int64) {
    precondition(start >= 0 && end >= start, "a range of bytes runs forward from 0 or later")
    self.start = start
    self.end = end
  }

  public var byteCount: Int64 { end - start }
  public var isEmpty: Bool { start == end }

  public func contains(_ offset: Int64) -> Bool { offset >= start && offset < end }
}

extension ByteRange: Comparable {
  public static func < (one: ByteRange, other: ByteRange) -> Bool {
    (one.start, one.end) < (other.start, other.end)
  }
}

extension ByteRange: CustomStringConvertible {
  /// Header style for people, with an inclusive end: `0-99`.
  public var description: String { isEmpty ? "nothing at \(start)" : "\(start)-\(end - 1)" }
}
