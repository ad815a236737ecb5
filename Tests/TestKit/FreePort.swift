import Glibc

/// A TCP port of 127.0.0.1 that nobody listens on.
public enum FreePort {
  /// Asks the kernel for one and lets it go again: for servers of others, which cannot say what port 0 became.
  public static func next() -> UInt16 {
    let (descriptor, port) = LoopbackSocket.bound()
    close(descriptor)
    return port
  }
}

/// Sockets on 127.0.0.1, for servers and for looking whether one is there.
enum LoopbackSocket {
  /// A TCP socket bound to a port, a free one for 0, not yet listening.
  static func bound(_ port: UInt16 = 0) -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    precondition(descriptor >= 0, "cannot make a socket: \(String(cString: strerror(errno)))")
    // With port 0 it would let the kernel give one port twice.
    var isOn: Int32 = port == 0 ? 0 : 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, 4)
    var address = loopback(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = asGeneric(&address) { bind(descriptor, $0, length) }
    precondition(outcome == 0, "cannot bind to 127.0.0.1: \(String(cString: strerror(errno)))")
    var given = length
    _ = asGeneric(&address) { getsockname(descriptor, $0, &given) }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Whether somebody accepts connections on this port now.
  static func answers(port: UInt16) -> Bool {
    guard let descriptor = connected(port: port) else { return false }
    close(descriptor)
    return true
  }

  /// A connection to this port, or nil when nobody takes it.
  static func connected(port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = loopback(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    if asGeneric(&address, { connect(descriptor, $0, length) }) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func asGeneric(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
