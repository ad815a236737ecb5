/// Percent-encoding of names in paths and header parameters (RFC 3986 §2.1, RFC 8187 §3.2).
enum PercentCoding {
  /// The text behind `%XX` escapes; nil for a broken escape or bytes that are not UTF-8.
  static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(nibble), let low = rest.next().flatMap(nibble) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Everything but letters, digits, `-._~` as `%XX`: right in a path segment and in an extended parameter.
  static func encode(_ text: String) -> String {
    var coded = ""
    for byte in text.utf8 {
      if isUnreserved(byte) {
        coded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        coded += byte < 16 ? "%0" : "%"
        coded += String(byte, radix: 16, uppercase: true)
      }
    }
    return coded
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
