import Glibc

/// Endless bytes that a seed decides, readable at any offset without holding them: a ring of 262,139 random bytes.
/// The length is a prime, so that bytes put at a wrong place by any power of two, or by any chunk, are noticed.
public struct Pattern: Sendable {
  static let ringCount = 262_139
  public let seed: UInt64
  private let ring: [UInt8]

  public init(_ seed: UInt64) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.ringCount + 8)
    while bytes.count < Self.ringCount { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    ring = Array(bytes[..<Self.ringCount])
  }

  /// The byte at an offset.
  public subscript(offset: Int64) -> UInt8 { ring[Int(offset % Int64(Self.ringCount))] }

  /// Fills a buffer with the bytes from an offset on.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
    ring.withUnsafeBytes { ring in
      var done = 0
      while done < buffer.count {
        let start = Int((offset + Int64(done)) % Int64(Self.ringCount))
        let count = min(Self.ringCount - start, buffer.count - done)
        memcpy(buffer.baseAddress! + done, ring.baseAddress! + start, count)
        done += count
      }
    }
  }

  /// The bytes of a range, for small ones.
  public func bytes(_ range: Range<Int64>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(range.upperBound - range.lowerBound)) { buffer, count in
      count = Int(range.upperBound - range.lowerBound)
      fill(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]), from: range.lowerBound
      )
    }
  }

  /// Writes the first bytes to a file, for servers of others.
  public func write(byteCount: Int64, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    precondition(descriptor >= 0, "cannot write \(path): \(String(cString: strerror(errno)))")
    defer { close(descriptor) }
    var offset: Int64 = 0
    while offset < byteCount {
      let piece = bytes(offset..<min(offset + (1 << 20), byteCount))
      let count = Glibc.write(descriptor, piece, piece.count)
      precondition(count > 0, "cannot write \(path): \(String(cString: strerror(errno)))")
      offset += Int64(count)
    }
  }

  /// Whether these are the pattern's bytes from the start on. Comparing arrays in `#expect` would compute their whole
  /// edit script when they differ: minutes for a MiB.
  public func isEqual(to other: [UInt8]) -> Bool { bytes(0..<Int64(other.count)) == other }

  /// Where a file first differs from the pattern's first `byteCount` bytes, in length or content; nil when it is them.
  public func firstDifference(inFile path: String, byteCount: Int64) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "cannot read \(path): \(String(cString: strerror(errno)))" }
    defer { close(descriptor) }
    var offset: Int64 = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      let wanted = bytes(offset..<offset + Int64(count))
      if memcmp(wanted, chunk, count) != 0 {
        let place = zip(wanted, chunk).prefix { $0 == $1 }.count
        return "byte \(offset + Int64(place)) is \(chunk[place]), not \(wanted[place])"
      }
      offset += Int64(count)
    }
    return offset == byteCount ? nil : "it has \(offset) bytes, not \(byteCount)"
  }
}

/// What a body is made of.
public enum Content: Sendable {
  case pattern(Pattern, byteCount: Int64)
  case bytes([UInt8])

  public var byteCount: Int64 {
    switch self {
    case .pattern(_, let byteCount): byteCount
    case .bytes(let bytes): Int64(bytes.count)
    }
  }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
    switch self {
    case .pattern(let pattern, _): pattern.fill(buffer, from: offset)
    case .bytes(let bytes): buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
    }
  }
}
