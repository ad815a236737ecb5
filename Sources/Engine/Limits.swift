/// Every bound of the engine, with its unit. Memory of one process ≈ 12 MiB + lanes × `coalescedByteCount`
/// + `waitingSmallByteCount`.
enum Limits {
  /// Bytes gathered before one pwrite; more doubles the user time on tmpfs (measured), less costs system calls.
  static let coalescedByteCount = 256 << 10
  /// A file up to this size is kept in memory whole and finished together with others.
  static let smallByteCount: Int64 = 256 << 10
  /// Small files that wait for the disk, in bytes over all transfers; beyond it no new transfer starts.
  static let waitingSmallByteCount: Int64 = 16 << 20
  /// Small files finished with one sync and one transaction, at most.
  static let batchCount = 256
  /// Seconds that a finished file waits for others to be finished with it.
  static let batchSeconds = 0.03
  /// Up to this many files a batch syncs each for itself; beyond, the file system once.
  static let singleSyncCount = 4
  /// Seconds between two syncs of a running download: what a power cut may cost.
  static let checkpointSeconds = 1.0
  /// Seconds between two looks at rates, stalls and waits.
  static let tickSeconds = 0.1
  /// Seconds between two batches of events to a view.
  static let eventSeconds = 0.05
  /// Seconds between two looks for room on a full disk.
  static let diskCheckSeconds = 5.0
  /// Bytes that must stay free beside what a download needs.
  static let spareDiskByteCount: Int64 = 1 << 20
  /// Bytes of a file read at a time to verify it; between two of them others use the store's thread.
  static let verifiedByteCount = 4 << 20
  /// Names tried before a clash is given up: `name (1)` … `name (9999)`.
  static let nameVariants = 9_999
  /// Connections kept for reuse.
  static let cachedConnections = 128
  /// Transfers waiting for one https origin from which HTTP/2 on one connection pays.
  static let multiplexedCount = 8

  // MARK: Sessions

  /// What a session keeps of events that nobody takes, in bytes; beyond it no more is read from the gateway.
  static let eventByteCount = 4 << 20

  // MARK: WebSocket

  /// Name, TCP, TLS and the opening handshake together, in seconds.
  static let connectSeconds = 15.0
  /// The words behind a status that refuses the handshake, in seconds.
  static let refusalSeconds = 1.0
  /// The other side's answer to our close frame, in seconds.
  static let closeSeconds = 3.0
}
