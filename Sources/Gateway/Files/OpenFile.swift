import Posix

/// A file that one request reads.
struct OpenFile: ~Copyable {
  let descriptor: Descriptor
  let entity: FileEntity

  init(_ descriptor: consuming Descriptor, _ entity: FileEntity) {
    self.descriptor = descriptor
    self.entity = entity
  }

  /// Reads at most a room's worth, of the file or of what it has become; 0 at its end.
  func read(at offset: Int64, into room: UnsafeMutableRawBufferPointer, isAltered: Bool) throws(Errno) -> Int {
    let count = try unsafe descriptor.read(into: room, at: offset)
    if isAltered {
      var bytes = unsafe MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
      AlteredContent.alter(&bytes)
    }
    return count
  }
}
