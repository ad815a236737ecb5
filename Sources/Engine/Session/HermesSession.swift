public import Core
import Crypto
import Curl
import Posix
import State

/// A session with a Hermes Agent's gateway: what the user says goes out, what the agent says and sends comes in.
///
/// Everything that is accepted is on disk before a call returns, and goes out when the gateway can be reached: in this
/// life or the next.
public actor HermesSession {
  nonisolated let driver: SessionDriver
  private nonisolated let core: EngineCore

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe core.loop.executor.asUnownedSerialExecutor() }

  /// Takes the session of the profile's device for this process; `.inUse` when another has it.
  public init(profile: SessionProfile, engine: TransferEngine, options: SessionOptions = SessionOptions())
    throws(TransferFailure)
  {
    let lock: SessionLock
    do throws(SessionLock.Refusal) {
      lock = try SessionLock(folder: engine.core.configuration.stateFolder, session: profile.key)
    } catch {
      throw error.failure
    }
    self.init(SessionDriver(profile: profile, options: options, lock: lock, core: engine.core), engine.core)
  }

  private init(_ driver: SessionDriver, _ core: EngineCore) {
    self.driver = driver
    self.core = core
    core.loop.post { driver.begin() }
  }

  /// Connects, and from then on stays connected as far as it can. Once is enough; more often does no harm.
  public func connect() { driver.connect() }

  /// Ends in order, within three seconds; what was not sent yet stays and goes out after the next `connect`.
  public func disconnect() async {
    await withCheckedContinuation { driver.disconnect($0) }
  }

  public var state: SessionState { driver.state }

  /// Whether `TransferEngine.nextEvents` waits for this session although nothing is left to be sent.
  public func hold(_ isHeld: Bool) {
    driver.isHeld = isHeld
    core.deliver()
  }

  /// The next events, oldest first: waits until there is one. Nil after the engine has stopped. Where nobody asks for
  /// them, nothing more is read from the gateway after some megabytes.
  public func nextEvents() async -> [SessionEvent]? {
    await withCheckedContinuation { driver.nextEvents($0) }
  }

  /// Says something, or gives a slash command; answers the message's ID once it is on disk.
  public func send(text: String) async throws(TransferFailure) -> String {
    var random = SecureRandom()
    let id = random.uuid()
    return try await accept(id, .text, .text(TextFrame(id: id, text: text)))
  }

  /// Answers a card; `.usage` for the option `other` without words.
  public func answer(prompt: String, option: String, text: String? = nil) async throws(TransferFailure) -> String {
    guard let answer = PromptAnswer(promptID: prompt, optionID: option, text: text) else {
      throw TransferFailure(.usage, "an answer needs a card's id and an option; the option other needs a text")
    }
    var random = SecureRandom()
    return try await accept(random.uuid(), .prompt, .prompt(answer))
  }

  private func accept(_ id: String, _ kind: OutboxKind, _ frame: ClientFrame) async throws(TransferFailure) -> String {
    let record = Self.record(id, kind, frame, driver.profile)
    let failure: TransferFailure? = await withCheckedContinuation { continuation in
      core.storeThread.post { store in
        do throws(StateError) {
          try store.accept([record])
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error.failure)
        }
      }
    }
    if let failure { throw failure }
    driver.take([record])
    return id
  }

  /// Accepts files to be sent as media, in order; `.localFile` for one that cannot be read, and then accepts none.
  public func upload(_ requests: [MediaRequest]) async throws(TransferFailure) -> [AcceptedTransfer] {
    core.beginAccepting()
    let acceptance = MediaAcceptance(
      requests: requests, profile: driver.profile, owner: core.owner.token.text,
      usualPartByteCount: driver.rememberedPartByteCount)
    let uploads = try await take { acceptance.run($0) }
    for (request, upload) in zip(requests, uploads) {
      if let warning = upload.media.rule(wanted: request.kind).warning { driver.note(warning, upload.record.id) }
    }
    return uploads.map { AcceptedTransfer(id: $0.record.id, outcome: .new) }
  }

  /// Takes up uploads of the state again. `.usage` for one that is done, or goes to another gateway, `.inUse` for one that
  /// another process works on, and then takes none.
  /// - Parameter anew: failed and cancelled ones too; a file that has changed since is sent as it is now.
  public func resume(_ ids: [TransferID], anew: Bool = false) async throws(TransferFailure) {
    core.beginAccepting()
    let resumption = MediaResumption(ids: ids, isAnew: anew, session: driver.profile.key, owner: core.owner.token)
    _ = try await take { resumption.run($0) }
  }

  private func take(
    _ accept: @escaping @Sendable (Store) -> Result<[MediaUpload], TransferFailure>
  ) async throws(TransferFailure) -> [MediaUpload] {
    let result: Result<[MediaUpload], TransferFailure> = await withCheckedContinuation { continuation in
      core.storeThread.post { store in continuation.resume(returning: accept(store)) }
    }
    core.accepting -= 1
    defer { core.deliver() }
    let uploads = try result.get()
    driver.take(uploads)
    return uploads
  }
}

/// For a process that cannot have the session itself: what it accepts goes out over the session of whoever has it, or the
/// next one.
extension HermesSession {
  /// Accepts files to be sent, as `upload`, and leaves them to another process.
  public static func leave(
    _ requests: [MediaRequest], profile: SessionProfile, stateFolder: String
  ) throws(TransferFailure) -> [TransferID] {
    let acceptance = MediaAcceptance(requests: requests, profile: profile, owner: nil, usualPartByteCount: nil)
    return try acceptance.run(try open(stateFolder)).get().map(\.record.id)
  }

  /// Takes up uploads again, as `resume`, and leaves them to another process.
  public static func leave(
    _ ids: [TransferID], anew: Bool, profile: SessionProfile, stateFolder: String
  ) throws(TransferFailure) {
    _ = try MediaResumption(ids: ids, isAnew: anew, session: profile.key, owner: nil).run(try open(stateFolder)).get()
  }

  /// Accepts a text, as `send`, and leaves it to another process.
  public static func leave(
    text: String, profile: SessionProfile, stateFolder: String
  ) throws(TransferFailure) -> String {
    var random = SecureRandom()
    let id = random.uuid()
    return try leave(id, .text, .text(TextFrame(id: id, text: text)), profile, stateFolder)
  }

  /// Accepts an answer, as `answer`, and leaves it to another process.
  public static func leave(
    answer: PromptAnswer, profile: SessionProfile, stateFolder: String
  ) throws(TransferFailure) -> String {
    var random = SecureRandom()
    return try leave(random.uuid(), .prompt, .prompt(answer), profile, stateFolder)
  }

  private static func leave(
    _ id: String, _ kind: OutboxKind, _ frame: ClientFrame, _ profile: SessionProfile, _ stateFolder: String
  ) throws(TransferFailure) -> String {
    let store = try open(stateFolder)
    do throws(StateError) { try store.accept([record(id, kind, frame, profile)]) } catch { throw error.failure }
    return id
  }

  static func record(
    _ id: String, _ kind: OutboxKind, _ frame: ClientFrame, _ profile: SessionProfile
  ) -> OutboxRecord {
    OutboxRecord(
      id: id, session: profile.key, kind: kind, payload: String(decoding: frame.encoded, as: UTF8.self),
      createdAt: Clocks.wallClock())
  }

  private static func open(_ stateFolder: String) throws(TransferFailure) -> Store {
    do throws(StateError) { return try Store(folder: stateFolder) } catch { throw error.failure }
  }
}
