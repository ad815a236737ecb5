import CCurl

/// What kind of trouble an error is, for the table of retries.
public enum CurlFault: Hashable, Sendable {
  case resolve
  case connect
  /// A certificate that is not accepted stays so; other trouble of the handshake may pass.
  case tls(isCertificate: Bool)
  case timeoutConnect
  /// The connection broke while sending or receiving.
  case sendReceive
  /// The body ended before its length.
  case partialBody
  /// The server closed without a word.
  case emptyReply
  /// What came is not HTTP.
  case httpProtocol
  case proxy
  case tooManyRedirects
  case unsupportedScheme
  case badURL
  /// The host has no address but private ones, which are not allowed here; the text is one of them.
  case privateAddress(String)
  case outOfMemory
  case other
}

/// Why libcurl gave up.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The CURLcode (libcurl-errors(3)).
  public var code: Int
  public var fault: CurlFault
  /// One line in lower case, libcurl's own words about this transfer where it has any.
  public var text: String
  /// The errno of the connection attempt that failed, or 0.
  public var osErrno: Int32

  public var description: String { text }

  /// An error found on our side of libcurl.
  init(_ code: CURLcode, _ fault: CurlFault, _ text: String) {
    self.code = Int(code.rawValue)
    self.fault = fault
    self.text = text
    osErrno = 0
  }

  /// libcurl's `code`; `detail` is its error buffer and may be empty.
  init(_ code: CURLcode, detail: String, trace: Trace = Trace()) {
    self.code = Int(code.rawValue)
    text = unsafe Self.lowercasedStart(detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
    osErrno = trace.osErrno
    fault = Self.fault(of: code, detail: detail, trace: trace)
  }

  /// Trouble of the multi handle, which is the end for its transfers.
  init(multi code: CURLMcode) {
    self.init(
      CURLE_FAILED_INIT, code == CURLM_OUT_OF_MEMORY ? .outOfMemory : .other,
      unsafe Self.lowercasedStart(String(cString: curl_multi_strerror(code))))
  }

  /// What the handle knows beside the code; some codes stand for several troubles.
  struct Trace {
    var osErrno: Int32 = 0
    /// Whether the request got as far as being sent.
    var isConnected = false
    /// The proxy's answer to CONNECT, or 0.
    var proxyStatus = 0
  }

  private static func lowercasedStart(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? text
    guard let first = line.first, line.dropFirst().first?.isUppercase != true else { return line }
    return first.lowercased() + line.dropFirst()
  }

  private static func fault(of code: CURLcode, detail: String, trace: Trace) -> CurlFault {
    switch code {
    case CURLE_UNSUPPORTED_PROTOCOL:
      // "Received HTTP/0.9 when not allowed" has the code of a scheme that libcurl doesn't speak.
      trace.isConnected ? .httpProtocol : .unsupportedScheme
    case CURLE_SSL_CONNECT_ERROR: isCut(detail) ? .connect : .tls(isCertificate: false)
    case CURLE_RECV_ERROR: receiveFault(detail, trace)
    default: table[code.rawValue] ?? .other
    }
  }

  /// A connection cut during the handshake is told as a TLS error: "OpenSSL SSL_connect: Connection reset by peer".
  private static func isCut(_ detail: String) -> Bool {
    ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"].contains { detail.contains($0) }
  }

  /// A refused CONNECT and broken chunks have the code of a broken connection in 7.88.
  private static func receiveFault(_ detail: String, _ trace: Trace) -> CurlFault {
    if trace.proxyStatus != 0, trace.proxyStatus / 100 != 2 { return .proxy }
    return detail.contains("chunked-encoding") ? .httpProtocol : .sendReceive
  }

  private static let table: [UInt32: CurlFault] = [
    CURLE_URL_MALFORMAT.rawValue: .badURL,
    CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxy,
    CURLE_PROXY.rawValue: .proxy,
    CURLE_COULDNT_RESOLVE_HOST.rawValue: .resolve,
    CURLE_COULDNT_CONNECT.rawValue: .connect,
    CURLE_INTERFACE_FAILED.rawValue: .connect,
    CURLE_WEIRD_SERVER_REPLY.rawValue: .httpProtocol,
    CURLE_PARTIAL_FILE.rawValue: .partialBody,
    CURLE_OUT_OF_MEMORY.rawValue: .outOfMemory,
    // No other time limit is given to libcurl.
    CURLE_OPERATION_TIMEDOUT.rawValue: .timeoutConnect,
    CURLE_GOT_NOTHING.rawValue: .emptyReply,
    CURLE_SEND_ERROR.rawValue: .sendReceive,
    // The connection broke, and the body is not sent a second time.
    CURLE_SEND_FAIL_REWIND.rawValue: .sendReceive,
    // A stream that was reset, a session that went away: the same as a broken connection.
    CURLE_HTTP2.rawValue: .sendReceive,
    CURLE_HTTP2_STREAM.rawValue: .sendReceive,
    CURLE_TOO_MANY_REDIRECTS.rawValue: .tooManyRedirects,
    CURLE_SSL_CIPHER.rawValue: .tls(isCertificate: false),
    CURLE_USE_SSL_FAILED.rawValue: .tls(isCertificate: false),
    CURLE_SSL_SHUTDOWN_FAILED.rawValue: .tls(isCertificate: false),
    // Our own certificate or key, which no trust in the server mends.
    CURLE_SSL_CERTPROBLEM.rawValue: .tls(isCertificate: false),
    CURLE_PEER_FAILED_VERIFICATION.rawValue: .tls(isCertificate: true),
    CURLE_SSL_CACERT_BADFILE.rawValue: .tls(isCertificate: true),
    CURLE_SSL_CRL_BADFILE.rawValue: .tls(isCertificate: true),
    CURLE_SSL_ISSUER_ERROR.rawValue: .tls(isCertificate: true),
    CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .tls(isCertificate: true),
    CURLE_SSL_INVALIDCERTSTATUS.rawValue: .tls(isCertificate: true),
    CURLE_SSL_CLIENTCERT.rawValue: .tls(isCertificate: false),
  ]
}
