public import Core

/// What is to happen with the rest of a body.
public enum BodyVerdict: Hashable, Sendable {
  case proceed
  /// The same bytes come again after `CurlLoop.resume`; until then nothing is read from the connection.
  case pause
  /// Nothing more is delivered and the transfer ends without an error of its own. The connection is closed, unless
  /// the head promised at most 16 KiB: then they are read past and the connection serves again.
  case stop
}

/// Who a transfer reports to, on the loop's thread. All but `transferEnded` are called by libcurl;
/// `CurlLoop.start`, `cancel` and `resume` may be called from them and act when libcurl has returned.
public protocol CurlTransferOwner: AnyObject {
  /// The final head, before its body; once a transfer. A proxy's answer to CONNECT and trailers are left out.
  func headReceived(_ head: ResponseHead) -> BodyVerdict

  /// The next bytes, at most 16 KiB in libcurl 7.88; they are valid during the call only.
  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict

  /// An informational head of a request that keeps fields, at once, while its body still goes out.
  func informationalHeadReceived(_ head: ResponseHead)

  /// Fills the room, libcurl's own buffer of 64 KiB mostly, with the body from that offset on. The offset goes back to 0
  /// when the body has to be sent again.
  func bodyWanted(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) -> BodySupply

  /// The transfer is over and may be prepared and started again at once.
  func transferEnded(_ result: CurlResult)
}

extension CurlTransferOwner {
  public func informationalHeadReceived(_ head: ResponseHead) {}

  /// Requests without a body never ask.
  public func bodyWanted(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) -> BodySupply { .stop }
}
