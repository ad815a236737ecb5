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

/// Who a transfer reports to, on the loop's thread. `headReceived` and `bodyReceived` are called by libcurl;
/// `CurlLoop.start`, `cancel` and `resume` may be called from them and act when libcurl has returned.
public protocol CurlTransferOwner: AnyObject {
  /// The final head, before its body; once a transfer. Informational heads, a proxy's answer to CONNECT and trailers
  /// are left out.
  func headReceived(_ head: ResponseHead) -> BodyVerdict

  /// The next bytes, at most 16 KiB in libcurl 7.88; they are valid during the call only.
  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict

  /// The transfer is over and may be prepared and started again at once.
  func transferEnded(_ result: CurlResult)
}
