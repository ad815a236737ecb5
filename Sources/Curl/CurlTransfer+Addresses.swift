import CCurl
import Core

/// Private addresses are refused where somebody else than the user says what is fetched: by the address itself, since any
/// name may stand for it, and at each request, since a name may stand for another one the next time.
extension CurlTransfer {
  func refusePrivateAddresses() throws(CurlError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(unsafe hermes_set_open_socket(easy, Self.openSocketCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context))
    try check(unsafe hermes_set_before_request(easy, Self.beforeRequestCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_PREREQDATA, context))
  }

  /// Nothing is sent to an address that is refused; libcurl tries the name's next one.
  private static let openSocketCallback: curl_opensocket_callback = { context, _, address in
    guard let context = unsafe context, let address = unsafe address else { return hermes_no_socket }
    if let text = unsafe text(of: address) {
      let isRefused = unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.refuses(text) }
      if isRefused { return hermes_no_socket }
    }
    return unsafe hermes_open_socket(address)
  }

  private static func text(of address: UnsafePointer<curl_sockaddr>) -> String? {
    var room = [CChar](repeating: 0, count: 64)
    return unsafe room.withUnsafeMutableBufferPointer { room in
      unsafe hermes_address_text(address, room.baseAddress, socklen_t(room.count)).map { unsafe String(cString: $0) }
    }
  }

  /// A connection that stands may be one that another request was allowed to make (CURLOPT_PREREQFUNCTION(3)).
  private static let beforeRequestCallback: curl_prereq_callback = { context, address, _, _, _ in
    guard let context = unsafe context, let address = unsafe address else { return CURL_PREREQFUNC_ABORT }
    let text = unsafe String(cString: address)
    let isRefused = unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.refuses(text) }
    return isRefused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK
  }

  private func refuses(_ address: String) -> Bool {
    guard HostScope(host: address).isPrivate else { return false }
    refusedAddress = address
    return true
  }
}
