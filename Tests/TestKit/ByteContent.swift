/// Bytes in a comparison that may fail: an array would be compared element by element, for the message, in quadratic time.
public struct ByteContent: Equatable, CustomStringConvertible {
  private let bytes: [UInt8]?

  public init(_ bytes: [UInt8]?) { self.bytes = bytes }

  public init(file path: String) { bytes = TestFiles.read(path) }

  public var description: String {
    guard let bytes else { return "nothing" }
    // FNV-1a: enough to tell two of them apart in a message.
    let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\(bytes.count) bytes, \(String(hash, radix: 16))"
  }
}
