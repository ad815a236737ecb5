/// Everything a view may show of one transfer at one moment; a value, free of secrets.
public struct TransferSnapshot: Sendable, Hashable {
  public var id: TransferID
  public var kind: TransferKind
  public var state: TransferState
  /// Why it waits; set exactly while `state` is `.waiting`.
  public var reason: WaitReason?
  /// When it is tried again, in seconds since 1970, where known.
  public var nextTry: Double?
  /// Without user, password and query: those may be secrets.
  public var url: String
  /// The final path once the name is known.
  public var path: String?
  /// The last part of `path`, or of the URL before a path is known.
  public var name: String
  public var bytesDone: Int64
  /// Nil while the length is unknown.
  public var bytesTotal: Int64?
  /// Over the last seconds, bytes on the wire only; nil while nothing runs.
  public var bytesPerSecond: Double?
  public var etaSeconds: Double?
  public var connections: Int
  public var attempts: Int
  /// Bytes received twice, because a cut or a change made them needed again.
  public var bytesRefetched: Int64
  public var failure: TransferFailure?
  /// Lower-case hexadecimal, once known.
  public var sha256: String?
  /// Seconds since 1970.
  public var createdAt: Double
  public var finishedAt: Double?
  /// 0 to 9; higher goes first.
  public var priority: Int

  public init(
    id: TransferID, kind: TransferKind, state: TransferState, url: String, name: String, createdAt: Double
  ) {
    self.id = id
    self.kind = kind
    self.state = state
    self.url = url
    self.name = name
    self.createdAt = createdAt
    bytesDone = 0
    connections = 0
    attempts = 0
    bytesRefetched = 0
    priority = 5
  }
}

/// What happened to a transfer; raw values are the `event` of `--progress json`.
public enum TransferEventKind: String, Sendable, CaseIterable {
  case added, started, progress, waiting, paused, completed, failed, cancelled
  /// Something the user should know that ends nothing: progress was thrown away, a server ignores ranges.
  case note
}

public struct TransferEvent: Sendable, Hashable {
  public var kind: TransferEventKind
  public var snapshot: TransferSnapshot
  /// For `.note`: one lower-case line.
  public var note: String?

  public init(_ kind: TransferEventKind, _ snapshot: TransferSnapshot, note: String? = nil) {
    self.kind = kind
    self.snapshot = snapshot
    self.note = note
  }
}
