import Testing

@testable import Core

@Suite struct MediaKindTests {
  static let kinds: [(mime: String, name: String, kind: MediaKind, warns: Bool)] = [
    ("image/jpeg", "jpg", .image, false), ("IMAGE/PNG; charset=binary", "", .image, false),
    ("image/gif", "gif", .animation, false), ("image/webp", "webp", .image, false),
    ("audio/mpeg", "mp3", .voice, false), ("audio/ogg", "ogg", .voice, false), ("video/mp4", "mp4", .video, false),
    ("application/pdf", "pdf", .document, false), ("text/plain", "txt", .document, false), ("", "", .document, false),
    ("application/octet-stream", "bin", .document, false), ("inode/x-empty", "jpg", .document, false),
    ("image/heic", "heic", .document, true), ("image/heif", "jpg", .document, true),
    ("image/avif", "", .document, true),
    ("image/tiff", "tif", .document, true), ("image/svg+xml", "svg", .document, true),
    // Content goes before name, a name only before nothing.
    ("image/heic", "jpg", .document, true), ("image/jpeg", "heic", .image, false),
    ("application/octet-stream", "HEIC", .document, true), ("application/octet-stream", "jpg", .document, false),
  ]

  @Test(arguments: kinds) func `W48 the kind goes by content, and pictures that gateways refuse go as documents`(
    mime: String, name: String, kind: MediaKind, warns: Bool
  ) {
    let rule = MediaKindRule(mime: mime, pathExtension: name)
    #expect(rule.kind == kind)
    #expect((rule.warning != nil) == warns)
  }

  @Test func `the user's kind counts, but no picture that is refused goes as one`() {
    #expect(MediaKindRule(mime: "image/png", wanted: .document).kind == .document)
    #expect(MediaKindRule(mime: "audio/mpeg", wanted: .document).kind == .document)
    #expect(MediaKindRule(mime: "image/heic", wanted: .document).warning == nil)
    #expect(
      MediaKindRule(mime: "image/heic", wanted: .image).warning
        == "gateways refuse HEIC as a picture: it is sent as a document")
  }

  @Test func `WAV and OGG may go as a recording, others may not`() {
    #expect(AudioFormat(mime: "audio/x-wav") == .wav)
    #expect(AudioFormat(mime: "audio/ogg; codecs=opus") == .ogg)
    #expect(AudioFormat(mime: "audio/mpeg") == nil)
    #expect(AudioFormat(mime: "video/ogg") == nil)
  }
}
