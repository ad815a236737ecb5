/// An ETag header's value (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
  /// With its quotes, without `W/`.
  public let opaque: String
  public let isWeak: Bool

  /// Nil unless it is one well-formed tag.
  public init?(_ text: String) {
    var rest = Substring(text)
    isWeak = rest.hasPrefix("W/")
    if isWeak { rest = rest.dropFirst(2) }
    let bytes = Array(rest.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return nil }
    // etagc: no quote, no space, no control character.
    guard bytes.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || (0x23...0x7e).contains($0) || $0 >= 0x80 }) else {
      return nil
    }
    opaque = String(rest)
  }

  /// Equal, and both strong: the bytes are the same (RFC 9110 §8.8.3.2).
  public func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
}
