/// A dictionary of structured fields (RFC 8941 §4.2.2), read whole to know that it is well-formed; of its values only
/// byte sequences are kept.
struct StructuredDictionary {
  private(set) var byteSequences: [String: [UInt8]] = [:]
  private var rest: ArraySlice<UInt8>

  /// Nil for a malformed field: all of it must be ignored then.
  init?(_ text: String) {
    rest = Array(text.utf8)[...]
    skip(" ")
    while !rest.isEmpty {
      guard let key = key() else { return nil }
      // Of members with one name the last counts, whatever it is.
      byteSequences[key] = nil
      if take("=") {
        guard let value = member() else { return nil }
        if case .bytes(let bytes) = value { byteSequences[key] = bytes }
      }
      guard parameters(), separator() else { return nil }
    }
  }

  private enum Value {
    case bytes([UInt8])
    case other
  }

  /// The comma between members; nothing may follow that is no member.
  private mutating func separator() -> Bool {
    skipBlanks()
    if rest.isEmpty { return true }
    guard take(",") else { return false }
    skipBlanks()
    return !rest.isEmpty
  }

  private mutating func key() -> String? {
    guard let first = rest.first, isLower(first) || first == UInt8(ascii: "*") else { return nil }
    let key = rest.prefix { isLower($0) || isDigit($0) || isOneOf($0, "_-.*") }
    rest = rest.dropFirst(key.count)
    return String(decoding: key, as: UTF8.self)
  }

  private mutating func member() -> Value? { rest.first == UInt8(ascii: "(") ? innerList() : item() }

  private mutating func innerList() -> Value? {
    _ = take("(")
    while true {
      skip(" ")
      if take(")") { return .other }
      guard item() != nil, parameters(), let next = rest.first, isOneOf(next, " )") else { return nil }
    }
  }

  private mutating func parameters() -> Bool {
    while take(";") {
      skip(" ")
      guard key() != nil else { return false }
      if take("="), item() == nil { return false }
    }
    return true
  }

  private mutating func item() -> Value? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: ":"): return byteSequence()
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "?"): return boolean()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    default: return isLetter(first) || first == UInt8(ascii: "*") ? token() : nil
    }
  }

  private mutating func byteSequence() -> Value? {
    rest = rest.dropFirst()
    let text = rest.prefix { $0 != UInt8(ascii: ":") }
    rest = rest.dropFirst(text.count)
    guard take(":"), let bytes = Base64.decoded(text) else { return nil }
    return .bytes(bytes)
  }

  private mutating func string() -> Value? {
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return .other }
      guard (0x20...0x7e).contains(byte) else { return nil }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst(), isOneOf(escaped, "\"\\") else { return nil }
      }
    }
    return nil
  }

  private mutating func boolean() -> Value? {
    rest = rest.dropFirst()
    return take("0") || take("1") ? .other : nil
  }

  /// An integer of up to 15 digits or a decimal of up to 12 and 3 (RFC 8941 §4.2.4).
  private mutating func number() -> Value? {
    _ = take("-")
    let whole = digits()
    guard (1...15).contains(whole) else { return nil }
    guard take(".") else { return .other }
    return whole <= 12 && (1...3).contains(digits()) ? .other : nil
  }

  private mutating func digits() -> Int {
    let count = rest.prefix(while: isDigit).count
    rest = rest.dropFirst(count)
    return count
  }

  private mutating func token() -> Value? {
    rest = rest.drop { isLetter($0) || isDigit($0) || isOneOf($0, "!#$%&'*+-.^_`|~:/") }
    return .other
  }

  // MARK: Bytes

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skip(_ mark: Unicode.Scalar) { while take(mark) {} }

  private mutating func skipBlanks() { while take(" ") || take("\t") {} }

  private func isOneOf(_ byte: UInt8, _ marks: String) -> Bool { marks.utf8.contains(byte) }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

  private func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
}
