import CCurl

extension CurlTransfer {
  /// libcurl 7.88 hands out 16 KiB at most, yet reads more at a time: 0.60 of curl's CPU on 1 GiB, against 0.83.
  private static let bufferByteCount = 512 << 10

  /// What holds for every request.
  func applyDefaults() throws(CurlError) {
    try check(unsafe hermes_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer))
    try setCallbacks()
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_NOPROGRESS, 1)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    try set(CURLOPT_UNRESTRICTED_AUTH, 0)
    // The head of a proxy's answer to CONNECT is not the answer.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_BUFFERSIZE, Self.bufferByteCount)
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    // Else removing a transfer that still resolves its host waits for getaddrinfo, and with it the whole loop.
    try set(CURLOPT_QUICK_EXIT, 1)
  }

  func apply(_ options: CurlOptions) throws(CurlError) {
    try set(CURLOPT_USERAGENT, options.userAgent)
    try set(CURLOPT_REFERER, options.referer)
    try set(CURLOPT_COOKIEFILE, options.cookieFile)
    try applyCredentials(options)
    try applyNetrc(options)
    try applyTLS(options)
    try applyRoute(options)
    try applyVersion(options.httpVersion)
  }

  private func applyCredentials(_ options: CurlOptions) throws(CurlError) {
    if let token = options.bearerToken {
      try set(CURLOPT_HTTPAUTH, hermes_auth_bearer)
      return try set(CURLOPT_XOAUTH2_BEARER, token)
    }
    try set(CURLOPT_HTTPAUTH, hermes_auth_basic)
    try set(CURLOPT_USERNAME, options.user)
    try set(CURLOPT_PASSWORD, options.password)
  }

  private func applyNetrc(_ options: CurlOptions) throws(CurlError) {
    guard options.usesNetrc || options.netrcFile != nil else { return }
    // What the URL or the options say comes first.
    try set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
    try set(CURLOPT_NETRC_FILE, options.netrcFile)
  }

  private func applyTLS(_ options: CurlOptions) throws(CurlError) {
    // Taking an unset file back would lose libcurl's own default, the system's certificates.
    if let file = options.caFile { try set(CURLOPT_CAINFO, file) }
    try set(CURLOPT_SSLCERT, options.certificateFile)
    try set(CURLOPT_SSLKEY, options.keyFile)
    guard options.isInsecure else { return }
    try set(CURLOPT_SSL_VERIFYPEER, 0)
    try set(CURLOPT_SSL_VERIFYHOST, 0)
  }

  private func applyRoute(_ options: CurlOptions) throws(CurlError) {
    if let proxy = options.proxy { try set(CURLOPT_PROXY, proxy) }
    if options.ignoresProxyExceptions { try set(CURLOPT_NOPROXY, "") }
    if !options.allowsPrivateAddresses { try refusePrivateAddresses() }
    try set(CURLOPT_INTERFACE, options.interface)
    try set(CURLOPT_UNIX_SOCKET_PATH, options.unixSocket)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(options.connectSeconds * 1000, 1)))
    switch options.addressFamily {
    case .ipv4: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    case nil: break
    }
  }

  private func applyVersion(_ version: CurlOptions.HTTPVersion?) throws(CurlError) {
    switch version {
    case .http1: try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2:
      try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
      try set(CURLOPT_PIPEWAIT, 1)
    case nil: try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    }
  }
}
