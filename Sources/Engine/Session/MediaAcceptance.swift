import Core
import Crypto
import Magic
import Posix
import State

/// Turns files into uploads of the state that this process owns. Runs on the store's thread; all of it is durable before
/// the caller hears of it.
struct MediaAcceptance: Sendable {
  let requests: [MediaRequest]
  let profile: SessionProfile
  /// Nil leaves them to whichever process has the session.
  let owner: String?
  let usualPartByteCount: Int?

  func run(_ store: Store) -> Result<[MediaUpload], TransferFailure> {
    do {
      var random = SecureRandom()
      let open = try store.unfinishedMedia(of: profile.key)
      var uploads: [MediaUpload] = []
      var fresh: [MediaUpload] = []
      for request in requests {
        let upload = try upload(request, &random)
        // The same file to the same gateway, not done yet: the same transfer goes on.
        if let earlier = open.first(where: { isSame($0.media, upload.media) }), try claim(earlier, store) {
          uploads.append(earlier)
        } else {
          uploads.append(upload)
          fresh.append(upload)
        }
      }
      try store.insert(media: fresh)
      return .success(uploads)
    } catch {
      return .failure(TransferFailure(storing: error))
    }
  }

  private func isSame(_ one: MediaUploadRecord, _ other: MediaUploadRecord) -> Bool {
    one.source == other.source && one.fileName == other.fileName && one.caption == other.caption
      && one.mediaKind == other.mediaKind
  }

  /// Whether an earlier transfer may go on here: not while a living other process works on it.
  private func claim(_ earlier: MediaUpload, _ store: Store) throws -> Bool {
    guard let owner, let token = OwnerToken(owner) else { return true }
    return try store.claim([earlier.record.id], owner: token).isEmpty
  }

  private func upload(_ request: MediaRequest, _ random: inout SecureRandom) throws(TransferFailure) -> MediaUpload {
    let (pin, sniffed) = try look(request)
    let name = SafeFileName(request.name ?? Paths.lastName(request.path), fallback: "file").text
    let mime = request.mime ?? sniffed
    var record = TransferRecord(
      id: .random(using: &random), kind: .media, state: .queued, url: profile.url.key,
      urlDigest: String(sha256Hexadecimal(of: profile.url.key).prefix(32)), folder: Paths.folder(pin.path),
      createdAt: Clocks.wallClock())
    record.requestedName = name
    record.path = pin.path
    record.bytesTotal = pin.byteCount
    record.priority = request.priority
    record.deadlineAt = record.createdAt + request.deadlineSeconds
    record.owner = owner
    var media = MediaUploadRecord(
      transfer: record.id, session: profile.key, profile: profile.name, wireID: random.uuid(),
      mediaKind: MediaKind.document.rawValue, mime: mime, source: pin,
      partByteCount: request.partByteCount ?? usualPartByteCount ?? PartSizer.usualByteCount)
    media.fileName = name
    media.mediaKind = media.rule(wanted: request.kind).kind.rawValue
    media.caption = request.caption
    media.isAtMostOnce = request.isAtMostOnce
    return MediaUpload(record: record, media: media)
  }

  private func look(_ request: MediaRequest) throws(TransferFailure) -> (SourcePin, mime: String) {
    let kind: FileStatus.Kind
    do throws(Errno) {
      kind = try Files.status(request.path).kind
      if kind == .file { return (try SourcePin(path: request.path), try MediaType.sniff(request.path).text) }
    } catch {
      throw TransferFailure(.localFile, "cannot read \(request.path): \(error)")
    }
    throw TransferFailure(
      .localFile, "cannot send \(request.path): it is \(kind == .folder ? "a folder" : "no file")")
  }
}

extension MediaUploadRecord {
  /// As what it is sent when the user asked for this kind.
  func rule(wanted: MediaKind?) -> MediaKindRule {
    let pathExtension = (fileName ?? "").split(separator: ".").dropFirst().last.map(String.init) ?? ""
    return MediaKindRule(mime: mime, pathExtension: pathExtension, wanted: wanted)
  }
}
