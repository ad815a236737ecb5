/// Decodes one base64 text that comes in pieces of any size.
///
/// As media frames need it: the standard alphabet at full speed; white space within, the URL-safe alphabet and missing
/// padding are forgiven.
public struct Base64Decoder: Sendable {
  /// What was decoded so far.
  public private(set) var bytes: [UInt8] = []
  /// Up to three characters of a group that is not complete, as six bits each.
  private var group: UInt32 = 0
  private var groupCount = 0
  private var paddingCount = 0
  private var isBad = false
  /// Characters that the fast loop is given at once. Where it stops often it is given few.
  private var windowCount = maxWindowCount
  private var room: [UInt8] = []

  private static let maxWindowCount = 64 << 10
  private static let minWindowCount = 16

  public init() {}

  /// Hands the bytes over; nothing of them is left here.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Takes memory that `take` handed over for what comes next: new memory and its page faults would cost as much as the
  /// decoding.
  public mutating func reuse(_ memory: inout [UInt8]) {
    guard bytes.isEmpty, memory.capacity > bytes.capacity else { return }
    swap(&bytes, &memory)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Forgets the text before; the memory is kept for the next one.
  public mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    (group, groupCount, paddingCount) = (0, 0, 0)
    (isBad, windowCount) = (false, Self.maxWindowCount)
  }

  /// Decodes the text's next characters.
  public mutating func append(_ text: Span<UInt8>) {
    unsafe text.withUnsafeBytes { unsafe append($0) }
  }

  /// Decodes the text's next characters.
  public mutating func append(_ text: UnsafeRawBufferPointer) {
    var rest = unsafe text[...]
    while unsafe !rest.isEmpty, !isBad {
      if groupCount == 0, paddingCount == 0 {
        let window = unsafe rest.prefix(windowCount)
        let count = unsafe appendGroups(UnsafeRawBufferPointer(rebasing: window))
        unsafe rest = rest.dropFirst(count)
        if unsafe count == window.count {
          windowCount = min(windowCount * 2, Self.maxWindowCount)
          continue
        }
        windowCount = Self.minWindowCount
      }
      // What the fast loop stopped at, up to the end of its group.
      repeat {
        guard let character = unsafe rest.popFirst() else { return }
        append(character)
      } while groupCount > 0 && !isBad
    }
  }

  /// The text is over: whether all of it was base64.
  public mutating func finish() -> Bool {
    // One character alone is no byte, and padding fills a group up exactly or is left out.
    guard !isBad, groupCount != 1, paddingCount == 0 || groupCount + paddingCount == 4 else { return false }
    if groupCount == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
    if groupCount == 3 {
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    }
    groupCount = 0
    return true
  }

  private mutating func appendGroups(_ text: UnsafeRawBufferPointer) -> Int {
    if room.isEmpty { room = [UInt8](repeating: 0, count: Self.maxWindowCount / 4 * 3) }
    var room: [UInt8] = []
    swap(&room, &self.room)
    let count = unsafe room.withUnsafeMutableBytes { unsafe Base64.decodeGroups(text, into: $0) }
    // Through a room that stays in the processor's cache: to make `bytes` longer with zeros first costs more.
    unsafe room.withUnsafeBytes {
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<(count / 4 * 3)]))
    }
    swap(&room, &self.room)
    return count
  }

  private mutating func append(_ character: UInt8) {
    if character == 0x20 || (0x09...0x0d).contains(character) { return }
    if character == UInt8(ascii: "=") {
      paddingCount += 1
      isBad = paddingCount > 2 || groupCount < 2
    } else if paddingCount == 0, let value = Self.value(of: character) {
      group = group << 6 | value
      groupCount += 1
      guard groupCount == 4 else { return }
      bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      bytes.append(UInt8(truncatingIfNeeded: group))
      (group, groupCount) = (0, 0)
    } else {
      isBad = true
    }
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
