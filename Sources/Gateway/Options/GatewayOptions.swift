/// How a gateway listens, what it serves and how it misbehaves.
public struct GatewayOptions: Equatable, Sendable {
  /// The folder whose files are served under `/media/`.
  public var mediaFolder: String
  /// A numeric address.
  public var listenAddress = "127.0.0.1"
  /// 0 lets the kernel choose one.
  public var port: UInt16 = 0
  /// The file that holds the token every request and session must show.
  public var tokenFile: String?
  /// The same token itself, where there is no file.
  public var token: BearerToken?
  /// A file of mode 0600 with `device_id=token` lines: each of these devices shows its own token.
  public var deviceTokenFile: String?
  /// Media that one device sent are announced to all others that are connected too.
  public var sharesWithAll = false
  /// Texts are echoed and media announced back to the device that sent them.
  public var echoes = true
  /// Speak no more than every Hermes gateway does: no `media_status`, no `media_done`.
  public var speaksFloorOnly = false
  /// Media of at most so many bytes are announced in parts over the session, longer ones by URL.
  public var inlineByteCount: Int64 = 1 << 20
  /// Bytes of one part: of those that are sent, and as `ready` recommends.
  public var partByteCount = 3 << 20
  /// What stands before `/media/NAME` in announced URLs; nil leaves them relative.
  public var baseURL: String?
  /// What sessions may take.
  public var limits = SessionLimits()
  /// The most that one connection gets; nil for no limit.
  public var bytesPerSecond: Int64?
  /// What goes wrong on purpose.
  public var faults: [FaultSpec] = []
  /// Send each file's SHA-256 as `Repr-Digest`.
  public var sendsDigest = false
  /// Write no line a request or session on standard error.
  public var isQuiet = false

  /// Whether something must be shown to come in.
  var asksForToken: Bool { tokenFile != nil || token != nil || deviceTokenFile != nil }

  /// A gateway on a free loopback port for the files below a folder.
  public init(mediaFolder: String) {
    self.mediaFolder = mediaFolder
  }
}
