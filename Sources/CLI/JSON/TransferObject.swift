import Core
import State

/// One transfer of `list --json` and `show --json`; `show` gives its attempts too.
struct TransferObject: Encodable {
  private let snapshot: TransferSnapshot
  private let attemptRecords: [AttemptRecord]?
  private let media: MediaUploadRecord?

  init(_ snapshot: TransferSnapshot, attempts: [AttemptRecord]? = nil, media: MediaUploadRecord? = nil) {
    self.snapshot = snapshot
    attemptRecords = attempts
    self.media = media
  }

  private enum Key: String, CodingKey {
    case id, kind, state, reason, url, path, attempts, error, sha256, priority, media
    case bytesDone = "bytes_done"
    case bytesTotal = "bytes_total"
    case bytesRefetched = "bytes_refetched"
    case createdAt = "created_at"
    case finishedAt = "finished_at"
    case nextTry = "next_try"
    case lastAttempts = "last_attempts"
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(snapshot.id.text, forKey: .id)
    try object.encode(snapshot.kind.rawValue, forKey: .kind)
    try object.encode(snapshot.state.rawValue, forKey: .state)
    try object.encode(snapshot.reason?.rawValue, forKey: .reason)
    try object.encode(snapshot.nextTry.map(Timestamp.precise), forKey: .nextTry)
    try object.encode(snapshot.url, forKey: .url)
    try object.encode(snapshot.path, forKey: .path)
    try object.encode(snapshot.bytesDone, forKey: .bytesDone)
    try object.encode(snapshot.bytesTotal, forKey: .bytesTotal)
    try object.encode(snapshot.bytesRefetched, forKey: .bytesRefetched)
    try object.encode(snapshot.attempts, forKey: .attempts)
    try object.encode(snapshot.priority, forKey: .priority)
    try object.encode(snapshot.failure.map(ErrorObject.init), forKey: .error)
    try object.encode(snapshot.sha256, forKey: .sha256)
    try object.encode(Timestamp.precise(snapshot.createdAt), forKey: .createdAt)
    try object.encode(snapshot.finishedAt.map(Timestamp.precise), forKey: .finishedAt)
    if let attemptRecords { try object.encode(attemptRecords.map(AttemptObject.init), forKey: .lastAttempts) }
    if let media { try object.encode(MediaObject(media), forKey: .media) }
  }
}

/// What is sent over a session, in `show --json`.
struct MediaObject: Encodable {
  private let media: MediaUploadRecord

  init(_ media: MediaUploadRecord) { self.media = media }

  private enum Key: String, CodingKey {
    case id, gateway, device, profile, kind, mime, name, caption, resent
    case partBytes = "part_bytes"
    case partsAcknowledged = "parts_acknowledged"
    case atMostOnce = "at_most_once"
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(media.wireID, forKey: .id)
    try object.encode(media.session.gateway, forKey: .gateway)
    try object.encode(media.session.device, forKey: .device)
    try object.encode(media.profile, forKey: .profile)
    try object.encode(media.mediaKind, forKey: .kind)
    try object.encode(media.mime, forKey: .mime)
    try object.encode(media.fileName, forKey: .name)
    try object.encode(media.caption, forKey: .caption)
    try object.encode(media.partByteCount, forKey: .partBytes)
    try object.encode(media.partsAcknowledged.byteCount, forKey: .partsAcknowledged)
    try object.encode(media.isAtMostOnce, forKey: .atMostOnce)
    try object.encode(media.isResent, forKey: .resent)
  }
}

/// One attempt of `show --json`; times in seconds.
struct AttemptObject: Encodable {
  private let record: AttemptRecord

  init(_ record: AttemptRecord) { self.record = record }

  private enum Key: String, CodingKey {
    case number, dns, connect, tls, total, bytes, reused, error
    case startedAt = "started_at"
    case firstByte = "first_byte"
    case bytesPerSecond = "bytes_per_second"
    case httpStatus = "http_status"
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(record.number, forKey: .number)
    try object.encode(Timestamp.precise(record.startedAt), forKey: .startedAt)
    try object.encode(record.dns, forKey: .dns)
    try object.encode(record.connect, forKey: .connect)
    try object.encode(record.tls, forKey: .tls)
    try object.encode(record.firstByte, forKey: .firstByte)
    try object.encode(record.total, forKey: .total)
    try object.encode(record.byteCount, forKey: .bytes)
    try object.encode(record.bytesPerSecond, forKey: .bytesPerSecond)
    try object.encode(record.httpStatus, forKey: .httpStatus)
    try object.encode(record.isReused, forKey: .reused)
    try object.encode(record.error, forKey: .error)
  }
}

extension TransferSnapshot {
  /// What the state knows of a transfer, as a view shows it; rates are only known where it runs.
  init(_ record: TransferRecord) {
    let lastOfURL = record.url.split(separator: "/").last.map(String.init)
    let name = record.path?.split(separator: "/").last.map(String.init) ?? record.requestedName ?? lastOfURL
    self.init(
      id: record.id, kind: record.kind, state: record.state, url: record.url, name: name ?? record.url,
      createdAt: record.createdAt)
    reason = record.reason
    nextTry = record.nextTry
    path = record.path
    bytesDone = record.state.isSuccess ? record.bytesTotal ?? record.synced.byteCount : record.synced.byteCount
    bytesTotal = record.bytesTotal
    attempts = record.attempts
    bytesRefetched = record.bytesRefetched
    failure = record.failure
    sha256 = record.sha256
    finishedAt = record.finishedAt
    priority = record.priority
  }
}
