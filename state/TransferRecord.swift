public import Core

/// One transfer as the database keeps it: all that must survive a crash, and no secret.
public struct TransferRecord: Sendable, Hashable {
  public var id: TransferID
  public var kind: TransferKind
  public var state: TransferState
  public var reason: WaitReason?
  /// Seconds since 1970.
  public var nextTry: Double?
  public var priority: Int = 5
  /// Without user, password and query.
  public var url: String
  /// SHA-256 of the whole URL, in hexadecimal: the same command is found again without keeping what may be secret.
  public var urlDigest: String
  /// The folder of the target, absolute.
  public var folder: String
  /// The name asked for (`-o`); nil when the answer decides.
  public var requestedName: String?
  /// The target's final path, once decided.
  public var path: String?
  /// The hidden partial in `folder`, a name without a slash; nil until the first byte is kept.
  public var partName: String?
  public var bytesTotal: Int64?
  /// The strong ETag, quotes included, that the held bytes belong to.
  public var entityTag: String?
  /// The Last-Modified header's text that the held bytes belong to.
  public var lastModified: String?
  /// Whether `lastModified` may stand in If-Range: it is a minute older than the answer's Date.
  public var isLastModifiedStrong = false
  /// Bytes that were synced to the disk before this was recorded.
  public var synced = RangeSet()
  public var bytesRefetched: Int64 = 0
  /// Attempts in all.
  public var attempts = 0
  /// Times the content changed under us and everything was thrown away.
  public var restarts = 0
  public var failure: TransferFailure?
  public var sha256: String?
  /// Seconds since 1970.
  public var createdAt: Double
  public var finishedAt: Double?
  public var deadlineAt: Double?
  /// The finished file's length and time, to tell whether it is still the one we made.
  public var fileByteCount: Int64?
  public var fileModifiedNanoseconds: Int64?
  /// The request's options as JSON, secrets left out.
  public var options = "{}"
  /// Whether a file of secrets belongs to it.
  public var hasSecrets = false
  /// The process that works on it, as an `OwnerLock` token; nil when none does.
  public var owner: String?

  public init(
    id: TransferID, kind: TransferKind, state: TransferState, url: String, urlDigest: String, folder: String,
    createdAt: Double
  ) {
    self.id = id
    self.kind = kind
    self.state = state
    self.url = url
    self.urlDigest = urlDigest
    self.folder = folder
    self.createdAt = createdAt
  }
}

/// One attempt's figures, for `show`.
public struct AttemptRecord: Sendable, Hashable {
  public var transfer: TransferID
  /// Counted from 1 within the transfer.
  public var number: Int
  /// Seconds since 1970.
  public var startedAt: Double
  /// Seconds from the start of the request, as libcurl tells them.
  public var dns: Double
  public var connect: Double
  public var tls: Double
  public var firstByte: Double
  public var total: Double
  public var byteCount: Int64
  public var bytesPerSecond: Double
  public var httpStatus: Int?
  /// Whether the connection was used before.
  public var isReused: Bool
  /// Why it ended, when it did not end well.
  public var error: String?

  public init(
    transfer: TransferID, number: Int, startedAt: Double, dns: Double, connect: Double, tls: Double,
    firstByte: Double, total: Double, byteCount: Int64, bytesPerSecond: Double, httpStatus: Int?, isReused: Bool,
    error: String?
  ) {
    self.transfer = transfer
    self.number = number
    self.startedAt = startedAt
    self.dns = dns
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
    self.byteCount = byteCount
    self.bytesPerSecond = bytesPerSecond
    self.httpStatus = httpStatus
    self.isReused = isReused
    self.error = error
  }
}
