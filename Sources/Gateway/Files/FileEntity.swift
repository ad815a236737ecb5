/// What decisions need to know of a file.
struct FileEntity: Equatable, Sendable {
  let name: String
  let byteCount: Int64
  let device: UInt64
  let inode: UInt64
  /// When the content last changed, in nanoseconds since 1970.
  let modifiedNanoseconds: Int64

  /// Changes with every change that the file system can tell; opaque to clients.
  ///
  /// The size is in it because a file may be rewritten twice within one tick of the file system's clock (4 ms on ext4).
  var tagText: String {
    [device, inode, UInt64(bitPattern: byteCount), UInt64(bitPattern: modifiedNanoseconds)]
      .map { String($0, radix: 16) }.joined(separator: "-")
  }

  var modifiedSeconds: Int64 { modifiedNanoseconds / 1_000_000_000 }
}
