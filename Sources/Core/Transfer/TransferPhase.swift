/// What a transfer moves, and over what.
public enum TransferKind: String, Sendable, CaseIterable {
  case download, upload, media
}

/// The states a user sees; their raw values are the words of listings, JSON and the database.
public enum TransferState: String, Sendable, CaseIterable {
  case queued, waiting, running, verifying, paused
  case completed, sent, delivered, uncertain, failed, cancelled

  /// Whether nothing more happens without the user.
  public var isFinal: Bool {
    switch self {
    case .queued, .waiting, .running, .verifying, .paused: false
    case .completed, .sent, .delivered, .uncertain, .failed, .cancelled: true
    }
  }

  /// Whether all of it arrived where it was to go.
  public var isSuccess: Bool { self == .completed || self == .sent || self == .delivered }
}

/// Why a transfer waits.
public enum WaitReason: String, Sendable, CaseIterable {
  case network, metered, power, disk, lock
  case notBefore = "not-before"
  case serverBackoff = "server-backoff"
}
