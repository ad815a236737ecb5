/// Decides what becomes of the parts of media that come over one session: kept, ignored, begun anew, refused.
///
/// Parts come in any order, of several media at once, and again. Bytes do not pass through: counts and digests do. A
/// media is complete when each of its part numbers is on disk; how many frames came says nothing. What must survive a
/// crash is `Saved`; a restart of the process takes the same path as a reconnect.
public struct MediaAssembler: Sendable {
  /// What the store keeps of one media between two lives.
  public struct Saved: Sendable, Hashable {
    /// Of the part that came first; its part number says nothing.
    public var head: MediaFrame
    public var parts: [HeldPart]
    /// How long ago the last part came.
    public var idleSeconds: Double

    public init(head: MediaFrame, parts: [HeldPart], idleSeconds: Double) {
      self.head = head
      self.parts = parts
      self.idleSeconds = idleSeconds
    }
  }

  public enum Action: Sendable, Hashable {
    /// A new media: a part file of its own, and a record of it.
    case begin(assembly: Int, MediaFrame)
    /// More is known of the media now: record it as its head.
    case amend(assembly: Int, MediaFrame)
    /// Write the part at hand there, sync, record, in this order; say `partRecorded` or `partFailed`.
    case write(assembly: Int, HeldPart)
    /// Forget the record, then remove the part file. Behind a `finish` that is under way it has nothing to do.
    case discard(assembly: Int)
    /// Every part is recorded: join, digest, ask `MediaReceipt.judge`, and give the file its name and its receipt in one
    /// go, so that nothing of another media with this ID comes between; say `finished`.
    case finish(assembly: Int, MediaFrame, MediaJoin)
    case event(Event)
  }

  public enum Event: Sendable, Hashable {
    case rejected(MediaRejection)
    /// Other bytes came for a part that was there: what was held is gone. Said once for an ID and connection.
    case restarted(id: String)
    /// Nothing came for too long; the missing parts.
    case incomplete(id: String, missing: RangeSet)
    case finished(MediaFrame, Finish)
  }

  /// How a media ended that was complete.
  public enum Finish: Sendable, Hashable {
    case saved(path: String, byteCount: Int64, sha256: String)
    /// It was received before; the path is the one of then.
    case duplicate(path: String?, byteCount: Int64, sha256: String)
    case failed(TransferFailure)
  }

  struct Assembly: Sendable {
    let number: Int
    var head: MediaFrame
    /// By part number: accepted, and perhaps still being written.
    var parts: [Int: HeldPart] = [:]
    var recorded = RangeSet()
    /// Where the next part begins in the part file.
    var end: Int64 = 0
    var byteCount: Int64 = 0
    var touchedAt: Instant
    /// The connection that its last part came on.
    var connection: Int
    var isFinishing = false

    var id: String { head.id }
    var isWriting: Bool { Int64(parts.count) > recorded.byteCount }
    var missing: RangeSet { RangeSet(recorded.gaps(in: ByteRange(0, Int64(head.parts)))) }
  }

  /// IDs that were rejected on a connection, or warned of, as far as they are remembered.
  static let maxRememberedIDs = 256

  public let limits: MediaLimits
  /// By ID; a media that is being finished makes room for another one of the same ID.
  var open: [String: Assembly] = [:]
  var finishing: [Int: Assembly] = [:]
  var rejectedIDs: Set<String> = []
  var warnedIDs: Set<String> = []
  var connection = 0
  var nextNumber = 1
  /// Of everything that is open or being finished.
  public internal(set) var byteCount: Int64 = 0

  public init(_ limits: MediaLimits = MediaLimits()) { self.limits = limits }

  /// How many media are open: some parts are there, others are not.
  public var openCount: Int { open.count }

  /// When `timerFired` is to be called next; nil for never.
  public var deadline: Instant? {
    open.values.lazy.filter { !$0.isWriting }.map { $0.touchedAt + limits.idleSeconds }.min()
  }

  /// What is on disk of a media, for `media_status`; nil when it is not known.
  public func held(_ id: String) -> MediaStatusFrame? {
    let known = open[id] ?? finishing.values.first { $0.id == id }
    return known.map { MediaStatusFrame(id: id, parts: $0.head.parts, held: $0.recorded) }
  }

  // MARK: Lives and connections

  /// Takes over a media of an earlier life; `number` names it from now on.
  ///
  /// - Returns: nil when what was saved cannot be, and is to be removed.
  public mutating func restore(_ saved: Saved, now: Instant) -> (number: Int, actions: [Action])? {
    let head = saved.head
    guard open[head.id] == nil, head.parts >= 1, head.parts <= MediaFrame.maxParts else { return nil }
    var assembly = Assembly(
      number: nextNumber, head: head, touchedAt: now, connection: connection)
    for part in saved.parts {
      guard (0..<head.parts).contains(part.part), assembly.parts[part.part] == nil, part.start >= 0,
        part.byteCount >= 0
      else { return nil }
      assembly.parts[part.part] = part
      assembly.recorded.insert(ByteRange(Int64(part.part), Int64(part.part) + 1))
      assembly.end = max(assembly.end, part.start + part.byteCount)
      assembly.byteCount += part.byteCount
    }
    let idle = min(max(saved.idleSeconds, 0), limits.idleSeconds)
    assembly.touchedAt = Instant(nanoseconds: now.nanoseconds - Int64(idle * 1e9))
    nextNumber += 1
    byteCount += assembly.byteCount
    open[head.id] = assembly
    return (assembly.number, finishIfComplete(head.id))
  }

  /// A new connection: what was begun before goes on if what is sent again agrees with it.
  public mutating func connected() {
    connection += 1
    rejectedIDs = []
    warnedIDs = []
  }
}
