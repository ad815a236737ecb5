/// What a media is to the person who gets it; raw values are the words of the wire.
public enum MediaKind: String, Sendable, CaseIterable {
  case image, voice, video, document, animation
}

/// As what a file is sent: the kind that gateways take it as, and what the sender should know of it.
public struct MediaKindRule: Hashable, Sendable {
  public let kind: MediaKind
  /// One lower-case line; nil when there is nothing to say.
  public let warning: String?

  /// Pictures that gateways refuse as pictures (their image check knows JPEG, PNG, GIF, WebP and little more).
  static let refusedImages: [String: String] = [
    "image/heic": "HEIC", "image/heif": "HEIC", "image/heic-sequence": "HEIC", "image/heif-sequence": "HEIC",
    "image/avif": "AVIF", "image/avif-sequence": "AVIF", "image/tiff": "TIFF", "image/tiff-fx": "TIFF",
    "image/svg+xml": "SVG", "image/svg": "SVG",
  ]

  /// Only where the content says nothing: `application/octet-stream`, or an empty type.
  static let typesByExtension: [String: String] = [
    "heic": "image/heic", "heif": "image/heif", "hif": "image/heif", "avif": "image/avif", "tif": "image/tiff",
    "tiff": "image/tiff", "svg": "image/svg+xml", "svgz": "image/svg+xml",
  ]

  /// - Parameters:
  ///   - mime: the type by content, as libmagic tells it; parameters behind `;` are not looked at.
  ///   - pathExtension: of the file's name, without the dot; counts only where the content says nothing.
  ///   - wanted: the kind that the user asked for.
  public init(mime: String, pathExtension: String = "", wanted: MediaKind? = nil) {
    let type = Self.essence(mime, pathExtension.lowercased())
    let usual = Self.usualKind(type)
    let chosen = wanted ?? usual
    guard chosen == .image || chosen == .animation, let name = Self.refusedImages[type] else {
      kind = chosen
      warning = nil
      return
    }
    kind = .document
    warning = "gateways refuse \(name) as a picture: it is sent as a document"
  }

  private static func essence(_ mime: String, _ pathExtension: String) -> String {
    let type = mime.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type.isEmpty || type == "application/octet-stream" else { return type }
    return typesByExtension[pathExtension] ?? type
  }

  private static func usualKind(_ type: String) -> MediaKind {
    if type == "image/gif" || type == "image/apng" { return .animation }
    switch type.prefix(while: { $0 != "/" }) {
    case "image": return .image
    case "audio": return .voice
    case "video": return .video
    default: return .document
    }
  }
}

/// The two containers that an `audio` frame may carry.
public enum AudioFormat: String, Sendable, CaseIterable {
  case wav, ogg

  /// Nil for every other type: that goes as media of the kind voice.
  public init?(mime: String) {
    switch mime.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
    case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave": self = .wav
    case "audio/ogg", "audio/opus", "application/ogg": self = .ogg
    default: return nil
    }
  }
}
