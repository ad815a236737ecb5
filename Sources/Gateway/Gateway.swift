import Posix

/// A gateway for loopback: holds Hermes sessions, serves the files of a folder over HTTP, and misbehaves where it is told
/// to.
///
/// ```swift
/// var options = GatewayOptions(mediaFolder: "/srv/media")
/// options.faults = [try FaultSpec("cut=70000:1")]
/// let gateway = try Gateway(options)
/// print(gateway.origin)  // http://127.0.0.1:40123
/// print(gateway.sessionURL)  // ws://127.0.0.1:40123/ws
/// gateway.stop()
/// ```
public final class Gateway: Sendable {
  /// The port that clients connect to.
  public let port: UInt16
  /// Scheme, address and port, as a URL begins.
  public let origin: String
  /// Where sessions begin.
  public let sessionURL: String
  private let daemon: HTTPDaemon

  /// Starts listening and answering on threads of its own.
  public init(_ options: GatewayOptions) throws(GatewayError) {
    guard let address = ListenAddress(options.listenAddress, port: options.port) else {
      throw .address(options.listenAddress)
    }
    guard address.isLoopback || options.asksForToken else {
      throw .listen(options.listenAddress, cause: ListenAddress.needsToken)
    }
    let service = try GatewayService(options)
    let host = address.isIPv6 ? "[\(options.listenAddress)]" : options.listenAddress
    do { daemon = try HTTPDaemon(address, service: service) } catch {
      throw .listen("\(host):\(options.port)", cause: error.description)
    }
    port = daemon.port
    origin = "http://\(host):\(port)"
    sessionURL = "ws://\(host):\(port)/ws"
  }

  /// Closes every session and connection and joins the threads, as the end of the last reference does.
  public func stop() {
    daemon.stop()
  }
}
