import Core
import Posix
import WebSocket

/// One part of a file on its way out: the frame's text with the base64 of the file's bytes in it, written fragment by
/// fragment straight from the file.
@safe final class MediaPart {
  /// What one fragment takes of the file at most; a multiple of 3.
  private static let pieceByteCount = WebSocketLimits.fragmentByteCount / 4 * 3

  private let shell: FrameShell
  private let source: Descriptor
  private let range: ByteRange
  private var headCount = 0
  private var offset: Int64
  private var tailCount = 0
  private let room: UnsafeMutableRawBufferPointer

  init(frame: MediaFrame, range: ByteRange, path: String) throws(Errno) {
    shell = frame.shell
    self.range = range
    offset = range.start
    source = try Files.openToRead(path)
    unsafe room = .allocate(byteCount: Self.pieceByteCount, alignment: 64)
  }

  deinit { unsafe room.deallocate() }

  var isDone: Bool { tailCount == shell.tail.count }

  /// Why the file could not be read to the part's end.
  private(set) var failure: Errno?

  /// Writes the next fragment; answers whether it is the last. When the file can't be read it stops within the message.
  func write(_ writer: inout FragmentWriter) -> Bool {
    guard failure == nil else { return false }
    do throws(Errno) { try fill(&writer) } catch { failure = error }
    return isDone
  }

  private func fill(_ writer: inout FragmentWriter) throws(Errno) {
    if headCount < shell.head.count { headCount += writer.append(shell.head, from: headCount) }
    guard headCount == shell.head.count else { return }
    while offset < range.end, writer.base64RoomByteCount >= 3 {
      let wanted = min(Int64(writer.base64RoomByteCount / 3 * 3), Int64(Self.pieceByteCount), range.end - offset)
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<Int(wanted)])
      unsafe try fill(piece)
      unsafe writer.appendBase64(UnsafeRawBufferPointer(piece))
      offset += wanted
    }
    guard offset == range.end, writer.roomByteCount >= shell.tail.count - tailCount else { return }
    tailCount += writer.append(shell.tail, from: tailCount)
  }

  private func fill(_ room: UnsafeMutableRawBufferPointer) throws(Errno) {
    var done = 0
    while done < room.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[done...])
      let count = try unsafe source.read(into: rest, at: offset + Int64(done))
      guard count > 0 else { throw .ioError }
      done += count
    }
  }
}
