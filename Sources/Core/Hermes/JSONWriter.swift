/// Writes JSON text as UTF-8, fields in the order they are given.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init() {}

  /// The UTF-8 of a value; the keys of its objects are sorted, so that equal values are equal text.
  public static func encoded(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  mutating func beginObject() { open(UInt8(ascii: "{")) }
  mutating func endObject() { close(UInt8(ascii: "}")) }
  mutating func beginArray() { open(UInt8(ascii: "[")) }
  mutating func endArray() { close(UInt8(ascii: "]")) }

  mutating func key(_ name: String) {
    separate()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func field(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    write(.string(text))
  }

  mutating func field(_ name: String, _ number: Int64?) {
    guard let number else { return }
    key(name)
    write(.integer(number))
  }

  mutating func field(_ name: String, _ number: Int?) { field(name, number.map { Int64($0) }) }

  /// Left out when false: every flag of the protocol is off when absent.
  mutating func field(_ name: String, ifTrue flag: Bool) {
    guard flag else { return }
    key(name)
    write(.bool(true))
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: literal("null")
    case .bool(let flag): literal(flag ? "true" : "false")
    case .integer(let number): literal(String(number))
    // JSON has no words for the others.
    case .number(let number): literal(number.isFinite ? String(number) : "null")
    case .string(let text):
      separate()
      quote(text)
      needsComma = true
    case .array(let items):
      beginArray()
      for item in items { write(item) }
      endArray()
    case .object(let fields):
      beginObject()
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        key(name)
        write(value)
      }
      endObject()
    }
  }

  /// Bytes as they are, between what was written and what follows.
  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func literal(_ text: String) {
    separate()
    raw(text)
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  /// Only what RFC 8259 §7 demands is escaped.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"")
      case UInt8(ascii: "\\"): raw("\\\\")
      case UInt8(ascii: "\n"): raw("\\n")
      case UInt8(ascii: "\r"): raw("\\r")
      case UInt8(ascii: "\t"): raw("\\t")
      case 0..<0x20: raw(byte < 16 ? "\\u000\(String(byte, radix: 16))" : "\\u00\(String(byte, radix: 16))")
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
