import CCurl

extension CurlTransfer {
  /// How far the server is: of the handshake where there was one, else of the request. 0 before the head came;
  /// may be asked inside `headReceived`.
  public var roundTripSeconds: Double {
    let connect = seconds(CURLINFO_CONNECT_TIME_T) - seconds(CURLINFO_NAMELOOKUP_TIME_T)
    if connectionCount > 0, connect > 0 { return connect }
    return max(seconds(CURLINFO_STARTTRANSFER_TIME_T) - seconds(CURLINFO_PRETRANSFER_TIME_T), 0)
  }

  /// Bytes of the request's body that the kernel took so far, a form's framing among them.
  public var sentByteCount: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }

  /// What is known when libcurl is done with the request.
  func result(_ code: CURLcode) -> CurlResult {
    var result = CurlResult()
    result.error = error(code)
    result.wasStopped = failure == nil && (flow == .stopped || flow == .draining) && !isCutShort
    let status = long(CURLINFO_RESPONSE_CODE)
    result.httpStatus = status > 0 ? status : nil
    result.byteCount = offset(CURLINFO_SIZE_DOWNLOAD_T)
    result.sentByteCount = sentByteCount
    result.times = times
    result.isReused = connectionCount == 0 && seconds(CURLINFO_PRETRANSFER_TIME_T) > 0
    result.httpVersion = httpVersion
    result.primaryIP = text(CURLINFO_PRIMARY_IP)
    return result
  }

  /// The descriptor of a connection that stands; nil when there is none.
  var activeSocket: Int32? {
    var descriptor: curl_socket_t = -1
    let code = unsafe hermes_get_socket(easy, CURLINFO_ACTIVESOCKET, &descriptor)
    return code == CURLE_OK && descriptor >= 0 ? descriptor : nil
  }

  /// Why a connection of its own ended.
  func brokenConnection(_ code: CURLcode) -> CurlError {
    CurlError(code, detail: "", trace: CurlError.Trace(isConnected: true))
  }

  private func error(_ code: CURLcode) -> CurlError? {
    if let failure { return failure }
    if code == CURLE_OK || flow == .stopped || flow == .draining { return nil }
    if let refusedAddress, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
      return CurlError(code, .privateAddress(refusedAddress), "\(refusedAddress) is a private address")
    }
    let trace = CurlError.Trace(
      osErrno: Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)),
      isConnected: offset(CURLINFO_PRETRANSFER_TIME_T) > 0, proxyStatus: long(CURLINFO_HTTP_CONNECTCODE))
    return CurlError(code, detail: unsafe String(cString: errorBuffer), trace: trace)
  }

  private var times: CurlResult.Times {
    var times = CurlResult.Times()
    times.dns = seconds(CURLINFO_NAMELOOKUP_TIME_T)
    times.connect = seconds(CURLINFO_CONNECT_TIME_T)
    times.tls = seconds(CURLINFO_APPCONNECT_TIME_T)
    times.firstByte = seconds(CURLINFO_STARTTRANSFER_TIME_T)
    times.total = seconds(CURLINFO_TOTAL_TIME_T)
    return times
  }

  private var httpVersion: String? {
    switch long(CURLINFO_HTTP_VERSION) {
    case CURL_HTTP_VERSION_1_0: "1.0"
    case CURL_HTTP_VERSION_1_1: "1.1"
    case CURL_HTTP_VERSION_2_0: "2"
    case CURL_HTTP_VERSION_3: "3"
    default: nil
    }
  }

  /// Connections this request had to open.
  private var connectionCount: Int { long(CURLINFO_NUM_CONNECTS) }

  // MARK: Getters by kind of answer; an answer that libcurl doesn't have is 0 or nil

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe hermes_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }

  private func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return unsafe hermes_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  /// The _T times are microseconds.
  private func seconds(_ info: CURLINFO) -> Double { Double(offset(info)) / 1e6 }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe hermes_get_text(easy, info, &value) == CURLE_OK, let value = unsafe value else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
