import Crypto
import Posix

/// The SHA-256 of each file in each of its states, computed once.
///
/// One at a time: two requests for a new file must not both read it.
final class DigestCache: Sendable {
  private let known = Guarded<[Key: String]>([:])

  private struct Key: Hashable {
    let tagText: String
    let isAltered: Bool
  }

  /// The Repr-Digest field (RFC 9530 §3): of the whole file, whatever part of it is asked for.
  func field(of file: borrowing OpenFile, isAltered: Bool) throws(Errno) -> HeaderField {
    let key = Key(tagText: file.entity.tagText, isAltered: isAltered)
    let text = try known.withLock { known throws(Errno) in
      if let text = known[key] { return text }
      let text = Base64.encode(try Self.digest(of: file, isAltered: isAltered))
      known[key] = text
      return text
    }
    return HeaderField("Repr-Digest", "sha-256=:\(text):")
  }

  private static func digest(of file: borrowing OpenFile, isAltered: Bool) throws(Errno) -> [UInt8] {
    let digest = Digest(.sha256)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { unsafe room.deallocate() }
    var offset: Int64 = 0
    while case let count = try unsafe file.read(at: offset, into: room, isAltered: isAltered), count > 0 {
      unsafe digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
      offset += Int64(count)
    }
    return digest.finish()
  }
}
