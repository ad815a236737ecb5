public import Core

/// How a session stands.
public enum SessionState: Hashable, Sendable {
  case idle
  case connecting
  /// The gateway has said `ready`.
  case connected
  /// Tries again at `nextTry`, in seconds since 1970, because the last connection ended like that.
  case reconnecting(nextTry: Double, because: TransferFailure)
  /// Nothing more happens without the user.
  case failed(TransferFailure)
}

/// What a session tells; values, free of secrets.
public enum SessionEvent: Hashable, Sendable {
  case stateChanged(SessionState)
  case message(MessageFrame)
  case prompt(PromptFrame)
  case promptDone(PromptDoneFrame)
  case typing(isOn: Bool)
  case avatar(AvatarState)
  /// The gateway's complaint that ends nothing.
  case complaint(ErrorFrame)
  /// The gateway has read a message of ours.
  case messageSent(id: String)
  /// A file of the agent's is on disk, whole.
  case media(ReceivedMedia)
  /// It was received before: no second file.
  case duplicate(ReceivedMedia)
  /// A file of the agent's is announced by a link, and fetched by this transfer.
  case mediaAnnounced(id: String, transfer: TransferID)
  /// A file of the agent's could not be taken; nothing of it is left.
  case mediaFailed(id: String?, TransferFailure)
  /// A file that has neither content nor a link.
  case mediaEmpty(id: String)
  /// Nothing more came of a file; the numbers of the missing parts.
  case mediaIncomplete(id: String, missing: RangeSet)
  /// Other bytes came for a part that was there: the file begins anew.
  case mediaRestarted(id: String)
}

extension SessionEvent {
  /// About what it takes in memory.
  var byteCount: Int {
    let texts: [String] =
      switch self {
      case .message(let message): [message.id, message.text]
      case .prompt(let prompt):
        [prompt.id, prompt.kind, prompt.text] + prompt.options.flatMap { [$0.id, $0.label] }
      case .promptDone(let done): [done.id, done.optionID ?? ""]
      case .complaint(let error): [error.code, error.message]
      case .media(let media), .duplicate(let media): [media.id, media.mime, media.caption ?? "", media.path ?? ""]
      case .mediaFailed(let id, let failure): [id ?? "", failure.message]
      case .mediaEmpty(let id), .mediaIncomplete(let id, _), .mediaRestarted(let id), .mediaAnnounced(let id, _),
        .messageSent(let id):
        [id]
      case .stateChanged, .typing, .avatar: []
      }
    return 200 + texts.reduce(0) { $0 + $1.utf8.count + 16 }
  }
}

/// A file that came.
public struct ReceivedMedia: Hashable, Sendable {
  public var id: String
  public var kind: MediaKind
  public var mime: String
  public var caption: String?
  /// Absolute; nil where the file of an earlier time is gone.
  public var path: String?
  public var byteCount: Int64
  /// Lower-case hexadecimal.
  public var sha256: String

  public init(
    id: String, kind: MediaKind, mime: String, caption: String?, path: String?, byteCount: Int64, sha256: String
  ) {
    self.id = id
    self.kind = kind
    self.mime = mime
    self.caption = caption
    self.path = path
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}

/// A file to be sent as media.
public struct MediaRequest: Sendable, Hashable {
  public var path: String
  /// Nil: what the file's content is.
  public var kind: MediaKind?
  public var mime: String?
  /// Nil: the path's last part.
  public var name: String?
  public var caption: String?
  /// Raw bytes of a part, a multiple of 3; nil for 3 MiB, or what the gateway takes.
  public var partByteCount: Int?
  /// Never sent a second time when the outcome of the first is unknown.
  public var isAtMostOnce = false
  /// 0 to 9; higher goes first.
  public var priority = 5
  /// Seconds from now, after which it is given up.
  public var deadlineSeconds = TransferLimits().deadlineSeconds

  public init(path: String) { self.path = path }
}

/// How a session is held.
public struct SessionOptions: Sendable {
  /// Proxies, certificates, headers: as for downloads.
  public var network = NetworkOptions()
  /// Where files that come are saved, absolute; nil passes them over.
  public var mediaFolder: String?
  /// How much is taken.
  public var limits = MediaLimits()
  /// How files are fetched that come by a link.
  public var downloads = TransferLimits()
  /// Goes on with such files that earlier lives left.
  public var resumesDownloads = false

  public init() {}
}
