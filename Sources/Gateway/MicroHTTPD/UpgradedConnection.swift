import CMicroHTTPD
import Posix

/// A connection that the library has handed over: its socket is ours until it is closed here.
///
/// `@unchecked Sendable`: it is made on a thread of the library and then used by its session's alone.
@safe final class UpgradedConnection: @unchecked Sendable {
  let socket: StreamSocket
  /// What came behind the request's head.
  let leftover: [UInt8]
  private let handle: OpaquePointer

  private init(_ socket: StreamSocket, leftover: [UInt8], handle: OpaquePointer) {
    self.socket = socket
    self.leftover = leftover
    unsafe self.handle = unsafe handle
  }

  /// The library can't stop before every socket is given back, so the last reference gives it (MHD_upgrade_action(3)).
  deinit { unsafe hermes_close_upgraded(handle) }

  /// A response after whose head the connection is handed over (MHD_create_response_for_upgrade).
  static func response(_ border: DaemonBorder) -> OpaquePointer? {
    unsafe MHD_create_response_for_upgrade(
      { border, _, exchange, leftover, count, socket, handle in
        guard let border = unsafe border, let handle = unsafe handle else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: leftover, count: count)
        let connection = unsafe UpgradedConnection(
          StreamSocket(borrowing: socket), leftover: Array(bytes), handle: handle)
        let admission = unsafe exchange.flatMap {
          unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue().admission
        }
        guard let admission else { return }
        unsafe Unmanaged<DaemonBorder>.fromOpaque(border).takeUnretainedValue().service.open(connection, admission)
      }, Unmanaged.passUnretained(border).toOpaque())
  }
}
