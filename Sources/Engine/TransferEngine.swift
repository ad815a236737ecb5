public import Core
import Crypto
import Curl
import Posix
import State

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

/// Runs transfers in this process, on a thread of its own. Everything accepted is on disk before `download` returns.
public actor TransferEngine {
  nonisolated let core: EngineCore
  private nonisolated let loop: CurlLoop

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.executor.asUnownedSerialExecutor() }

  /// Opens the state and starts the threads.
  public init(configuration: EngineConfiguration) throws(TransferFailure) {
    self.init(core: try Self.openCore(configuration))
  }

  /// Apart from the throwing initialiser: nothing of an actor must exist yet when the state cannot be opened.
  private init(core: EngineCore) {
    self.core = core
    loop = core.loop
    loop.tick = { moment in core.turn(moment) }
    loop.start()
  }

  private static func openCore(_ configuration: EngineConfiguration) throws(TransferFailure) -> EngineCore {
    let owner: OwnerLock
    // A batch of small files and the connections at once need more than the usual 1,024.
    do throws(Errno) { try Process.raiseOpenFileLimit() } catch {
      // Then the usual number has to do; what fails for want of a descriptor says so.
    }
    let storeThread = try StoreThread(folder: configuration.stateFolder)
    do throws(StateError) {
      owner = try OwnerLock(folder: configuration.stateFolder)
    } catch {
      storeThread.stop()
      throw error.failure
    }
    return EngineCore(
      configuration: configuration, loop: CurlLoop(maxConnections: Limits.cachedConnections),
      storeThread: storeThread, owner: owner)
  }

  deinit {
    let (loop, storeThread) = (loop, core.storeThread)
    endOnOwnThread {
      loop.stop()
      storeThread.stop()
    }
  }

  /// Accepts requests, in order; the same URL to the same place again is the same transfer.
  /// Throws `.inUse` when another process works on one of them, and then accepts none.
  public func download(_ requests: [DownloadRequest]) async throws(TransferFailure) -> [AcceptedTransfer] {
    try await accept(Acceptance(requests: requests, core: core))
  }

  /// Takes up transfers of the state again, whatever ended them. `.inUse` as for `download`.
  /// - Parameter anew: counters start over, and bytes that failed their checksum are thrown away.
  public func resume(_ ids: [TransferID]) async throws(TransferFailure) {
    _ = try await accept(Acceptance(ids: ids, core: core))
  }

  private func accept(_ acceptance: Acceptance) async throws(TransferFailure) -> [AcceptedTransfer] {
    core.beginAccepting()
    let result: Result<Acceptance.Accepted, TransferFailure> = await withCheckedContinuation { continuation in
      core.storeThread.post { store in continuation.resume(returning: acceptance.run(store)) }
    }
    return try core.endAccepting(result)
  }

  /// Lets downloads of files that gateways hold ask for them, where no session of the gateway is open.
  public func trust(_ profiles: [SessionProfile]) {
    for profile in profiles { core.gatewayTokens[profile.key] = profile.token }
  }

  /// The next events, oldest first: waits until there is one; progress comes as one event a transfer that moved since
  /// the last call, ten times a second. Nil after the last transfer has ended and all was told.
  public func nextEvents() async -> [TransferEvent]? {
    await withCheckedContinuation { core.nextEvents($0) }
  }

  /// The transfers of this run, in the order they were accepted.
  public func snapshots() -> [TransferSnapshot] { core.order.compactMap { core.snapshots[$0] } }

  /// Stops taking data, records what is held and ends every unfinished transfer as `.paused` with its partial kept.
  public func stop() async {
    await withCheckedContinuation { core.stop($0) }
  }

  /// Ends a transfer and removes its partial.
  public func cancel(_ id: TransferID) { core.cancel(id) }

  /// Gives an unfinished transfer another URL for the same bytes. Where bytes are held, the new URL must agree in length
  /// and in the last 64 KiB of them; else `.contentChanged` is thrown and everything stays as it was.
  public func relink(_ id: TransferID, to url: String) async throws(TransferFailure) {
    let relinking = Relinking(
      id: id, url: url, owner: core.owner.token, stateFolder: core.configuration.stateFolder)
    let begun: Result<WaitingTransfer?, TransferFailure> = await withCheckedContinuation { continuation in
      core.storeThread.post { store in continuation.resume(returning: relinking.begin(store)) }
    }
    var proof: Result<ResponseHead?, TransferFailure> = .success(nil)
    if let waiting = try begun.get() {
      proof = await withCheckedContinuation { continuation in
        core.probe(waiting) { continuation.resume(returning: $0) }
      }
    }
    let proven = proof
    let failure: TransferFailure? = await withCheckedContinuation { continuation in
      core.storeThread.post { store in continuation.resume(returning: relinking.end(store, proven)) }
    }
    _ = try proven.get()
    if let failure { throw failure }
  }

  /// Fetches to standard output: in order, without state; resumed within this call only.
  public func stream(_ request: DownloadRequest) async throws(TransferFailure) {
    let sources = try Acceptance.sources(of: request)
    let outcome: TransferFailure? = await withCheckedContinuation { core.stream(request, sources, $0) }
    if let outcome { throw outcome }
  }
}
