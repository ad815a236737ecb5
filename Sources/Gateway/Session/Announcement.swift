import Core
import Crypto

/// A stored medium that a device is told of.
struct Announcement: Equatable, Sendable {
  /// The same whenever it is told again.
  let id: String
  let media: StoredMedia

  init(_ media: StoredMedia, id: String = Announcement.newID()) {
    self.media = media
    self.id = id
  }

  /// What every frame about it says.
  func frame(part: Int = 0, of parts: Int = 1) -> MediaFrame {
    MediaFrame(
      id: id, kind: media.kind, mime: media.mime, part: part, parts: parts, fileName: media.name,
      // On the first and the last only: it may be long.
      caption: part == 0 || part == parts - 1 ? media.caption : nil)
  }

  /// The whole frame of a medium that is fetched from a URL.
  func frame(url: String) -> MediaFrame {
    var frame = frame()
    frame.hasData = false
    frame.url = url
    return frame
  }

  /// A random UUID (RFC 9562 §5.4).
  static func newID() -> String {
    var random = SecureRandom()
    var bytes = random.bytes(count: 16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let text = Array(Hexadecimal.text(of: bytes))
    let groups = [text[..<8], text[8..<12], text[12..<16], text[16..<20], text[20...]]
    return groups.map { String($0) }.joined(separator: "-")
  }
}
