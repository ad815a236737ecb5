/// Keys, texts and the streamed text.
extension FrameReader {
  mutating func beginString(_ use: Use) {
    guard countNode() else { return fail(.tooBig) }
    if use == .data {
      dataCount += 1
      // What was handed on cannot be taken back, and two texts in a row are neither of them.
      guard dataCount == 1 else { return fail(.notObject) }
    }
    text.removeAll(keepingCapacity: true)
    highSurrogate = nil
    self.use = use
    state = .string
  }

  /// Reads up to the closing quote, an escape or the piece's end, and gives where it stopped.
  mutating func readString(_ bytes: Span<UInt8>, from start: Int, data: (Span<UInt8>) -> Void) -> Int {
    let end = Self.endOfRun(in: bytes, from: start)
    if end > start {
      flushSurrogate(data)
      append(bytes.extracting(start..<end), data: data)
    }
    guard end < bytes.count, state == .string else { return end }
    switch bytes[end] {
    case UInt8(ascii: "\""):
      flushSurrogate(data)
      if state == .string { endString() }
    case UInt8(ascii: "\\"): state = .escape
    // Controls must be escaped (RFC 8259 §7).
    default: fail()
    }
    return end + 1
  }

  /// The index of the next quote, backslash or control; blocks, so that the compiler makes vectors of them: 34 GB/s
  /// here, 2 GB/s byte by byte.
  static func endOfRun(in bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index &+ 64 <= bytes.count {
      let block = bytes.extracting(index..<(index &+ 64))
      var hits: UInt8 = 0
      for place in block.indices {
        let byte = block[place]
        hits |= (byte == 0x22 ? 1 : 0) | (byte == 0x5c ? 1 : 0) | (byte < 0x20 ? 1 : 0)
      }
      if hits != 0 { break }
      index &+= 64
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x22 || byte == 0x5c || byte < 0x20 { break }
      index &+= 1
    }
    return index
  }

  private mutating func append(_ run: Span<UInt8>, data: (Span<UInt8>) -> Void) {
    if use == .data {
      dataByteCount += run.count
      return data(run)
    }
    textByteCount += run.count
    guard textByteCount <= limits.maxTextByteCount else { return fail(.tooBig) }
    for index in run.indices { text.append(run[index]) }
  }

  private mutating func endString() {
    if use == .data { return state = .commaOrEnd }
    // A text message was checked by the codec; a binary one was not.
    guard let string = String(validating: text, as: UTF8.self) else { return fail() }
    guard use == .key else { return store(.string(string)) }
    levels[levels.count - 1].key = string
    state = .colon
  }

  // MARK: Escapes

  mutating func readEscape(_ byte: UInt8, data: (Span<UInt8>) -> Void) {
    state = .string
    let plain: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = byte
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0c
    case UInt8(ascii: "n"): plain = 0x0a
    case UInt8(ascii: "r"): plain = 0x0d
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"):
      (escapeValue, escapeDigitCount) = (0, 0)
      return state = .hexadecimal
    default: return fail()
    }
    flushSurrogate(data)
    append([plain].span, data: data)
  }

  mutating func readHexadecimal(_ byte: UInt8, data: (Span<UInt8>) -> Void) {
    guard let digit = Self.digit(byte) else { return fail() }
    escapeValue = escapeValue << 4 | digit
    escapeDigitCount += 1
    guard escapeDigitCount == 4 else { return }
    state = .string
    switch escapeValue {
    case 0xd800...0xdbff:
      flushSurrogate(data)
      highSurrogate = escapeValue
    case 0xdc00...0xdfff:
      guard let high = highSurrogate else { return appendScalar(0xfffd, data: data) }
      highSurrogate = nil
      appendScalar(0x10000 + (high - 0xd800) << 10 + (escapeValue - 0xdc00), data: data)
    default:
      flushSurrogate(data)
      appendScalar(escapeValue, data: data)
    }
  }

  /// Half a pair alone is no character; its place is kept, as most readers do.
  private mutating func flushSurrogate(_ data: (Span<UInt8>) -> Void) {
    guard highSurrogate != nil else { return }
    highSurrogate = nil
    appendScalar(0xfffd, data: data)
  }

  private mutating func appendScalar(_ value: UInt32, data: (Span<UInt8>) -> Void) {
    guard let scalar = Unicode.Scalar(value) else { return fail() }
    append(Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter).span, data: data)
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
