public import Core

/// What one engine, that is one process, may use.
public struct EngineConfiguration: Sendable {
  /// Absolute; made when it is not there, with mode 0700.
  public var stateFolder: String
  /// Bytes per second over all transfers together; nil for no limit.
  public var bytesPerSecond: Int64?
  public var maxTransfers = 5
  public var maxPerHost = 4

  public init(stateFolder: String) { self.stateFolder = stateFolder }
}

/// How a request was taken up.
public struct AcceptedTransfer: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case new
    /// An earlier run left this much; it goes on from there.
    case resumed(bytesHeld: Int64)
    /// The file is there already, from an earlier run of the same command; the server is asked only whether it changed.
    case alreadyComplete
  }
  public let id: TransferID
  public let outcome: Outcome

  public init(id: TransferID, outcome: Outcome) {
    self.id = id
    self.outcome = outcome
  }
}

/// Runs transfers in this process. Everything accepted is on disk before `download` returns.
public actor TransferEngine {
  public init(configuration: EngineConfiguration) throws(TransferFailure) {}

  /// Accepts requests, in order; the same URL to the same place again is the same transfer.
  /// Throws `.inUse` when another process works on one of them, and then accepts none.
  public func download(_ requests: [DownloadRequest]) async throws(TransferFailure) -> [AcceptedTransfer] { [] }

  /// Takes up transfers of the state again, whatever ended them. `.inUse` as for `download`.
  public func resume(_ ids: [TransferID]) async throws(TransferFailure) {}

  /// The next events, oldest first: waits until there is one, but at most 100 ms while something runs.
  /// Progress comes as one event a transfer that moved since the last call. Nil after the last transfer has ended
  /// and all was told.
  public func nextEvents() async -> [TransferEvent]? { nil }

  /// The transfers of this run, in the order they were accepted.
  public func snapshots() -> [TransferSnapshot] { [] }

  /// Stops taking data, records what is held and ends every unfinished transfer as `.paused` with its partial kept.
  public func stop() async {}

  /// Ends a transfer and removes its partial.
  public func cancel(_ id: TransferID) async {}
}
