import CMicroHTTPD

/// A numeric address and port to listen on.
struct ListenAddress {
  private(set) var socketAddress = sockaddr_storage()

  /// Nil when the text is neither an IPv4 nor an IPv6 address.
  init?(_ text: String, port: UInt16) {
    guard unsafe hermes_listen_address(text, port, &socketAddress) != 0 else { return nil }
  }

  var isIPv6: Bool { Int32(socketAddress.ss_family) == AF_INET6 }

  /// Only this machine can reach it.
  var isLoopback: Bool {
    var address = socketAddress
    return unsafe hermes_is_loopback(&address)
  }

  /// Why an address beyond this machine is refused.
  static let needsToken = "other machines can reach it, so --token-file is needed"
}
