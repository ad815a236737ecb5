/// How a transfer ended, with what libcurl measured.
public struct CurlResult: Sendable {
  /// Seconds since the request was started, each until the step was done; 0 for a step that was not taken.
  public struct Times: Hashable, Sendable {
    public var dns = 0.0
    public var connect = 0.0
    public var tls = 0.0
    public var firstByte = 0.0
    public var total = 0.0

    public init() {}
  }

  /// Nil when the whole body came, or when the owner stopped it.
  public var error: CurlError?
  /// The last status that was received; below 200 when no final head came.
  public var httpStatus: Int?
  /// Whether the owner answered `.stop`.
  public var wasStopped = false
  /// Bytes of bodies received, framing left out.
  public var byteCount: Int64 = 0
  /// Bytes of the request's body that the kernel took, a form's framing among them: the server may have fewer.
  public var sentByteCount: Int64 = 0
  public var times = Times()
  /// Whether the request went over a connection that an earlier one had opened.
  public var isReused = false
  /// "1.0", "1.1", "2" or "3".
  public var httpVersion: String?
  /// The address connected to.
  public var primaryIP: String?

  public init() {}
}
