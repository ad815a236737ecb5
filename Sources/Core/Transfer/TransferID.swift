/// Names one transfer for life: eight characters without look-alikes, 40 bits of chance.
public struct TransferID: Hashable, Sendable {
  public let text: String

  static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
  static let length = 8

  /// Nil unless the text is a whole ID.
  public init?(_ text: String) {
    guard text.count == Self.length, text.allSatisfy({ Self.alphabet.contains($0) }) else { return nil }
    self.text = text
  }

  public static func random(using generator: inout some RandomNumberGenerator) -> TransferID {
    var bits = generator.next()
    var text = ""
    for _ in 0..<length {
      text.append(alphabet[Int(bits & 31)])
      bits >>= 5
    }
    return TransferID(unchecked: text)
  }

  private init(unchecked text: String) { self.text = text }
}

extension TransferID: Comparable, CustomStringConvertible {
  public static func < (one: TransferID, other: TransferID) -> Bool { one.text < other.text }
  public var description: String { text }
}
