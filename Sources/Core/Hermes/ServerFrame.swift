/// A frame from gateway to client.
public enum ServerFrame: Hashable, Sendable {
  case ready(ReadyFrame)
  case typing(isOn: Bool)
  case message(MessageFrame)
  case prompt(PromptFrame)
  case promptDone(PromptDoneFrame)
  /// A part's bytes travel beside it.
  case media(MediaFrame)
  case avatar(AvatarState)
  case error(ErrorFrame)
  case mediaStatus(MediaStatusFrame)
  case mediaDone(MediaDoneFrame)
}

/// The session stands.
public struct ReadyFrame: Hashable, Sendable {
  public var avatarURL: String?
  /// Nil from a gateway that never heard of our extensions.
  public var media: MediaExtension?

  public init(avatarURL: String? = nil, media: MediaExtension? = nil) {
    self.avatarURL = avatarURL
    self.media = media
  }
}

/// What a gateway offers beyond the floor.
public struct MediaExtension: Hashable, Sendable {
  /// The largest part it takes, in raw bytes.
  public var partByteCount: Int?
  /// The largest media it takes.
  public var maxByteCount: Int64?
  /// Whether it answers `media_status` and proves delivery by `media_done`.
  public var resumes: Bool

  public init(partByteCount: Int? = nil, maxByteCount: Int64? = nil, resumes: Bool = false) {
    self.partByteCount = partByteCount
    self.maxByteCount = maxByteCount
    self.resumes = resumes
  }
}

/// A piece of the agent's answer.
public struct MessageFrame: Hashable, Sendable {
  public var id: String
  public var text: String
  /// Replaces what the id had; otherwise the text is appended to it. An unknown id begins an entry either way.
  public var isEdit: Bool
  public var isFinal: Bool

  public init(id: String, text: String, isEdit: Bool = false, isFinal: Bool = false) {
    self.id = id
    self.text = text
    self.isEdit = isEdit
    self.isFinal = isFinal
  }
}

/// A card that waits for the user's choice; it expires after 300 s.
public struct PromptFrame: Hashable, Sendable {
  public struct Option: Hashable, Sendable {
    public var id: String
    public var label: String
    /// Whether choosing it destroys something.
    public var isDangerous: Bool

    public init(id: String, label: String? = nil, isDangerous: Bool = false) {
      self.id = id
      self.label = label ?? id
      self.isDangerous = isDangerous
    }
  }

  public var id: String
  /// `exec_approval`, `slash_confirm` or `clarify`; others are shown like these.
  public var kind: String
  public var text: String
  public var options: [Option]

  public init(id: String, kind: String, text: String, options: [Option] = []) {
    self.id = id
    self.kind = kind
    self.text = text
    self.options = options
  }
}

/// A card is answered only now.
public struct PromptDoneFrame: Hashable, Sendable {
  public var id: String
  /// The option that was really applied.
  public var optionID: String?
  public var hasExpired: Bool

  public init(id: String, optionID: String? = nil, hasExpired: Bool = false) {
    self.id = id
    self.optionID = optionID
    self.hasExpired = hasExpired
  }
}

/// What the agent's picture shows.
public enum AvatarState: String, Sendable, CaseIterable {
  case idle, thinking, speaking
}

/// The gateway's complaint.
public struct ErrorFrame: Hashable, Sendable {
  public var code: String
  public var message: String
  /// Whether the session is over for good.
  public var isFatal: Bool

  public init(code: String, message: String, isFatal: Bool = false) {
    self.code = code
    self.message = message
    self.isFatal = isFatal
  }
}

/// Which parts of a media the gateway holds.
public struct MediaStatusFrame: Hashable, Sendable {
  public var id: String
  public var parts: Int
  /// Numbers of parts from 0, ends exclusive.
  public var held: RangeSet

  public init(id: String, parts: Int, held: RangeSet) {
    self.id = id
    self.parts = parts
    self.held = held
  }
}

/// The proof of delivery.
public struct MediaDoneFrame: Hashable, Sendable {
  public var id: String
  public var byteCount: Int64
  /// Lower-case hexadecimal, of the whole media.
  public var sha256: String

  public init(id: String, byteCount: Int64, sha256: String) {
    self.id = id
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}
