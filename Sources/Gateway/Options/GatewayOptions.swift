/// How a gateway listens, what it serves and how it misbehaves.
public struct GatewayOptions: Equatable, Sendable {
  /// The folder whose files are served under `/media/`.
  public var mediaFolder: String
  /// A numeric address.
  public var listenAddress = "127.0.0.1"
  /// 0 lets the kernel choose one.
  public var port: UInt16 = 0
  /// The file that holds the token every request must show.
  public var tokenFile: String?
  /// The most that one connection gets; nil for no limit.
  public var bytesPerSecond: Int64?
  /// What goes wrong on purpose.
  public var faults: [FaultSpec] = []
  /// Send each file's SHA-256 as `Repr-Digest`.
  public var sendsDigest = false
  /// Write no line a request on standard error.
  public var isQuiet = false

  /// A gateway on a free loopback port for the files below a folder.
  public init(mediaFolder: String) {
    self.mediaFolder = mediaFolder
  }
}
