internal import Core

/// How it stands in its row. The three lists below have one order.
extension UploadRecord {
  static let columns = [
    "transfer", "protocol", "protocol_version", "phase", "generation",
    "resource", "resource_created_at", "resource_expires_at", "result_url",
    "source_path", "source_device", "source_inode", "source_byte_count", "source_modified_ns", "source_changed_ns",
    "digest", "prefix_byte_count", "prefix_digest",
    "bytes_acknowledged", "acknowledged_at", "bytes_sent", "is_length_known", "part_byte_count",
    "server", "metadata", "credential", "last_status", "last_curl_code", "last_answer",
  ]

  func bind(to row: Statement) {
    row.bind(transfer.text)
    row.bind(protocolName)
    row.bind(protocolVersion)
    row.bind(phase.rawValue)
    row.bind(generation)
    row.bind(resource)
    row.bind(resourceCreatedAt)
    row.bind(resourceExpiresAt)
    row.bind(resultURL)
    bindSource(to: row)
    bindProgress(to: row)
    row.bind(server)
    row.bind(metadata)
    row.bind(credential)
    row.bind(lastStatus.map(Int64.init))
    row.bind(lastCurlCode.map(Int64.init))
    row.bind(lastAnswer)
  }

  private func bindSource(to row: Statement) {
    row.bind(source.path)
    row.bind(Int64(bitPattern: source.device))
    row.bind(Int64(bitPattern: source.inode))
    row.bind(source.byteCount)
    row.bind(source.modifiedNanoseconds)
    row.bind(sourceChangedNanoseconds)
    row.bind(digest)
    row.bind(prefixByteCount)
    row.bind(prefixDigest)
  }

  private func bindProgress(to row: Statement) {
    row.bind(bytesAcknowledged)
    row.bind(acknowledgedAt)
    row.bind(bytesSent)
    row.bind(isLengthKnown)
    row.bind(partByteCount)
  }

  /// Reads the columns above; throws `corrupt` for a value this program never writes.
  init(row: Statement, path: String) throws(StateError) {
    let id = row.text()
    do throws(UnknownValue) {
      self.init(
        transfer: try UnknownValue.check(TransferID(id), id), protocolName: row.text(), source: Self.noSource,
        sourceChangedNanoseconds: 0)
      protocolVersion = row.optionalText()
      phase = try row.word()
      generation = Int(row.integer())
      resource = row.optionalText()
      resourceCreatedAt = row.optionalReal()
      resourceExpiresAt = row.optionalReal()
      resultURL = row.optionalText()
      try readSource(row)
      try readProgress(row)
      server = row.text()
      metadata = row.text()
      credential = row.optionalText()
      lastStatus = row.optionalInteger().map { Int($0) }
      lastCurlCode = row.optionalInteger().map { Int($0) }
      lastAnswer = row.optionalText()
    } catch {
      throw .corrupt(path: path, detail: "upload \(id.prefix(40)) has the unknown value '\(error.text)'")
    }
  }

  private mutating func readSource(_ row: Statement) throws(UnknownValue) {
    source = SourcePin(
      path: row.text(), device: UInt64(bitPattern: row.integer()), inode: UInt64(bitPattern: row.integer()),
      byteCount: row.integer(), modifiedNanoseconds: row.integer())
    sourceChangedNanoseconds = row.integer()
    digest = row.optionalText()
    prefixByteCount = try row.count()
    prefixDigest = row.optionalText()
  }

  private mutating func readProgress(_ row: Statement) throws(UnknownValue) {
    bytesAcknowledged = try row.count()
    acknowledgedAt = row.optionalReal()
    bytesSent = try row.count()
    isLengthKnown = row.flag()
    let size = row.optionalInteger()
    partByteCount = try UnknownValue.check(size.map { $0 > 0 } ?? true ? .some(size) : nil, "\(size ?? 0)")
  }

  private static let noSource = SourcePin(path: "", device: 0, inode: 0, byteCount: 0, modifiedNanoseconds: 0)
}

extension Statement {
  /// A number of bytes.
  func count() throws(UnknownValue) -> Int64 {
    let value = integer()
    return try UnknownValue.check(value >= 0 ? value : nil, "\(value)")
  }
}
