/// Percent-encoding (RFC 3986 §2.1), as URLs and extended parameters (RFC 8187) use it.
enum PercentText {
  /// The bytes that `text` stands for; a `%` without two digits behind it stands for itself.
  static func decoded(_ text: Substring) -> [UInt8] {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if let byte = escape(in: bytes, at: index) {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  /// Whether every `%` has two hexadecimal digits behind it.
  static func isWellFormed(_ text: Substring) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || escape(in: bytes, at: $0) != nil }
  }

  /// `text` with each UTF-8 byte that `isKept` refuses as `%XX`; what is encoded already stays as it is.
  static func encoded(_ text: Substring, isKept: (UInt8) -> Bool) -> String {
    if text.utf8.allSatisfy(isKept) { return String(text) }
    var encoded = ""
    for byte in text.utf8 {
      if isKept(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  private static func escape(in bytes: [UInt8], at index: Int) -> UInt8? {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
      let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
