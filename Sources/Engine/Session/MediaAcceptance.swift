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
      var uploads: [MediaUpload] = []
      for request in requests { uploads.append(try upload(request, &random)) }
      try store.insert(media: uploads)
      return .success(uploads)
    } catch {
      return .failure(TransferFailure(storing: error))
    }
  }

  private func upload(_ request: MediaRequest, _ random: inout SecureRandom) throws(TransferFailure) -> MediaUpload {
    let (pin, sniffed) = try look(request)
    let name = SafeFileName(request.name ?? Paths.lastName(request.path), fallback: "file").text
    let mime = request.mime ?? sniffed
    let pathExtension = name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
    let rule = MediaKindRule(mime: mime, pathExtension: pathExtension, wanted: request.kind)
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
      mediaKind: rule.kind.rawValue, mime: mime, source: pin,
      partByteCount: request.partByteCount ?? usualPartByteCount ?? PartSizer.usualByteCount)
    media.fileName = name
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
