import Core

/// The fields of a head that decisions read.
enum HeaderField {
  case entityTag, lastModified, date, contentLength, contentRange, contentEncoding, contentType, contentDisposition
  case acceptRanges, location, retryAfter, reprDigest, contentDigest, authenticate, transferEncoding

  /// Whether a second line of the same name adds to the first.
  var isList: Bool {
    switch self {
    case .acceptRanges, .contentEncoding, .reprDigest, .contentDigest, .authenticate: true
    default: false
    }
  }

  /// Where the text goes that is kept as it came.
  var path: WritableKeyPath<ResponseHead, String?>? {
    switch self {
    case .entityTag: \.entityTag
    case .contentEncoding: \.contentEncoding
    case .contentType: \.contentType
    case .contentDisposition: \.contentDisposition
    case .acceptRanges: \.acceptRanges
    case .location: \.location
    case .reprDigest: \.reprDigest
    case .contentDigest: \.contentDigest
    case .authenticate: \.authenticate
    default: nil
    }
  }
}

/// One line of a head, taken apart in place.
enum HeaderLine {
  /// The status code of "HTTP/1.1 206 …" or "HTTP/2 206"; nil for every other line.
  static func statusLine(_ line: UnsafeRawBufferPointer) -> (code: Int, isMultiplexed: Bool)? {
    guard line.count >= 10, unsafe isSame(UnsafeRawBufferPointer(rebasing: line[..<5]), "http/"),
      let space = unsafe line.firstIndex(of: UInt8(ascii: " ")), line.count >= space + 4
    else { return nil }
    let digits = unsafe Array(line[(space + 1)..<(space + 4)])
    guard digits.allSatisfy(isDigit) else { return nil }
    let code = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    let version = unsafe line[5]
    return (code, isDigit(version) && version >= UInt8(ascii: "2"))
  }

  /// The field and its value without the spaces around it; nil for names that nobody reads.
  static func knownField(_ line: UnsafeRawBufferPointer) -> (HeaderField, UnsafeRawBufferPointer)? {
    guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let name = unsafe UnsafeRawBufferPointer(rebasing: line[..<colon])
    guard let (text, field) = unsafe candidate(name), unsafe isSame(name, text) else { return nil }
    return unsafe (field, trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
  }

  /// Adds a line as it came; one without a colon is none.
  static func add(_ line: UnsafeRawBufferPointer, to fields: inout HeaderFields) {
    if unsafe isSpace(line[0]) { return unsafe fields.continueLast(text(trimmed(line))) }
    guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
    let name = unsafe text(UnsafeRawBufferPointer(rebasing: line[..<colon]))
    let value = unsafe text(trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
    fields.append(name: name, value: value)
  }

  /// Length, first and last letter leave at most one name to compare with.
  private static func candidate(_ name: UnsafeRawBufferPointer) -> (StaticString, HeaderField)? {
    let first = unsafe Character(Unicode.Scalar(lower(name[0])))
    let last = unsafe Character(Unicode.Scalar(lower(name[name.count - 1])))
    return switch (name.count, first, last) {
    case (4, "e", "g"): ("etag", .entityTag)
    case (4, "d", "e"): ("date", .date)
    case (8, "l", "n"): ("location", .location)
    case (11, "r", "r"): ("retry-after", .retryAfter)
    case (11, "r", "t"): ("repr-digest", .reprDigest)
    case (12, "c", "e"): ("content-type", .contentType)
    case (13, "l", "d"): ("last-modified", .lastModified)
    case (13, "c", "e"): ("content-range", .contentRange)
    case (13, "a", "s"): ("accept-ranges", .acceptRanges)
    case (14, "c", "h"): ("content-length", .contentLength)
    case (14, "c", "t"): ("content-digest", .contentDigest)
    case (16, "c", "g"): ("content-encoding", .contentEncoding)
    case (16, "w", "e"): ("www-authenticate", .authenticate)
    case (17, "t", "g"): ("transfer-encoding", .transferEncoding)
    case (19, "c", "n"): ("content-disposition", .contentDisposition)
    default: nil
    }
  }

  /// Whether both are the same text; `lowercased` is in lower case already.
  private static func isSame(_ bytes: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
    guard bytes.count == lowercased.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where unsafe lower(bytes[index]) != lowercased.utf8Start[index] { return false }
    return true
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  static func withoutLineEnd(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var end = bytes.count
    if end > 0, unsafe bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, unsafe bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[..<end])
  }

  /// Without spaces and tabs at both ends.
  static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (start, end) = (0, bytes.count)
    while start < end, unsafe isSpace(bytes[start]) { start += 1 }
    while end > start, unsafe isSpace(bytes[end - 1]) { end -= 1 }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// UTF-8, or ISO-8859-1 where it isn't (RFC 9110 section 5.5 knows only the latter).
  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    if let text = unsafe String(validating: bytes, as: UTF8.self) { return text }
    return unsafe String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// A number of digits only; nil for everything else and for what Int64 doesn't hold.
  static func number(_ text: String) -> Int64? {
    text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
