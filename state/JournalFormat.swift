internal import Core

/// The bytes of a journal file; every number is little-endian.
///
///     0   8  "HERMESWJ"
///     8   4  version, 1
///     12  4  length of a record, 16
///     16  40 boot ID, filled up with zeros
///     56  8  device of the part file
///     64  8  inode of the part file
///     72  8  FNV-1a of the 72 bytes before
///     80  16 first record: start and exclusive end of bytes written; zeros when it is unused
enum JournalFormat {
  static let headerByteCount = 80
  static let recordByteCount = 16
  static let bootIDByteCount = 40
  /// Far more than a journal grows to; a longer file is none.
  static let maxByteCount = 16 << 20

  private static let magic = Array("HERMESWJ".utf8)

  /// The part file that a journal speaks of, in the life of the machine that wrote it.
  struct Header {
    /// `/proc/sys/kernel/random/boot_id`; empty where the kernel does not tell.
    var bootID: String
    var device: UInt64
    var inode: UInt64

    var bytes: [UInt8] {
      var bytes = magic
      append(UInt32(1), to: &bytes)
      append(UInt32(recordByteCount), to: &bytes)
      let text = bootID.utf8.prefix(bootIDByteCount)
      bytes.append(contentsOf: text)
      bytes.append(contentsOf: repeatElement(0, count: bootIDByteCount - text.count))
      append(device, to: &bytes)
      append(inode, to: &bytes)
      append(digest(bytes), to: &bytes)
      return bytes
    }
  }

  static func offset(ofRecord index: Int) -> Int64 { Int64(headerByteCount + index * recordByteCount) }

  static func record(_ range: ByteRange) -> [UInt8] {
    var bytes: [UInt8] = []
    append(UInt64(bitPattern: range.start), to: &bytes)
    append(UInt64(bitPattern: range.end), to: &bytes)
    return bytes
  }

  /// What the records of a file say; nil when it begins with another header, or the boot has no ID to tell it from
  /// others. A record that is no range of bytes, and half a record at the end, say nothing.
  static func ranges(in bytes: [UInt8], after header: Header) -> RangeSet? {
    guard !header.bootID.isEmpty, bytes.starts(with: header.bytes) else { return nil }
    var ranges: [ByteRange] = []
    var position = headerByteCount
    while position + recordByteCount <= bytes.count {
      let start = integer(bytes, at: position)
      let end = integer(bytes, at: position + 8)
      if start >= 0 && start < end { ranges.append(ByteRange(start, end)) }
      position += recordByteCount
    }
    // Sorted, each one is appended or joined to the last: no shifting.
    return RangeSet(ranges.sorted())
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  private static func integer(_ bytes: [UInt8], at position: Int) -> Int64 {
    Int64(bitPattern: (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) })
  }

  /// FNV-1a, 64 bits: against accidents, not against people.
  private static func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
