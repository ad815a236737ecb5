import Core
import Posix
import WebSocket

/// A medium on its way in parts: read from its file as the socket takes it, never whole in memory.
final class OutgoingMedia {
  let announcement: Announcement
  private let file: OpenFile
  private let partByteCount: Int
  private let parts: Int
  /// Indices of the parts that are still to be sent, the next one last.
  private var order: [Int]
  private var part: PartInHand?
  private var room: [UInt8] = []

  private struct PartInHand {
    let head: [UInt8]
    let tail: [UInt8]
    var headOffset = 0
    var tailOffset = 0
    var offset: Int64
    let end: Int64
  }

  /// - Parameter order: the parts to send, in this order; nil for every one in its own.
  init(_ announcement: Announcement, _ file: consuming OpenFile, partByteCount: Int, order: [Int]) {
    self.announcement = announcement
    self.partByteCount = partByteCount
    self.order = order.reversed()
    parts = Self.partCount(announcement.media, partByteCount: partByteCount)
    self.file = file
  }

  /// How many parts a medium has.
  static func partCount(_ media: StoredMedia, partByteCount: Int) -> Int {
    Int(MediaFrame.partCount(byteCount: media.byteCount, partSize: partByteCount))
  }

  /// Every part is out.
  var isDone: Bool { part == nil && order.isEmpty }

  /// Writes the next fragment, for which there must be room.
  func writeFragment(to codec: WebSocketCodec) throws(Errno) {
    guard var part = part ?? order.popLast().map(begin) else { return }
    let room = codec.fragmentRoom - (part.head.count - part.headOffset)
    try read(&part, byteCount: max(0, room) / 4 * 3)
    let piece = self.room
    codec.sendFragment(.text) { writer in
      part.headOffset += writer.append(part.head, from: part.headOffset)
      if !piece.isEmpty { unsafe piece.withUnsafeBytes { unsafe writer.appendBase64($0) } }
      guard part.headOffset == part.head.count, part.offset == part.end else { return false }
      part.tailOffset += writer.append(part.tail, from: part.tailOffset)
      return part.tailOffset == part.tail.count
    }
    self.part = part.tailOffset == part.tail.count ? nil : part
  }

  private func begin(_ index: Int) -> PartInHand {
    let shell = announcement.frame(part: index, of: parts).shell
    let start = Int64(index) * Int64(partByteCount)
    let end = min(start + Int64(partByteCount), announcement.media.byteCount)
    return PartInHand(head: shell.head, tail: shell.tail, offset: start, end: end)
  }

  /// Fills the room with the part's next bytes; a multiple of three of them, but for its last.
  private func read(_ part: inout PartInHand, byteCount: Int) throws(Errno) {
    let wanted = Int(min(Int64(byteCount), part.end - part.offset))
    if room.count != wanted { room = [UInt8](repeating: 0, count: wanted) }
    var done = 0
    while done < wanted {
      let count = try unsafe room.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[done...])
        return try unsafe file.read(at: part.offset + Int64(done), into: rest, isAltered: false)
      }
      // It has become shorter than it was when it was announced.
      guard count > 0 else { throw .staleHandle }
      done += count
    }
    part.offset += Int64(wanted)
  }
}
