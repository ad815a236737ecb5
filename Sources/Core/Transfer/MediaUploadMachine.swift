/// Decides everything about one media that goes out over a session: parts, barriers, resume, refusals, what is certain.
///
/// Bytes do not pass through it. What must survive a crash is `Saved`; a restart of the process and a reconnect take the
/// same path through `sessionReady`.
public struct MediaUploadMachine: Sendable {
  /// What does not change during the life of an upload.
  public struct Settings: Sendable, Hashable {
    /// Its ID stays for every attempt: the other side overwrites what it has by it.
    public var id: String
    public var kind: MediaKind
    public var mime: String
    public var fileName: String?
    /// On the first and the last part only.
    public var caption: String?
    /// Of the pinned source.
    public var byteCount: Int64
    /// Never sent a second time when the outcome of the first is unknown.
    public var isAtMostOnce = false
    /// What this gateway took in the end, the last time it refused something.
    public var rememberedPartByteCount: Int?
    /// How long a `media_status` may take.
    public var statusSeconds: Double = 15
    /// How long a gateway that proves delivery may take for it, beside the time for reading the file.
    public var doneSeconds: Double = 30
    /// How fast it joins and reads the file at least.
    public var doneBytesPerSecond: Double = 16 * 1_048_576

    public init(
      id: String, kind: MediaKind, mime: String, byteCount: Int64, fileName: String? = nil, caption: String? = nil
    ) {
      self.id = id
      self.kind = kind
      self.mime = mime
      self.byteCount = byteCount
      self.fileName = fileName
      self.caption = caption
    }
  }

  /// What the store keeps between two lives.
  public struct Saved: Sendable, Hashable {
    public var partByteCount: Int
    /// Numbers of parts that the other side has read.
    public var acknowledged = RangeSet()
    /// Recorded before the last missing part goes out: from then on it may be complete over there.
    public var isLastPartBegun = false
    /// Whether it was sent again because nobody knew what had become of it.
    public var isResent = false

    public init(partByteCount: Int = PartSizer.usualByteCount) { self.partByteCount = partByteCount }
  }

  public enum Action: Sendable, Hashable {
    /// Send a `media_status` for our ID.
    case askStatus
    /// Check the source; read these bytes and send them in this frame; say `partWritten`.
    case send(MediaFrame, ByteRange)
    /// Send a ping behind what was written; say `barrierPassed` with this number at its pong.
    case barrier(UInt64)
    /// Check the source once more; say `sourceChecked` or `sourceFailed`.
    case checkSource
    /// Read the whole source; say `sourceDigested`.
    case digestSource
    /// Save `saved` when it is convenient.
    case record
    /// Save `saved`, behind all records before it, through a power cut; say `recorded` with this number.
    case recordDurably(UInt64)
    /// This gateway takes no larger parts.
    case rememberPartSize(Int)
    /// Everything was read by the other side; what is still awaited is its proof.
    case reachedSent
    /// Something the user should know that ends nothing.
    case note(String)
    /// The last word. A message that is half written is written to its end all the same.
    case end(Outcome)
  }

  public enum Outcome: Sendable, Hashable {
    /// The other side has read every byte; it gives no proof of what it did with them.
    case sent
    /// The other side has the file, with our digest.
    case delivered
    /// Everything was written, and the connection broke before the other side had read it for certain.
    case uncertain
    case failed(TransferFailure)
    case cancelled
  }

  enum Phase: Sendable, Hashable {
    /// Waits for a session, or for its turn on it.
    case queued
    case asking(deadline: Instant)
    /// The record is on its way to the disk; the last part goes out behind it.
    case recording(UInt64)
    case sending
    case checking
    case proving(deadline: Instant)
    /// The proof is there, our own digest is being made.
    case comparing
    case ended(Outcome)
  }

  /// A part that was written and not yet read over there.
  struct Pending: Sendable, Hashable {
    var part: Int64
    var barrier: UInt64
  }

  /// Two: one being written while the other travels.
  static let maxUnacknowledged = 2
  /// Losses of the first part in a row that make its size suspicious.
  static let maxLossesOfFirstPart = 2
  /// How often a gateway that answers `media_status` may have read everything and still know nothing of it.
  static let maxCompleteSends = 3

  public let settings: Settings
  public internal(set) var saved: Saved
  var phase = Phase.queued
  var sizer: PartSizer
  var resumes: Bool?
  var inFlight: Int64?
  var pending: [Pending] = []
  /// Acknowledged, pending or in flight on this connection.
  var assigned = RangeSet()
  var nextBarrier: UInt64 = 1
  var records: UInt64 = 0
  /// Whether a power cut leaves us with the parts that were sent last.
  var isPartitionRecorded = true
  /// The largest part that was acknowledged in this life: sizes up to it are fine.
  var provenByteCount: Int64 = 0
  var lossesOfFirstPart = 0
  var completeSends = 0
  var ownDigest: String?
  var proof: MediaDoneFrame?
  /// Bytes that were acknowledged, and had to be sent again.
  public internal(set) var bytesResent: Int64 = 0

  public init(_ settings: Settings, saved: Saved = Saved()) {
    self.settings = settings
    self.saved = saved
    sizer = PartSizer(wanted: saved.partByteCount, remembered: settings.rememberedPartByteCount)
    if sizer.byteCount < saved.partByteCount { partition(sizer.byteCount) }
  }

  // MARK: What a view shows

  public var parts: Int64 { MediaFrame.partCount(byteCount: settings.byteCount, partSize: saved.partByteCount) }

  /// Bytes that the other side has read: none that a kernel buffers.
  public var bytesDone: Int64 { byteCount(of: saved.acknowledged) }

  public var state: TransferState {
    switch phase {
    case .queued: saved.acknowledged.isEmpty && !saved.isLastPartBegun ? .queued : .waiting
    case .asking, .recording, .sending, .checking: .running
    case .proving, .comparing: .sent
    case .ended(.sent): .sent
    case .ended(.delivered): .delivered
    case .ended(.uncertain): .uncertain
    case .ended(.failed): .failed
    case .ended(.cancelled): .cancelled
    }
  }

  /// When `timerFired` is to be called next; nil for never.
  public var deadline: Instant? {
    switch phase {
    case .asking(let deadline), .proving(let deadline): deadline
    default: nil
    }
  }

  var isRecording: Bool { if case .recording = phase { true } else { false } }
  public var isEnded: Bool { if case .ended = phase { true } else { false } }

  /// Whether a message of ours is being written: nothing else may go between its fragments.
  public var isWriting: Bool { inFlight != nil }

  // MARK: Parts

  func range(of part: Int64) -> ByteRange {
    let size = Int64(saved.partByteCount)
    return ByteRange(min(part * size, settings.byteCount), min((part + 1) * size, settings.byteCount))
  }

  private func byteCount(of parts: RangeSet) -> Int64 {
    parts.ranges.reduce(0) { $0 + range(of: $1.end - 1).end - range(of: $1.start).start }
  }

  var isAllAssigned: Bool { assigned.contains(ByteRange(0, parts)) }

  /// Other parts from now on: what was acknowledged of the old ones means nothing.
  ///
  /// There are more of them than before, always: a `media_status` tells old parts from new ones by their number alone,
  /// and two that are cut differently make a torn file.
  mutating func partition(_ size: Int) {
    bytesResent += bytesDone
    var size = size
    if parts > 1, MediaFrame.partCount(byteCount: settings.byteCount, partSize: size) == parts {
      size = max(Int((settings.byteCount - 1) / parts) / 3 * 3, 3)
    }
    saved.partByteCount = size
    saved.acknowledged = RangeSet()
    lossesOfFirstPart = 0
    isPartitionRecorded = false
  }

  func frame(of part: Int64) -> MediaFrame {
    let isEnd = part == 0 || part == parts - 1
    return MediaFrame(
      id: settings.id, kind: settings.kind, mime: settings.mime, part: Int(part), parts: Int(parts),
      fileName: settings.fileName, caption: isEnd ? settings.caption : nil)
  }

  mutating func end(_ outcome: Outcome) -> [Action] {
    phase = .ended(outcome)
    return [.end(outcome)]
  }
}
