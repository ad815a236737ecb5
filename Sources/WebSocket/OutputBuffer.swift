/// What waits to be written to the socket: one piece of memory that never moves, so that a TLS library that could not
/// write can be given the same bytes at the same place again.
@safe struct OutputBuffer: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  init(byteCount: Int) {
    unsafe memory = .allocate(byteCount: byteCount, alignment: 64)
  }

  deinit { unsafe memory.deallocate() }

  var waiting: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[start..<end]) }
  var room: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...]) }
  var roomByteCount: Int { unsafe memory.count - end }
  var isEmpty: Bool { start == end }

  /// Bytes that were written into `room` from its beginning.
  mutating func filled(_ byteCount: Int) {
    precondition(byteCount <= roomByteCount, "more bytes than there is room")
    end += byteCount
  }

  mutating func consume(_ byteCount: Int) {
    precondition(byteCount <= end - start, "more bytes than were waiting")
    start += byteCount
    if isEmpty { (start, end) = (0, 0) }
  }

  mutating func append(_ bytes: [UInt8]) {
    unsafe room.copyBytes(from: bytes)
    filled(bytes.count)
  }
}
