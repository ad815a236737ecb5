/// One part of a media, or a media served by link; the same in both directions. Its bytes travel beside it.
public struct MediaFrame: Hashable, Sendable {
  public static let maxParts = 4096
  /// Longer ones are no names of anything.
  public static let maxIDByteCount = 512

  public var id: String
  public var kind: MediaKind
  public var mime: String
  /// From 0.
  public var part: Int
  public var parts: Int
  public var fileName: String?
  public var caption: String?
  /// Whether the part's bytes come in the frame; if not, `url` leads to the file.
  public var hasData: Bool
  /// As it came: absolute, or relative to the session's origin.
  public var url: String?

  public init(
    id: String, kind: MediaKind, mime: String, part: Int = 0, parts: Int = 1, fileName: String? = nil,
    caption: String? = nil, hasData: Bool = true, url: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.mime = mime
    self.part = part
    self.parts = parts
    self.fileName = fileName
    self.caption = caption
    self.hasData = hasData
    self.url = url
  }

  public var isLast: Bool { part == parts - 1 }

  /// How many parts a file is sent in; an empty one in a part without a byte.
  public static func partCount(byteCount: Int64, partSize: Int) -> Int64 {
    max(1, byteCount / Int64(partSize) + (byteCount % Int64(partSize) == 0 ? 0 : 1))
  }
}

/// A frame with room for base64 in it: the text before, and the text behind.
public struct FrameShell: Hashable, Sendable {
  public let head: [UInt8]
  public let tail: [UInt8]

  /// Ends `writer`'s object with the streamed field.
  init(closing writer: consuming JSONWriter) {
    writer.key(FrameReader.streamedKey)
    writer.raw("\"")
    head = writer.bytes
    tail = Array("\"}".utf8)
  }

  /// How long the message is that carries `byteCount` raw bytes.
  public func messageByteCount(carrying byteCount: Int) -> Int { head.count + (byteCount + 2) / 3 * 4 + tail.count }
}

extension MediaFrame {
  /// What is written around the part's base64.
  public var shell: FrameShell { FrameShell(closing: writer) }

  /// The whole frame of a media served by link.
  public var encoded: [UInt8] {
    var writer = writer
    writer.endObject()
    return writer.bytes
  }

  private var writer: JSONWriter {
    var writer = JSONWriter(type: "media")
    writer.field("id", id)
    writer.field("kind", kind.rawValue)
    writer.field("mime", mime)
    writer.field("part", part)
    writer.field("parts", parts)
    writer.field("filename", fileName)
    writer.field("caption", caption)
    writer.field("url", url)
    return writer
  }

  init(_ message: FrameFields) throws(MediaRejection) {
    let fields = message.fields
    guard let id = fields.string("id"), !id.isEmpty else { throw MediaRejection(nil, .noID) }
    guard id.utf8.count <= Self.maxIDByteCount else { throw MediaRejection(nil, .longID) }
    let part = try Self.count(fields, "part", missing: 0, id)
    let parts = try Self.count(fields, "parts", missing: 1, id)
    guard part >= 0, parts >= 1, parts <= Int64(Self.maxParts), part < parts else {
      throw MediaRejection(id, .badParts("part \(part) of \(parts)"))
    }
    self.init(
      id: id, kind: fields.string("kind").flatMap(MediaKind.init) ?? .document,
      mime: fields.string("mime") ?? "application/octet-stream", part: Int(part), parts: Int(parts),
      fileName: fields.string("filename"), caption: fields.string("caption"), hasData: message.dataByteCount != nil,
      url: fields.string("url"))
    guard hasData || fields.value(FrameReader.streamedKey) == nil else { throw MediaRejection(id, .badData) }
    if !hasData, url?.isEmpty ?? true { throw MediaRejection(id, .empty) }
  }

  /// A whole number, or that it is none: a part of `"3"`, `3.5` or `true` must not pass for another one.
  private static func count(
    _ fields: [String: JSONValue], _ name: String, missing: Int64, _ id: String
  ) throws(MediaRejection) -> Int64 {
    guard let value = fields.value(name) else { return missing }
    guard let number = value.integer else { throw MediaRejection(id, .badParts("a \(name) that is no whole number")) }
    return number
  }
}

/// A media that is not taken, and why; the connection stays.
public struct MediaRejection: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case noID, longID
    /// Part numbers that cannot be; the text says which.
    case badParts(String)
    case partsChanged(from: Int, to: Int)
    /// Not base64, nor anything that it can be made of.
    case badData
    /// Neither data nor a link: the event `media_empty`.
    case empty
    case tooLarge(limit: Int64)
    case tooManyOpen(limit: Int)
    case noRoom(limit: Int64)
    case badURL(String)
  }

  /// Nil when the frame has none that can be used.
  public let id: String?
  public let reason: Reason

  public init(_ id: String?, _ reason: Reason) {
    self.id = id
    self.reason = reason
  }

  /// The rest of "cannot take a media: ".
  public var message: String {
    switch reason {
    case .noID: "it has no id"
    case .longID: "its id has more than \(MediaFrame.maxIDByteCount) bytes"
    case .badParts(let text): "it has \(text)"
    case .partsChanged(let old, let new): "it had \(old) parts, now it has \(new)"
    case .badData: "its data is no base64"
    case .empty: "it has neither data nor a url"
    case .tooLarge(let limit): "it has more than \(Quantity.bytes(limit))"
    case .tooManyOpen(let limit): "\(limit) others are not complete yet"
    case .noRoom(let limit): "media that are not complete yet hold \(Quantity.bytes(limit))"
    case .badURL(let text): "its url is refused: \(text)"
    }
  }
}
