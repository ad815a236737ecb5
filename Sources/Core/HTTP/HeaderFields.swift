/// The fields of a head as they came, in their order.
public struct HeaderFields: Hashable, Sendable {
  public struct Line: Hashable, Sendable {
    /// As it was written.
    public var name: String
    /// Without the spaces around it.
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var lines: [Line] = []

  public init(_ lines: [Line] = []) { self.lines = lines }

  /// The value of a field, its name in any case; more lines of one name make a list (RFC 9110 section 5.3), so that two
  /// different numbers never pass for one.
  public subscript(name: String) -> String? {
    let values = lines.lazy.filter { Self.isSame($0.name, name) }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  public mutating func append(name: String, value: String) { lines.append(Line(name: name, value: value)) }

  /// Adds to the line before what continues it (RFC 9112 section 5.2).
  public mutating func continueLast(_ text: String) {
    guard !lines.isEmpty else { return }
    lines[lines.count - 1].value += " " + text
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
