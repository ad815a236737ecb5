public import Core

/// One transfer of the kind upload, whole but for its parts.
public struct UploadTransfer: Sendable, Hashable {
  public var record: TransferRecord
  public var upload: UploadRecord

  public init(record: TransferRecord, upload: UploadRecord) {
    self.record = record
    self.upload = upload
  }
}

/// Files that go to a server over HTTP: rows of `transfers`, so that every command sees them, with what is needed to go
/// on beside each.
extension Store {
  /// Adds uploads with their owners; when this returns they survive a power cut. All or none.
  public func insert(uploads: [UploadTransfer]) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(durably: true) { () throws(StateError) in
      for upload in uploads {
        try database.run(Self.insertRecord) {
          upload.record.bind(to: $0)
          $0.bind(upload.record.owner)
        }
        try database.run(Self.insertUpload) { upload.upload.bind(to: $0) }
      }
    }
  }

  /// What is known of an upload, nil when the transfer is none.
  public func upload(_ id: TransferID) throws(StateError) -> UploadRecord? {
    let path = database.path
    return try database.first("\(Self.selectUploads) WHERE transfer = ?", { $0.bind(id.text) }) {
      row throws(StateError) in
      try UploadRecord(row: row, path: path)
    }
  }

  /// The parts of an upload that were begun, in their order.
  public func uploadParts(_ id: TransferID) throws(StateError) -> [UploadPart] {
    let path = database.path
    return try database.rows("\(Self.selectUploadParts) WHERE transfer = ? ORDER BY number", { $0.bind(id.text) }) {
      row throws(StateError) in
      try UploadPart(row: row, path: path)
    }
  }

  /// Writes uploads, all or none, but their owner. One that was removed meanwhile stays removed. `durably`: they survive
  /// a power cut when this returns, as what must come before a byte goes out has to.
  public func update(uploads: [UploadTransfer], durably: Bool) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for upload in uploads { try write(upload) }
    }
  }

  /// Records that a server has a resource for an upload, at these URLs: first as secrets, then in the row without what
  /// makes them that. Both survive a power cut when this returns, so the first byte may go out. Parts of an earlier
  /// resource are forgotten.
  public func adopt(_ secrets: UploadSecrets, for upload: inout UploadTransfer) throws(StateError) {
    try SecretFile.write(secrets, folder: folder, id: upload.record.id)
    upload.record.hasSecrets = true
    upload.upload.resource = secrets.resource.map(UploadSecrets.redacted)
    upload.upload.phase = .created
    let adopted = upload
    try database.transaction(durably: true) { () throws(StateError) in
      try database.run(Self.deleteUploadParts) { $0.bind(adopted.record.id.text) }
      try write(adopted)
    }
  }

  /// Records that an upload has no resource any more, then forgets its URLs and parts: the next one is made anew. Its
  /// other secrets stay, and so does `hasSecrets`, which is right about a file that may be left over too.
  public func abandonResource(of upload: inout UploadTransfer) throws(StateError) {
    upload.upload.resource = nil
    upload.upload.resourceCreatedAt = nil
    upload.upload.resourceExpiresAt = nil
    upload.upload.phase = .planned
    upload.upload.generation += 1
    upload.upload.bytesAcknowledged = 0
    upload.upload.bytesSent = 0
    let abandoned = upload
    try database.transaction(durably: true) { () throws(StateError) in
      try database.run(Self.deleteUploadParts) { $0.bind(abandoned.record.id.text) }
      try write(abandoned)
    }
    try SecretFile.removeUploadSecrets(folder: folder, id: upload.record.id)
  }

  /// Records what servers said they have, in one commit for all running uploads. It survives any crash of the process; a
  /// power cut may forget the newest, and the server is asked anyway.
  public func checkpoint(uploads: [UploadTransfer]) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for upload in uploads {
        try database.run(Self.checkpointUpload) { upload.upload.bindCheckpoint(to: $0) }
        try database.run("UPDATE transfers SET synced = ?, bytes_refetched = ?, attempts = ? WHERE id = ?") {
          $0.bind(upload.record.synced.description)
          $0.bind(upload.record.bytesRefetched)
          $0.bind(upload.record.attempts)
          $0.bind(upload.record.id.text)
        }
      }
    }
  }

  /// Writes parts, each in place of what was known of its number. `durably`: they survive a power cut when this returns.
  public func record(_ parts: [UploadPart], of id: TransferID, durably: Bool) throws(StateError) {
    guard !parts.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for part in parts {
        try database.run(Self.insertUploadPart) {
          $0.bind(id.text)
          part.bind(to: $0)
        }
      }
    }
  }

  private func write(_ upload: UploadTransfer) throws(StateError) {
    try database.run(Self.updateRecord) {
      upload.record.bind(to: $0)
      $0.bind(upload.record.id.text)
    }
    try database.run(Self.updateUpload) {
      upload.upload.bind(to: $0)
      $0.bind(upload.upload.transfer.text)
    }
  }

  static let selectUploads = "SELECT \(UploadRecord.columns.joined(separator: ", ")) FROM uploads"
  static let selectUploadParts = "SELECT \(UploadPart.columns.joined(separator: ", ")) FROM upload_parts"

  private static let insertUpload = """
    INSERT INTO uploads (\(UploadRecord.columns.joined(separator: ", ")))
    VALUES (\(repeatElement("?", count: UploadRecord.columns.count).joined(separator: ", ")))
    """
  private static let updateUpload = """
    UPDATE uploads SET \(UploadRecord.columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE transfer = ?
    """
  private static let checkpointUpload = """
    UPDATE uploads SET bytes_acknowledged = ?, acknowledged_at = ?, bytes_sent = ?, prefix_byte_count = ?,
      prefix_digest = ?, resource_expires_at = ? WHERE transfer = ?
    """
  /// The row is made only while the upload is there: it may have been removed meanwhile.
  private static let insertUploadPart = """
    INSERT OR REPLACE INTO upload_parts (transfer, \(UploadPart.columns.joined(separator: ", ")))
    SELECT transfer, \((2...UploadPart.columns.count + 1).map { "?\($0)" }.joined(separator: ", "))
    FROM uploads WHERE transfer = ?1
    """
  private static let deleteUploadParts = "DELETE FROM upload_parts WHERE transfer = ?"
}

extension UploadRecord {
  fileprivate func bindCheckpoint(to row: Statement) {
    row.bind(bytesAcknowledged)
    row.bind(acknowledgedAt)
    row.bind(bytesSent)
    row.bind(prefixByteCount)
    row.bind(prefixDigest)
    row.bind(resourceExpiresAt)
    row.bind(transfer.text)
  }
}
