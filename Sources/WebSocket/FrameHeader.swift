/// The first two to fourteen bytes of a frame (RFC 6455 §5.2).
struct FrameHeader {
  enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xa

    var isControl: Bool { rawValue >= 0x8 }
  }

  var opcode: Opcode
  var isFinal: Bool
  var isMasked: Bool
  var byteCount: Int
  var mask = Mask.none

  static let maxByteCount = 14
  static let maxControlByteCount = 125

  init(_ opcode: Opcode, isFinal: Bool, byteCount: Int, mask: Mask?) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.byteCount = byteCount
    isMasked = mask != nil
    self.mask = mask ?? .none
  }

  /// How many bytes the header has whose first two are these.
  static func byteCount(_ first: UInt8, _ second: UInt8) -> Int {
    let length = second & 0x7f
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (second & 0x80 == 0 ? 0 : 4)
  }

  /// Reads a whole header.
  init(_ bytes: [UInt8]) throws(ProtocolFailure) {
    guard bytes[0] & 0x70 == 0 else {
      throw ProtocolFailure(.protocolError, "a reserved bit of a frame is set")
    }
    guard let opcode = Opcode(rawValue: bytes[0] & 0x0f) else {
      throw ProtocolFailure(.protocolError, "a frame has the unknown opcode \(bytes[0] & 0x0f)")
    }
    self.opcode = opcode
    isFinal = bytes[0] & 0x80 != 0
    isMasked = bytes[1] & 0x80 != 0
    let maskOffset = bytes.count - (isMasked ? 4 : 0)
    byteCount = try Self.length(bytes[1] & 0x7f, bytes[2..<maskOffset])
    if isMasked {
      mask.key = bytes[maskOffset...].enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * $1.offset) }
    }
    guard opcode.isControl else { return }
    guard isFinal else { throw ProtocolFailure(.protocolError, "a control frame is fragmented") }
    guard byteCount <= Self.maxControlByteCount else {
      throw ProtocolFailure(.protocolError, "a control frame has \(byteCount) bytes, at most 125 are allowed")
    }
  }

  private static func length(_ short: UInt8, _ long: ArraySlice<UInt8>) throws(ProtocolFailure) -> Int {
    guard short >= 126 else { return Int(short) }
    let length = long.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(Int64.max) else {
      throw ProtocolFailure(.protocolError, "a frame's length has its highest bit set")
    }
    // "The minimal number of bytes MUST be used to encode the length."
    guard length > (short == 126 ? 125 : 65_535) else {
      throw ProtocolFailure(.protocolError, "a frame's length of \(length) is not encoded in the fewest bytes")
    }
    return Int(length)
  }

  /// The header as it goes out; a mask of a little-endian machine stands in memory as it does on the wire.
  var bytes: [UInt8] {
    var bytes = [(isFinal ? 0x80 : 0) | opcode.rawValue]
    let flag: UInt8 = isMasked ? 0x80 : 0
    if byteCount <= 125 {
      bytes.append(flag | UInt8(byteCount))
    } else if byteCount <= 65_535 {
      bytes += [flag | 126, UInt8(byteCount >> 8), UInt8(byteCount & 0xff)]
    } else {
      bytes.append(flag | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(byteCount >> shift & 0xff)) }
    }
    if isMasked { for shift in [0, 8, 16, 24] { bytes.append(UInt8(mask.key >> UInt32(shift) & 0xff)) } }
    return bytes
  }
}

extension ProtocolFailure {
  init(_ code: CloseCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
