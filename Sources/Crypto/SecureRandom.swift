internal import CCrypto

/// Numbers nobody can guess; the C function is `RAND_bytes`.
public struct SecureRandom: RandomNumberGenerator, Sendable {
  public init() {}

  public mutating func next() -> UInt64 {
    var number: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &number) { room in unsafe Self.fill(room) }
    return number
  }

  /// As many random bytes.
  public mutating func bytes(count: Int) -> [UInt8] {
    // Without bytes the array is the one empty one of all threads, and its count would be written.
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      unsafe Self.fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count]))
      filled = count
    }
  }

  /// A version 4 UUID (RFC 9562 §5.4), in lower case.
  public mutating func uuid() -> String {
    var bytes = bytes(count: 16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Hexadecimal.text(of: bytes)
    var groups: [Substring] = []
    var rest = digits[...]
    for count in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return groups.joined(separator: "-")
  }

  private static func fill(_ room: UnsafeMutableRawBufferPointer) {
    guard let start = room.baseAddress, room.count > 0 else { return }
    let result = unsafe RAND_bytes(start.assumingMemoryBound(to: UInt8.self), Int32(room.count))
    // Going on with bytes that can be guessed would be worse than ending here.
    precondition(result == 1, "the system gives no random bytes")
  }
}
