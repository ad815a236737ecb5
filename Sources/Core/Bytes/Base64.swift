/// Base64 (RFC 4648 §4) for the few short values in headers; frames have a faster one.
enum Base64 {
  /// Nil for anything but canonical text: no other characters, whole padding, no stray bits in the last one.
  static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    let bytes = Array(text)
    guard bytes.count.isMultiple(of: 4) else { return nil }
    let paddingCount = bytes.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count / 4 * 3)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes.dropLast(paddingCount) {
      guard let value = value(of: byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    return bits & (1 << UInt32(bitCount) - 1) == 0 ? decoded : nil
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
