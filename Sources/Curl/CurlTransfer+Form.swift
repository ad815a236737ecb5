import CCurl

/// multipart/form-data, framed by libcurl.
extension CurlTransfer {
  func setForm(_ parts: [CurlFormPart]) throws(CurlError) {
    guard let form = unsafe curl_mime_init(easy) else { throw Self.noMemory }
    unsafe self.form = form
    for part in parts { try unsafe add(part, to: form) }
    try check(unsafe hermes_set_form(easy, form))
  }

  /// libcurl copies every text.
  private func add(_ part: CurlFormPart, to form: OpaquePointer) throws(CurlError) {
    guard let place = unsafe curl_mime_addpart(form) else { throw Self.noMemory }
    switch part {
    case .field(let name, let value):
      try check(unsafe curl_mime_name(place, name))
      try check(unsafe curl_mime_data(place, value, value.utf8.count))
    case .file(let name, let fileName, let mediaType, let byteCount):
      try check(unsafe curl_mime_name(place, name))
      try check(unsafe curl_mime_filename(place, fileName))
      try check(unsafe curl_mime_type(place, mediaType))
      let context = unsafe Unmanaged.passUnretained(self).toOpaque()
      try check(
        unsafe curl_mime_data_cb(
          place, curl_off_t(byteCount), Self.readCallback, Self.seekCallback, nil, context))
    }
  }

  func dropForm() {
    guard let old = unsafe form else { return }
    unsafe hermes_set_form(easy, nil)
    unsafe curl_mime_free(old)
    unsafe form = nil
  }

  private static let noMemory = CurlError(CURLE_OUT_OF_MEMORY, .outOfMemory, "no memory for a form")
}
