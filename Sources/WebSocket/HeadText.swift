/// The head of an HTTP message as a handshake needs it: its first line and its fields (RFC 9112 §2–5).
struct HeadText {
  static let maxByteCount = 16 << 10

  let firstLine: Substring
  /// Names in lower case, in order.
  let fields: [(name: String, value: String)]

  /// Nil where a line is no field, or holds bytes that are no UTF-8.
  init?(_ bytes: some Sequence<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self).replacing("\r\n", with: "\n")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst() else { return nil }
    firstLine = first
    var fields: [(String, String)] = []
    for line in lines {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
      let value = line[line.utf8.index(after: colon)...]
      fields.append((line[..<colon].lowercased(), Self.trimmed(value)))
    }
    self.fields = fields
  }

  /// The values of a field that may stand more than once, joined as RFC 9110 §5.2 says.
  subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  static func trimmed(_ text: Substring) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0d }
    var bytes = text.utf8[...].drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return String(Substring(bytes))
  }

  /// Whether a list of tokens holds one, in any case.
  static func holds(_ token: String, in list: String?) -> Bool {
    guard let list else { return false }
    return list.split(separator: ",").contains { trimmed($0).lowercased() == token }
  }
}
