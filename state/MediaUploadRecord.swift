public import Core

/// Which file is sent: path, and what tells whether it is still the same one.
public struct SourcePin: Sendable, Hashable {
  /// Absolute.
  public var path: String
  public var device: UInt64
  public var inode: UInt64
  public var byteCount: Int64
  public var modifiedNanoseconds: Int64

  public init(path: String, device: UInt64, inode: UInt64, byteCount: Int64, modifiedNanoseconds: Int64) {
    self.path = path
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// What a transfer of the kind media is beside its `TransferRecord`.
public struct MediaUploadRecord: Sendable, Hashable {
  public var transfer: TransferID
  public var session: SessionKey
  /// The name of the profile that says how the gateway is reached.
  public var profile: String
  /// The ID on the wire: kept for as long as the transfer, so that the gateway knows what it was sent before.
  public var wireID: String
  /// `image`, `voice`, `video`, `document` or `animation`.
  public var mediaKind: String
  public var mime: String
  public var fileName: String?
  public var caption: String?
  public var source: SourcePin
  public var partByteCount: Int
  /// Numbers of parts, from 0, that the other side has read.
  public var partsAcknowledged = RangeSet()
  /// Whether it is never sent a second time when the outcome of the first is unknown.
  public var isAtMostOnce = false
  /// Recorded before the last missing part goes out: from then on it may be complete over there.
  public var isLastPartBegun = false
  /// Whether it was sent a second time because the outcome of the first was unknown.
  public var isResent = false

  public init(
    transfer: TransferID, session: SessionKey, profile: String, wireID: String, mediaKind: String, mime: String,
    source: SourcePin, partByteCount: Int
  ) {
    self.transfer = transfer
    self.session = session
    self.profile = profile
    self.wireID = wireID
    self.mediaKind = mediaKind
    self.mime = mime
    self.source = source
    self.partByteCount = partByteCount
  }

  /// The bytes of the source that the acknowledged parts are.
  public var bytesAcknowledged: RangeSet {
    let size = Int64(partByteCount)
    return RangeSet(
      partsAcknowledged.ranges.map { parts in
        ByteRange(min(parts.start * size, source.byteCount), min(parts.end * size, source.byteCount))
      })
  }
}

/// How it stands in its row. The three lists below have one order.
extension MediaUploadRecord {
  static let columns = [
    "transfer", "gateway", "device", "profile", "wire_id", "media_kind", "mime", "file_name", "caption",
    "source_path", "source_device", "source_inode", "source_byte_count", "source_modified_ns",
    "part_byte_count", "parts_acknowledged", "is_at_most_once", "is_last_part_begun", "is_resent",
  ]

  func bind(to row: Statement) {
    row.bind(transfer.text)
    row.bind(session)
    row.bind(profile)
    row.bind(wireID)
    row.bind(mediaKind)
    row.bind(mime)
    row.bind(fileName)
    row.bind(caption)
    row.bind(source.path)
    row.bind(Int64(bitPattern: source.device))
    row.bind(Int64(bitPattern: source.inode))
    row.bind(source.byteCount)
    row.bind(source.modifiedNanoseconds)
    row.bind(partByteCount)
    row.bind(partsAcknowledged.description)
    row.bind(isAtMostOnce)
    row.bind(isLastPartBegun)
    row.bind(isResent)
  }

  /// Reads the columns above; throws `corrupt` for a value this program never writes.
  init(row: Statement, path: String) throws(StateError) {
    let id = row.text()
    do throws(UnknownValue) {
      try self.init(
        transfer: UnknownValue.check(TransferID(id), id), session: row.sessionKey(), profile: row.text(),
        wireID: row.text(), mediaKind: row.text(), mime: row.text(), source: Self.noSource, partByteCount: 0)
      fileName = row.optionalText()
      caption = row.optionalText()
      source = SourcePin(
        path: row.text(), device: UInt64(bitPattern: row.integer()), inode: UInt64(bitPattern: row.integer()),
        byteCount: row.integer(), modifiedNanoseconds: row.integer())
      let partSize = row.integer()
      partByteCount = try UnknownValue.check(Int(exactly: partSize).flatMap { $0 > 0 ? $0 : nil }, "\(partSize)")
      let parts = row.text()
      partsAcknowledged = try UnknownValue.check(RangeSet(parts), parts)
      isAtMostOnce = row.flag()
      isLastPartBegun = row.flag()
      isResent = row.flag()
    } catch {
      throw .corrupt(path: path, detail: "media upload \(id.prefix(40)) has the unknown value '\(error.text)'")
    }
  }

  private static let noSource = SourcePin(path: "", device: 0, inode: 0, byteCount: 0, modifiedNanoseconds: 0)
}
