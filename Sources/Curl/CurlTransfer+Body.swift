import CCurl

/// Requests with a body or a method of their own.
extension CurlRequest {
  /// Whether it is more than a GET or a HEAD.
  var isSpecial: Bool { method != nil || body != .none }

  /// What libcurl would add to a request with a body, or must not.
  var addedLines: [String] { body == .none || expectsContinue ? [] : ["Expect:"] }
}

extension CurlTransfer {
  /// Each of the options below changes what the others said (CURLOPT_NOBODY(3), CURLOPT_UPLOAD(3)), so all are set.
  func applyMethod(_ request: CurlRequest) throws(CurlError) {
    if let method = request.method, !Self.isToken(method) {
      throw CurlError(CURLE_BAD_FUNCTION_ARGUMENT, .other, "'\(method.prefix(40))' is no method")
    }
    dropForm()
    try set(CURLOPT_NOBODY, 0)
    try set(CURLOPT_HTTPGET, 1)
    try set(CURLOPT_CUSTOMREQUEST, request.method)
    switch request.body {
    case .none: if request.isHead { try set(CURLOPT_NOBODY, 1) }
    case .bytes(let bytes): try setUpload(byteCount: Int64(bytes.count))
    case .source(let byteCount): try setUpload(byteCount: byteCount)
    case .form(let parts): try setForm(parts)
    }
  }

  /// RFC 9110 section 5.6.2, as far as methods have ever gone.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xdf) || byte == UInt8(ascii: "-")
      }
  }

  /// libcurl's upload buffer stays at 64 KiB: more took 1.2 to 1.7 times the CPU for 1 GiB.
  private func setUpload(byteCount: Int64?) throws(CurlError) {
    try setUploadCallbacks()
    try set(CURLOPT_UPLOAD, 1)
    try check(unsafe hermes_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(byteCount ?? -1)))
  }

  private func setUploadCallbacks() throws(CurlError) {
    guard !isUploadReady else { return }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(unsafe hermes_set_read(easy, Self.readCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_READDATA, context))
    try check(unsafe hermes_set_seek(easy, Self.seekCallback))
    try check(unsafe hermes_set_pointer(easy, CURLOPT_SEEKDATA, context))
    isUploadReady = true
  }

  /// Whether the server refused before it had the body. libcurl stops sending by itself only where the connection is not
  /// closed after the answer, or when all of the answer is there.
  var isBodyUnwanted: Bool { (finalStatus ?? 0) >= 300 }

  /// After a 417 libcurl would send the request again by itself, in most cases: this ends with the answer instead.
  var isExpectationRefused: Bool { finalStatus == 417 && prepared?.expectsContinue == true }

  static let readCallback: curl_read_callback = { bytes, size, count, context in
    guard let context = unsafe context, let bytes = unsafe bytes else { return hermes_read_abort }
    let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { unsafe $0.fill(room) }
  }

  static let seekCallback: curl_seek_callback = { context, offset, origin in
    guard let context = unsafe context, origin == 0 else { return hermes_seek_refused }
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.seek(Int64(offset)) }
  }

  private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    if flow == .stopped || flow == .draining { return hermes_read_abort }
    if isBodyUnwanted { return endedUnwanted() }
    switch prepared?.body {
    case .bytes(let bytes): return unsafe fill(room, from: bytes)
    case .source(let byteCount): return unsafe fill(room, upTo: byteCount)
    case .form(let parts): return unsafe fill(room, upTo: parts.fileByteCount)
    case .some(.none), nil: return 0
    }
  }

  /// Fewer bytes than the length says are no body, but chunks that end are one: those are cut instead.
  private func endedUnwanted() -> Int {
    guard prepared?.body == .source(byteCount: nil) else { return 0 }
    isCutShort = true
    flow = .stopped
    return hermes_read_abort
  }

  private func fill(_ room: UnsafeMutableRawBufferPointer, from bytes: [UInt8]) -> Int {
    let piece = bytes[Int(bodyOffset)...].prefix(room.count)
    unsafe room.copyBytes(from: piece)
    bodyOffset += Int64(piece.count)
    return piece.count
  }

  /// The owner never sees more room than the body has left.
  private func fill(_ room: UnsafeMutableRawBufferPointer, upTo byteCount: Int64?) -> Int {
    let left = byteCount.map { $0 - bodyOffset } ?? .max
    guard left > 0 else { return 0 }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(Int64(room.count), left))])
    isBodyPaused = false
    switch unsafe owner?.bodyWanted(part, at: bodyOffset) {
    case .bytes(let count):
      precondition((0...part.count).contains(count), "a body gave more bytes than there was room")
      if count == 0, let byteCount { return endedEarly(byteCount) }
      bodyOffset += Int64(count)
      return count
    case .pause:
      isBodyPaused = true
      return hermes_read_pause
    case .stop, nil:
      flow = .stopped
      return hermes_read_abort
    }
  }

  /// libcurl would only stop sending, and the server wait for the rest.
  private func endedEarly(_ byteCount: Int64) -> Int {
    failure = CurlError(CURLE_READ_ERROR, .other, "the body ended at \(bodyOffset) of \(byteCount) bytes")
    flow = .stopped
    return hermes_read_abort
  }

  /// libcurl goes back to send a body again when a connection that served before broke: a guess about what the server
  /// has, which is the caller's. After an answer that asks for it there is nothing to guess.
  private func seek(_ offset: Int64) -> Int32 {
    guard bodyOffset == offset || finalStatus != nil || prepared?.isRepeatable == true else {
      return hermes_seek_refused
    }
    bodyOffset = offset
    return hermes_seek_done
  }
}

extension [CurlFormPart] {
  /// Of the file among them.
  var fileByteCount: Int64 {
    for case .file(_, _, _, let byteCount) in self { return byteCount }
    return 0
  }
}
