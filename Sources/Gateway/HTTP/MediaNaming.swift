/// What a file's name says in headers.
enum MediaNaming {
  /// `attachment` with a plain name for old readers and, when that loses something, the exact one (RFC 6266 appendix D).
  static func contentDisposition(_ name: String) -> String {
    let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { isPlain($0) ? $0 : "_" }))
    let exact = plain == name ? "" : "; filename*=UTF-8''\(PercentCoding.encode(name))"
    return "attachment; filename=\"\(plain)\"\(exact)"
  }

  /// The media type by the name's extension.
  static func contentType(_ name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return types[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }

  /// The usual extension of a media type, without its dot; nil for one that is not known.
  static func pathExtension(ofType type: String) -> String? {
    let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
    // `jpg` before `jpeg`: of several the one that people write.
    return types.filter { $0.value == essence }.keys.min { ($0.count, $0) < ($1.count, $1) }
  }

  /// Quotes and backslashes need escapes and a percent sign invites decoding: readers differ about all three.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    (0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\" && scalar != "%"
  }

  private static let types = [
    "css": "text/css", "csv": "text/csv", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
    "htm": "text/html", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
    "json": "application/json", "m4a": "audio/mp4", "md": "text/markdown", "mkv": "video/matroska", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "ogg": "audio/ogg", "opus": "audio/ogg", "pdf": "application/pdf", "png": "image/png",
    "svg": "image/svg+xml", "tar": "application/x-tar", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm",
    "webp": "image/webp", "xml": "application/xml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
