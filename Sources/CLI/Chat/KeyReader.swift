/// Reads keys from the bytes of a terminal, which come in any pieces (xterm's control sequences, ECMA-48).
struct KeyReader {
  /// A paste longer than this loses its rest: it would be one message.
  static let maxPasteByteCount = 1 << 20
  private static let maxSequenceByteCount = 32

  private enum State {
    case plain
    /// Behind an escape.
    case escape
    /// Behind `ESC [` or `ESC O`; what came since.
    case sequence([UInt8])
    case paste
  }

  private var state = State.plain
  /// Bytes of a character that is not whole.
  private var pending: [UInt8] = []
  private var pasted: [UInt8] = []

  mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { take($0) } }

  private mutating func take(_ byte: UInt8) -> Key? {
    switch state {
    case .plain: return plain(byte)
    case .escape: return escaped(byte)
    case .sequence(let held): return sequence(held, byte)
    case .paste: return paste(byte)
    }
  }

  private mutating func plain(_ byte: UInt8) -> Key? {
    guard byte < 0x80 else { return character(byte) }
    pending = []
    switch byte {
    case 0x1b:
      state = .escape
      return nil
    case 0x0d, 0x0a: return .enter
    case 0x7f, 0x08: return .backspace
    case 0x20..<0x7f: return .text(String(UnicodeScalar(byte)))
    default: return Self.controls[byte]
    }
  }

  /// Control and a letter, as in most shells.
  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x0b: .killToEnd,
    0x0c: .redraw, 0x0e: .down, 0x10: .up, 0x15: .killToStart, 0x17: .killWord, 0x1a: .suspend,
  ]

  private mutating func character(_ byte: UInt8) -> Key? {
    if byte & 0xc0 == 0x80, pending.isEmpty { return nil }
    if byte & 0xc0 != 0x80 { pending = [] }
    pending.append(byte)
    let count = Self.byteCount(of: pending[0])
    guard pending.count >= count else { return nil }
    defer { pending = [] }
    return String(validating: pending, as: UTF8.self).map { .text($0) }
  }

  private static func byteCount(of lead: UInt8) -> Int { lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2 }

  private mutating func escaped(_ byte: UInt8) -> Key? {
    state = .plain
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      state = .sequence([])
      return nil
    case 0x1b:
      state = .escape
      return nil
    case UInt8(ascii: "b"): return .wordLeft
    case UInt8(ascii: "f"): return .wordRight
    case 0x7f, 0x08: return .killWord
    default: return nil
    }
  }

  private mutating func sequence(_ held: [UInt8], _ byte: UInt8) -> Key? {
    guard (0x40...0x7e).contains(byte) else {
      // Parameters; whatever is none, or too many, ends it.
      let goesOn = (0x20...0x3f).contains(byte) && held.count < Self.maxSequenceByteCount
      state = goesOn ? .sequence(held + [byte]) : .plain
      return nil
    }
    state = .plain
    let parameters = String(decoding: held, as: UTF8.self)
    if byte == UInt8(ascii: "~"), parameters == "200" {
      (state, pasted) = (.paste, [])
      return nil
    }
    let isByWord = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
    switch (byte, parameters) {
    case (UInt8(ascii: "A"), _): return .up
    case (UInt8(ascii: "B"), _): return .down
    case (UInt8(ascii: "C"), _): return isByWord ? .wordRight : .right
    case (UInt8(ascii: "D"), _): return isByWord ? .wordLeft : .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): return .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): return .end
    case (UInt8(ascii: "~"), "3"): return .delete
    default: return nil
    }
  }

  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  private mutating func paste(_ byte: UInt8) -> Key? {
    pasted.append(byte)
    let mark = Self.endOfPaste
    if byte == mark[mark.count - 1], pasted.suffix(mark.count).elementsEqual(mark) {
      defer { (state, pasted) = (.plain, []) }
      return .paste(String(decoding: pasted.dropLast(mark.count), as: UTF8.self))
    }
    // What might become the mark stays.
    if pasted.count > Self.maxPasteByteCount { pasted.remove(at: pasted.count - mark.count) }
    return nil
  }
}
