public import Posix

/// What a file is, such as `image/jpeg`: told by its content, not by its name.
public struct MediaType: Hashable, Sendable {
  /// Lower case, without parameters.
  public let text: String

  /// What is known of a file of which nothing is known.
  public static let unknown = MediaType("application/octet-stream")

  public init(_ text: String) { self.text = text }

  /// How much of a file's beginning is looked at; libmagic's own limit (libmagic(3), MAGIC_PARAM_BYTES_MAX).
  static let headByteCount = 1 << 20

  /// The type of an open file. Where the file starts being read does not change. Without libmagic's database the name
  /// decides.
  /// - Parameter name: of the file; says more only where the content is plain text.
  public static func sniff(_ file: borrowing Descriptor, name: String) throws(Errno) -> MediaType {
    try MediaType(head: head(of: file), name: name)
  }

  /// The type of the file at a path; links are followed.
  public static func sniff(_ path: String) throws(Errno) -> MediaType {
    let name = Paths.lastName(path)
    // A FIFO would wait for its writer, and what is read from it is gone.
    guard try Files.status(path).isFile else { throw .invalid }
    return try sniff(Files.openToRead(path), name: name)
  }

  /// The type of a file that begins so.
  public init(head: [UInt8], name: String) { self.init(head: head, name: name, MagicDatabase.shared) }

  init(head: [UInt8], name: String, _ database: Result<MagicDatabase, MagicProblem>) {
    switch database {
    case .success(let database): self.init(content: database.type(of: head), name: name)
    case .failure: self = Self.byName(name) ?? .unknown
    }
  }

  /// Why contents can't be looked at; nil when they can.
  public static var problem: String? {
    if case .failure(let problem) = MagicDatabase.shared { problem.message } else { nil }
  }

  /// The version of libmagic, such as `libmagic 5.44`.
  public static var library: String { "libmagic \(MagicDatabase.version)" }

  /// - Parameter content: what libmagic says.
  init(content: String?, name: String) {
    let type = content?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
    switch type {
    // Text of every kind looks like text: here alone the name may say which.
    case "text/plain":
      let named = Self.byName(name)
      self = named.map { $0.isText ? $0 : MediaType(type) } ?? MediaType(type)
    case _ where !type.contains("/") || type.hasPrefix("inode/") || type.hasSuffix("/x-empty"): self = .unknown
    default: self = MediaType(Self.usualNames[type] ?? type)
    }
  }

  private var isText: Bool { text.hasPrefix("text/") || Self.textual.contains(text) }

  private static func head(of file: borrowing Descriptor) throws(Errno) -> [UInt8] {
    let byteCount = try file.status().byteCount
    var room = [UInt8](repeating: 0, count: Int(min(Int64(headByteCount), max(byteCount, 0))))
    var done = 0
    while done < room.count {
      var slice = [UInt8](repeating: 0, count: room.count - done)
      let count = try file.read(into: &slice, at: Int64(done))
      guard count > 0 else { break }
      room.replaceSubrange(done..<(done + count), with: slice[..<count])
      done += count
    }
    room.removeSubrange(done...)
    return room
  }
}

/// Names of types.
extension MediaType {
  /// Other programs know these under their usual names.
  private static let usualNames = [
    "audio/x-wav": "audio/wav", "audio/x-m4a": "audio/mp4", "audio/x-flac": "audio/flac", "video/x-m4v": "video/mp4",
    "image/x-ms-bmp": "image/bmp", "image/svg": "image/svg+xml", "application/ogg": "audio/ogg",
    "application/x-gzip": "application/gzip",
  ]

  private static let textual: Set<String> = [
    "application/json", "application/javascript", "application/xml", "application/yaml", "application/toml",
    "application/x-sh", "image/svg+xml",
  ]

  /// The type that a name's extension usually stands for; nil when it has none that is known.
  static func byName(_ name: String) -> MediaType? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return byExtension[name[name.index(after: dot)...].lowercased()].map { MediaType($0) }
  }

  private static let byExtension = [
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
    "bmp": "image/bmp", "heic": "image/heic", "heif": "image/heif", "avif": "image/avif", "tif": "image/tiff",
    "tiff": "image/tiff", "svg": "image/svg+xml", "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime",
    "webm": "video/webm", "mkv": "video/x-matroska", "avi": "video/x-msvideo", "mp3": "audio/mpeg",
    "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg", "oga": "audio/ogg",
    "opus": "audio/ogg", "flac": "audio/flac", "pdf": "application/pdf", "zip": "application/zip",
    "gz": "application/gzip", "xz": "application/x-xz", "zst": "application/zstd", "tar": "application/x-tar",
    "7z": "application/x-7z-compressed", "json": "application/json", "xml": "application/xml",
    "yaml": "application/yaml", "yml": "application/yaml", "toml": "application/toml", "js": "application/javascript",
    "sh": "application/x-sh", "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv",
    "tsv": "text/tab-separated-values", "html": "text/html", "htm": "text/html", "css": "text/css",
    "ics": "text/calendar", "vcf": "text/vcard", "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint", "rtf": "application/rtf", "epub": "application/epub+zip",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
  ]
}
