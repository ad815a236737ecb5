public import Core

/// Media of which some parts are there, appended to a part file in the order they came.
public struct AssemblyRecord: Sendable, Hashable {
  /// Names the row; 0 until it is begun.
  public internal(set) var number: Int64 = 0
  public var session: SessionKey
  /// SHA-256 of the media's ID, in hexadecimal: an ID from the wire may be anything.
  public var idDigest: String
  /// The media's ID, for people; cut to what a line can show.
  public var mediaID: String
  /// The frame without its data, as JSON.
  public var head: String
  /// How many parts make the whole.
  public var partCount: Int
  /// The folder of the target, absolute.
  public var folder: String
  /// The hidden part file in `folder`, a name without a slash.
  public var partName: String
  /// `/proc/sys/kernel/random/boot_id` when it was begun. Parts are recorded when the kernel has them, before they are
  /// synced: after another start of the machine each is believed only when its digest is right.
  public var bootID: String
  /// Seconds since 1970.
  public var startedAt: Double
  public var updatedAt: Double
  /// What the finished file is about to be, recorded before it is given its name.
  public var promise: Promise?
  /// In the order of their numbers. After a power cut a part's digest tells whether its bytes are really there.
  public var parts: [HeldPart] = []

  /// A file that is whole and synced, and the name it is given.
  public struct Promise: Sendable, Hashable {
    public var path: String
    public var sha256: String
    /// A file at `path` with this inode is ours.
    public var inode: UInt64

    public init(path: String, sha256: String, inode: UInt64) {
      self.path = path
      self.sha256 = sha256
      self.inode = inode
    }
  }

  public init(
    session: SessionKey, idDigest: String, mediaID: String, head: String, partCount: Int, folder: String,
    partName: String, bootID: String, startedAt: Double
  ) {
    self.session = session
    self.idDigest = idDigest
    self.mediaID = mediaID
    self.head = head
    self.partCount = partCount
    self.folder = folder
    self.partName = partName
    self.bootID = bootID
    self.startedAt = startedAt
    updatedAt = startedAt
  }

  /// The part file's length as far as it is recorded.
  public var byteCount: Int64 { parts.map { $0.start + $0.byteCount }.max() ?? 0 }
}

/// How it stands in its row.
extension AssemblyRecord {
  static let columns = """
    gateway, device, id_digest, media_id, head, parts, folder, part_name, boot_id, started_at, updated_at, path, sha256,
    file_inode
    """

  func bind(to row: Statement) {
    row.bind(session)
    row.bind(idDigest)
    row.bind(mediaID)
    row.bind(head)
    row.bind(partCount)
    row.bind(folder)
    row.bind(partName)
    row.bind(bootID)
    row.bind(startedAt)
    row.bind(updatedAt)
    row.bind(promise?.path)
    row.bind(promise?.sha256)
    row.bind(promise.map { Int64(bitPattern: $0.inode) })
  }

  /// Reads the columns above and then `number`; the parts stand elsewhere.
  init(row: Statement) {
    self.init(
      session: row.sessionKey(), idDigest: row.text(), mediaID: row.text(), head: row.text(),
      partCount: Int(row.integer()), folder: row.text(), partName: row.text(), bootID: row.text(),
      startedAt: row.real())
    updatedAt = row.real()
    let (path, sha256, inode) = (row.optionalText(), row.optionalText(), row.optionalInteger())
    if let path, let sha256, let inode {
      promise = Promise(path: path, sha256: sha256, inode: UInt64(bitPattern: inode))
    }
    number = row.integer()
  }
}
