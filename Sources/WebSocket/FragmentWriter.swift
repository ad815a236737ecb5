/// The payload of one frame while it is written, masked as it comes: nothing is copied or touched twice.
@safe public struct FragmentWriter: ~Copyable {
  private let room: UnsafeMutableRawBufferPointer
  private let mask: Mask
  /// Bytes of payload so far.
  public private(set) var byteCount = 0

  init(room: UnsafeMutableRawBufferPointer, mask: Mask) {
    unsafe self.room = room
    self.mask = mask
  }

  /// Bytes that still fit.
  public var roomByteCount: Int { unsafe room.count - byteCount }

  /// Appends as much as fits, and answers how much that was.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, roomByteCount)
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room[byteCount..<byteCount + count])
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    unsafe mask.apply(to: target, offset: byteCount)
    byteCount += count
    return count
  }

  /// Appends as much of a text's UTF-8 as fits, from `offset` on, and answers how much that was.
  public mutating func append(_ bytes: [UInt8], from offset: Int = 0) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe append(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
  }

  /// Bytes that still fit as base64, a multiple of three.
  public var base64RoomByteCount: Int { roomByteCount / 4 * 3 }

  /// Appends the base64 of bytes, which must fit. Where more follows, their number is a multiple of three.
  public mutating func appendBase64(_ bytes: UnsafeRawBufferPointer) {
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room[byteCount...])
    byteCount += unsafe Base64.encode(bytes, into: target, mask: mask, offset: byteCount)
  }
}
