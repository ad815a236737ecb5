public import Core

/// How far an upload over HTTP is.
public enum UploadPhase: String, Sendable, CaseIterable {
  /// The server knows nothing of it, or it isn't known what.
  case planned
  /// The server has a resource for it, whose URL is recorded.
  case created
  /// Bytes may have gone out.
  case sending
  /// The last byte may have gone out: it may be complete over there.
  case sentAll = "sent-all"
  /// Parts are being joined, or the result is compared.
  case verifying
  case done
}

/// What a transfer of the kind upload is beside its `TransferRecord`.
public struct UploadRecord: Sendable, Hashable {
  public var transfer: TransferID
  /// `auto` until it is known.
  public var protocolName: String
  public var protocolVersion: String?
  public var phase = UploadPhase.planned
  /// Counted up with each new resource: an answer to an older one changes nothing.
  public var generation = 0
  /// The URL of the resource that takes the bytes, without what makes it a capability; the whole one is in the secrets.
  public var resource: String?
  /// Seconds since 1970.
  public var resourceCreatedAt: Double?
  public var resourceExpiresAt: Double?
  /// Where the result stands, without what may be secret.
  public var resultURL: String?
  public var source: SourcePin
  /// The time of the last change of the file's inode, in nanoseconds since 1970.
  public var sourceChangedNanoseconds: Int64
  /// Of the whole source, as "sha-256:…".
  public var digest: String?
  /// Of the source's first bytes, so many of them: the proof that a file that looks changed is the same as far as it went.
  public var prefixByteCount: Int64 = 0
  public var prefixDigest: String?
  /// What the server said it has. Never more than it said.
  public var bytesAcknowledged: Int64 = 0
  public var acknowledgedAt: Double?
  /// The highest offset up to which bytes were ever sent: a server that has more made them up.
  public var bytesSent: Int64 = 0
  /// Whether the server was told the length.
  public var isLengthKnown = false
  /// The size of a part or chunk; never computed anew when an upload goes on.
  public var partByteCount: Int64?
  /// Limits and extensions seen, as JSON.
  public var server = "{}"
  /// What was told about the file, as JSON.
  public var metadata = "{}"
  /// Where the credentials come from; never the credentials.
  public var credential: String?
  public var lastStatus: Int?
  public var lastCurlCode: Int?
  /// The start of the last answer's body that was an error.
  public var lastAnswer: String?

  public init(transfer: TransferID, protocolName: String, source: SourcePin, sourceChangedNanoseconds: Int64) {
    self.transfer = transfer
    self.protocolName = protocolName
    self.source = source
    self.sourceChangedNanoseconds = sourceChangedNanoseconds
  }
}
