public import Core

/// One transfer of the kind media, whole.
public struct MediaUpload: Sendable, Hashable {
  public var record: TransferRecord
  public var media: MediaUploadRecord

  public init(record: TransferRecord, media: MediaUploadRecord) {
    self.record = record
    self.media = media
  }
}

/// Media that go out: rows of `transfers`, so that every command sees them, with what a session needs beside each.
extension Store {
  /// Adds uploads with their owners; when this returns they survive a power cut. All or none.
  public func insert(media uploads: [MediaUpload]) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(durably: true) { () throws(StateError) in
      for upload in uploads {
        try database.run(Self.insertRecord) {
          upload.record.bind(to: $0)
          $0.bind(upload.record.owner)
        }
        try database.run(Self.insertMedia) { upload.media.bind(to: $0) }
      }
    }
  }

  /// What is sent with a transfer, nil when it is no media.
  public func media(of id: TransferID) throws(StateError) -> MediaUploadRecord? {
    let path = database.path
    return try database.first("\(Self.selectMedia) WHERE transfer = ?", { $0.bind(id.text) }) {
      row throws(StateError) in
      try MediaUploadRecord(row: row, path: path)
    }
  }

  /// The uploads of a session whose state is not final, in the order they were accepted.
  public func unfinishedMedia(of session: SessionKey) throws(StateError) -> [MediaUpload] {
    let path = database.path
    let media = try database.rows(Self.selectUnfinishedMedia, { $0.bind(session) }) { row throws(StateError) in
      try MediaUploadRecord(row: row, path: path)
    }
    let records = try self.records(.ids(media.map(\.transfer)))
    let mediaByID = Dictionary(media.map { ($0.transfer, $0) }) { _, later in later }
    return records.compactMap { record in mediaByID[record.id].map { MediaUpload(record: record, media: $0) } }
  }

  /// Uploads by their transfers, in the order of acceptance; others are left out.
  public func media(_ ids: [TransferID]) throws(StateError) -> [MediaUpload] {
    var uploads: [MediaUpload] = []
    for record in try records(.ids(ids)) {
      if let media = try media(of: record.id) { uploads.append(MediaUpload(record: record, media: media)) }
    }
    return uploads
  }

  /// Writes uploads, all or none, but their owner. One that was removed meanwhile stays removed. `durably`: they survive
  /// a power cut when this returns, as what must not be done twice has to.
  public func update(media uploads: [MediaUpload], durably: Bool) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(durably: durably) { () throws(StateError) in
      for upload in uploads {
        try database.run(Self.updateRecord) {
          upload.record.bind(to: $0)
          $0.bind(upload.record.id.text)
        }
        try database.run(Self.updateMedia) {
          upload.media.bind(to: $0)
          $0.bind(upload.media.transfer.text)
        }
      }
    }
  }

  /// Records which parts the other side has read, in one commit for all running uploads. It survives any crash of the
  /// process; a power cut may forget the newest, which are then sent again.
  public func checkpoint(media uploads: [MediaUpload]) throws(StateError) {
    guard !uploads.isEmpty else { return }
    try database.transaction { () throws(StateError) in
      for upload in uploads {
        try database.run("UPDATE media_uploads SET part_byte_count = ?, parts_acknowledged = ? WHERE transfer = ?") {
          $0.bind(upload.media.partByteCount)
          $0.bind(upload.media.partsAcknowledged.description)
          $0.bind(upload.media.transfer.text)
        }
        try database.run("UPDATE transfers SET synced = ?, bytes_refetched = ?, attempts = ? WHERE id = ?") {
          $0.bind(upload.media.bytesAcknowledged.description)
          $0.bind(upload.record.bytesRefetched)
          $0.bind(upload.record.attempts)
          $0.bind(upload.record.id.text)
        }
      }
    }
  }

  static let selectMedia = "SELECT \(MediaUploadRecord.columns.joined(separator: ", ")) FROM media_uploads"

  /// The unfinished ones are few, so they lead; the condition is the partial index's, word by word.
  static let selectUnfinishedMedia = """
    SELECT \(MediaUploadRecord.columns.map { "m.\($0)" }.joined(separator: ", "))
    FROM transfers t CROSS JOIN media_uploads m ON m.transfer = t.id
    WHERE t.state IN ('queued', 'waiting', 'running', 'verifying', 'paused') AND m.gateway = ? AND m.device = ?
    ORDER BY t.number
    """

  private static let insertMedia = """
    INSERT INTO media_uploads (\(MediaUploadRecord.columns.joined(separator: ", ")))
    VALUES (\(repeatElement("?", count: MediaUploadRecord.columns.count).joined(separator: ", ")))
    """
  private static let updateMedia = """
    UPDATE media_uploads SET \(MediaUploadRecord.columns.map { "\($0) = ?" }.joined(separator: ", "))
    WHERE transfer = ?
    """
}

/// A download that stands for media announced by a link.
public struct MediaDownloadRecord: Sendable, Hashable {
  public var transfer: TransferID
  public var session: SessionKey
  /// SHA-256 of the media's ID, in hexadecimal: an ID from the wire may be anything.
  public var idDigest: String
  /// The media's ID, for people; cut to what a line can show.
  public var mediaID: String
  /// The frame without its data, as JSON.
  public var head: String

  public init(transfer: TransferID, session: SessionKey, idDigest: String, mediaID: String, head: String) {
    self.transfer = transfer
    self.session = session
    self.idDigest = idDigest
    self.mediaID = mediaID
    self.head = head
  }
}

/// Media that come by a link.
extension Store {
  /// Remembers for which media a download is, in place of what was known of the download; when this returns it survives a
  /// power cut.
  public func link(_ record: MediaDownloadRecord) throws(StateError) {
    try database.transaction(durably: true) { () throws(StateError) in
      try database.run(Self.insertLink) {
        $0.bind(record.transfer.text)
        $0.bind(record.session)
        $0.bind(record.idDigest)
        $0.bind(record.mediaID)
        $0.bind(record.head)
      }
    }
  }

  /// The downloads for one media, the oldest first.
  public func mediaDownloads(of session: SessionKey, idDigest: String) throws(StateError) -> [MediaDownloadRecord] {
    try mediaDownloads("id_digest = ? AND gateway = ? AND device = ?") {
      $0.bind(idDigest)
      $0.bind(session)
    }
  }

  /// For which media a download is, nil when for none.
  public func mediaDownload(_ id: TransferID) throws(StateError) -> MediaDownloadRecord? {
    try mediaDownloads("transfer = ?") { $0.bind(id.text) }.first
  }

  /// Downloads of media that were announced in a session and are not whole yet.
  public func unfinishedMediaDownloads(of session: SessionKey) throws(StateError) -> [TransferID] {
    let texts = try database.rows(Self.selectUnfinishedDownloads, { $0.bind(session) }) { $0.text() }
    return texts.compactMap(TransferID.init)
  }

  static let selectUnfinishedDownloads = """
    SELECT t.id FROM transfers t CROSS JOIN media_downloads m ON m.transfer = t.id
    WHERE t.state IN ('queued', 'waiting', 'running', 'verifying', 'paused') AND m.gateway = ? AND m.device = ?
    ORDER BY t.number
    """

  private func mediaDownloads(
    _ condition: String, _ bind: (Statement) -> Void
  ) throws(StateError) -> [MediaDownloadRecord] {
    let path = database.path
    let sql = """
      SELECT transfer, gateway, device, id_digest, media_id, head FROM media_downloads WHERE \(condition) ORDER BY rowid
      """
    return try database.rows(sql, bind) { row throws(StateError) in
      let id = row.text()
      guard let transfer = TransferID(id) else {
        throw .corrupt(path: path, detail: "a media download has the unknown transfer '\(id.prefix(40))'")
      }
      return MediaDownloadRecord(
        transfer: transfer, session: row.sessionKey(), idDigest: row.text(), mediaID: row.text(), head: row.text())
    }
  }

  /// The row is made only while the transfer is there: it may have been removed meanwhile.
  private static let insertLink = """
    INSERT OR REPLACE INTO media_downloads (transfer, gateway, device, id_digest, media_id, head)
    SELECT id, ?2, ?3, ?4, ?5, ?6 FROM transfers WHERE id = ?1
    """
}
