/// How much of what comes is taken; all of it can be configured.
public struct MediaLimits: Hashable, Sendable {
  /// Of one message, as text.
  public var maxMessageByteCount = 16 << 20
  /// Of one media, in raw bytes.
  public var maxMediaByteCount: Int64 = 512 << 20
  /// Media of which some parts are there.
  public var maxOpenCount = 16
  /// What they hold together, in raw bytes.
  public var maxOpenByteCount: Int64 = 2 << 30
  /// A media of which no part came for so long stays incomplete.
  public var idleSeconds: Double = 600
  /// For so long a media that was received is known again.
  public var duplicateSeconds: Double = 86_400

  public init() {}
}

/// A part of a media where it stands in the part file: parts are appended as they come.
public struct HeldPart: Hashable, Sendable {
  /// From 0.
  public var part: Int
  /// Its first byte in the part file.
  public var start: Int64
  public var byteCount: Int64
  /// Equal for equal bytes.
  public var tag: String

  public init(part: Int, start: Int64, byteCount: Int64, tag: String) {
    self.part = part
    self.start = start
    self.byteCount = byteCount
    self.tag = tag
  }
}

/// How a part file becomes the file.
public struct MediaJoin: Hashable, Sendable {
  /// In their order; read one after the other they are the file.
  public let parts: [HeldPart]

  public init(_ parts: [HeldPart]) { self.parts = parts.sorted { $0.part < $1.part } }

  public var byteCount: Int64 { parts.reduce(0) { $0 + $1.byteCount } }

  /// Whether the part file is the file already; else it is copied once, part by part.
  public var isInOrder: Bool {
    var end: Int64 = 0
    for part in parts {
      guard part.start == end else { return false }
      end += part.byteCount
    }
    return true
  }
}

/// What is known of a media that was received before under the same ID.
public struct MediaReceipt: Hashable, Sendable {
  public enum Verdict: Hashable, Sendable {
    /// Never received, or too long ago to count.
    case new
    /// The same bytes: no second file.
    case duplicate
    /// Other bytes under a known ID: a new file with a suffix.
    case changed
  }

  /// Lower-case hexadecimal.
  public var sha256: String
  /// Seconds since 1970.
  public var receivedAt: Double

  public init(sha256: String, receivedAt: Double) {
    self.sha256 = sha256
    self.receivedAt = receivedAt
  }

  /// - Parameters:
  ///   - earlier: all that is known of the ID.
  ///   - now: seconds since 1970.
  public static func judge(
    sha256: String, earlier: some Sequence<MediaReceipt>, now: Double, limits: MediaLimits = MediaLimits()
  ) -> Verdict {
    var isKnown = false
    // A clock that was set back makes nothing older than it is.
    for receipt in earlier where now - receipt.receivedAt < limits.duplicateSeconds {
      if receipt.sha256 == sha256 { return .duplicate }
      isKnown = true
    }
    return isKnown ? .changed : .new
  }
}
