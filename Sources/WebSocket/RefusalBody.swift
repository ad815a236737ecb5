/// The body of an answer that is no upgrade, as far as it says something to a person.
struct RefusalBody {
  /// More is not waited for.
  static let maxByteCount = 4 << 10

  /// Nothing more of it is needed.
  let isWhole: Bool
  private let bytes: [UInt8]
  private let isPage: Bool

  /// - Parameter received: what came behind the head.
  init(_ received: some Sequence<UInt8>, status: Int, head: HeadText) {
    let raw = Array(received.prefix(Self.maxByteCount))
    isPage = head["content-type"]?.lowercased().contains("html") ?? false
    if status == 204 || status == 304 {
      (bytes, isWhole) = ([], true)
    } else if HeadText.holds("chunked", in: head["transfer-encoding"]) {
      let (data, isEnd) = Self.unchunked(raw)
      (bytes, isWhole) = (data, isEnd || raw.count == Self.maxByteCount)
    } else {
      let length = head["content-length"].flatMap { Int($0) }.map { min(max(0, $0), Self.maxByteCount) }
      bytes = Array(raw.prefix(length ?? .max))
      isWhole = raw.count >= length ?? Self.maxByteCount
    }
  }

  /// The first line that says something, at most 200 characters, without controls and without a page's tags.
  var message: String {
    let text = String(decoding: isPage ? Self.untagged(bytes) : bytes, as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).map { HeadText.trimmed($0) }.first { !$0.isEmpty } ?? ""
    let clean = line.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(200)
    return String(String.UnicodeScalarView(clean))
  }

  /// The data of a chunked body as far as it came, and whether that is all (RFC 9112 §7.1).
  private static func unchunked(_ text: [UInt8]) -> (data: [UInt8], isEnd: Bool) {
    var data: [UInt8] = []
    var rest = text[...]
    while let lineEnd = rest.firstIndex(of: 0x0a) {
      let digits = rest[..<lineEnd].prefix { $0.isHexDigit }
      // The last chunk has no bytes; what is no chunk at all ends the body as well.
      guard let count = Int(String(decoding: digits, as: UTF8.self), radix: 16), count > 0 else { return (data, true) }
      rest = rest[(lineEnd + 1)...]
      data += rest.prefix(count)
      guard rest.count > count else { break }
      rest = rest.dropFirst(count).drop { $0 == 0x0d || $0 == 0x0a }
    }
    return (data, false)
  }

  private static func untagged(_ page: [UInt8]) -> [UInt8] {
    var isTag = false
    return page.filter { byte in
      if byte == UInt8(ascii: "<") { isTag = true }
      defer { if byte == UInt8(ascii: ">") { isTag = false } }
      return !isTag
    }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x46).contains(self & 0xdf) }
}
