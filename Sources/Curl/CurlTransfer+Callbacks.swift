import CCurl
import Core

/// The trampolines: pointer and length into a buffer, the owner's verdict into libcurl's number. Nothing here allocates
/// for a piece of a body.
extension CurlTransfer {
  /// So much of a body nobody wants is read past to keep its connection: less than a new one costs.
  private static let drainByteCount: Int64 = 16 << 10

  func setCallbacks() throws(CurlError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(unsafe hermes_set_callback(easy, CURLOPT_WRITEFUNCTION, Self.bodyCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_WRITEDATA, context))
    try check(unsafe hermes_set_callback(easy, CURLOPT_HEADERFUNCTION, Self.headerCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_HEADERDATA, context))
  }

  /// The size is 1 always (CURLOPT_WRITEFUNCTION(3)).
  private static let bodyCallback: curl_write_callback = { bytes, _, count, context in
    guard let context = unsafe context, count > 0 else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { unsafe $0.take(body: piece) }
  }

  private static let headerCallback: curl_write_callback = { bytes, _, count, context in
    guard let context = unsafe context, count > 0 else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { unsafe $0.take(header: line) }
  }

  private func take(body bytes: UnsafeRawBufferPointer) -> Int {
    switch flow {
    case .draining: return bytes.count
    case .held: return hermes_write_pause
    case .stopped: return hermes_write_error
    case .running: break
    }
    switch unsafe owner?.bodyReceived(bytes) {
    case .proceed: return bytes.count
    case .pause: return hermes_write_pause
    case .stop, nil:
      flow = .stopped
      return hermes_write_error
    }
  }

  private func take(header line: UnsafeRawBufferPointer) -> Int {
    if flow == .stopped { return hermes_write_error }
    switch unsafe reader.line(line) {
    case .more: return line.count
    case .informational(let head):
      owner?.informationalHeadReceived(head)
      return line.count
    case .final(let head): return take(head: head) ? line.count : hermes_write_error
    case .refused(let reason):
      failure = CurlError(CURLE_WEIRD_SERVER_REPLY, .httpProtocol, reason)
      flow = .stopped
      return hermes_write_error
    }
  }

  private func take(head: ResponseHead) -> Bool {
    finalStatus = head.status
    switch owner?.headReceived(head) {
    case .proceed where isExpectationRefused:
      isCutShort = true
      flow = .stopped
      return false
    case .proceed:
      // libcurl would wait for the rest of a body that the server doesn't want any more.
      if isBodyPaused, isBodyUnwanted { loop?.deferred.append(.resume(token: token)) }
      return true
    case .pause:
      // Pausing the header itself would bring its last line once more; the body waits as well.
      flow = .held
      return true
    case .stop, nil:
      flow = owner != nil && isShort(head) ? .draining : .stopped
      return flow == .draining
    }
  }

  private func isShort(_ head: ResponseHead) -> Bool {
    if isHead || head.status == 204 || head.status == 304 { return true }
    return head.contentLength.map { $0 <= Self.drainByteCount } ?? false
  }
}
