import CMicroHTTPD
import Posix

/// libmicrohttpd, listening: turns its callbacks into questions to a service.
@safe final class HTTPDaemon: @unchecked Sendable {  // the library takes its daemon from any thread
  /// The port that clients connect to.
  let port: UInt16
  private let daemon: OpaquePointer
  private let border: DaemonBorder
  private let isStopped = Guarded(false)

  /// Binds and starts answering (MHD_start_daemon).
  init(_ address: ListenAddress, service: GatewayService) throws(Errno) {
    border = DaemonBorder(service: service)
    var socketAddress = address.socketAddress
    var callbacks = unsafe border.callbacks
    var code: Int32 = 0
    guard
      let daemon = unsafe hermes_start_daemon(
        &socketAddress, Self.threadCount, Self.connectionLimit, Self.idleSeconds, &callbacks, &code)
    else { throw Errno(rawValue: code) }
    unsafe self.daemon = unsafe daemon
    port = unsafe hermes_daemon_port(daemon)
    border.pacer.start()
  }

  deinit { stop() }

  /// Ends every connection and every thread (MHD_stop_daemon); a second call does nothing.
  func stop() {
    let isSecond = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return isStopped
    }
    guard !isSecond else { return }
    // The library can't stop while a connection that it has handed over is in other hands.
    border.service.stop()
    border.pacer.stop()
    unsafe MHD_stop_daemon(daemon)
  }

  /// A cold file blocks its thread in sendfile, so a few more than cores.
  private static let threadCount: UInt32 = 4
  private static let connectionLimit: UInt32 = 4096
  private static let idleSeconds: UInt32 = 300
}
