import Core
import HermesTransfer

/// Runs transfers in the foreground: an engine, a view, the results, the exit status.
@MainActor
final class Runner {
  private let context: CommandContext
  private let view: any ProgressView
  private let interruption: Interruption
  private static let frameMilliseconds = 250
  private var worst = ExitStatus.success
  private var batches = 0
  private var isFed = false
  private var stopped: [TransferID] = []
  /// Transfers that a view shows moving, and whether there are some.
  private var moving: Set<TransferID> = []
  private let movement = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  private var rethrown: FailureCode?
  private var refusal: TransferFailure?

  init(_ context: CommandContext) {
    self.context = context
    view = context.progressView()
    interruption = context.interruption
  }

  /// Gives the engine its next work; false when there is no more.
  typealias Feeding = @MainActor (TransferEngine) async throws(TransferFailure) -> Bool

  /// Opens the engine, feeds it while it runs, and stays until all of it has ended.
  /// - Parameter code: a failure of the feeding that is the caller's to deal with.
  func run(
    rethrowing code: FailureCode? = nil, _ feeding: @escaping Feeding
  ) async throws(TransferFailure) -> ExitStatus {
    rethrown = code
    let engine = try TransferEngine(configuration: configuration())
    let (arrivals, arrived) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    // Whoever waits for a list that does not come must hear of it too.
    interruption.stops(engine) { arrived.finish() }
    let outcome: Result<Void, TransferFailure> = await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.feed(engine, feeding, arrived) }
      group.addTask { await self.keepDrawing() }
      defer { group.cancelAll() }
      return await self.show(engine, arrivals)
    }
    try outcome.get()
    if let refusal { throw refusal }
    view.finish(at: context.surroundings.now())
    guard let status = interruption.status, !stopped.isEmpty || !isFed else { return worst }
    tellHowToGoOn()
    return status
  }

  /// A failure ends the feeding, not what runs already.
  private func feed(
    _ engine: TransferEngine, _ feeding: Feeding, _ arrived: AsyncStream<Void>.Continuation
  ) async {
    do throws(TransferFailure) {
      while interruption.status == nil, try await feeding(engine) {
        batches += 1
        arrived.yield()
      }
      // What was accepted while the engine stopped would stay for ever.
      if interruption.status != nil { await engine.stop() } else { isFed = true }
    } catch {
      if error.code == rethrown { refusal = error } else { refuse(error) }
      isFed = true
    }
    arrived.finish()
  }

  /// The engine is idle whenever it has done all that it was given, so its nil is the end only when nothing came since
  /// it was asked and nothing will.
  private func show(_ engine: TransferEngine, _ arrivals: AsyncStream<Void>) async -> Result<Void, TransferFailure> {
    while true {
      let known = batches
      if let events = await engine.nextEvents() {
        do throws(TransferFailure) { try take(events) } catch { return .failure(error) }
      } else if batches == known {
        if isFed || interruption.status != nil { return .success(()) }
        var iterator = arrivals.makeAsyncIterator()
        _ = await iterator.next()
      }
    }
  }

  /// Countdowns, stalls and a window's new size show without an event.
  private func keepDrawing() async {
    guard context.progressKind == .bar || context.progressKind == .line else { return }
    for await _ in movement.stream {
      // Once more than that, for the last frame may have come too soon to be drawn.
      var isLast = false
      while !isLast, !Task.isCancelled {
        isLast = moving.isEmpty
        await pause(milliseconds: Self.frameMilliseconds)
        do throws(TransferFailure) { try view.take([], at: context.surroundings.now()) } catch { return }
      }
    }
  }

  /// Where nothing moves, nothing is drawn: who only listens sleeps.
  private func follow(_ event: TransferEvent) {
    if event.snapshot.state.isFinal || event.snapshot.state == .paused {
      moving.remove(event.snapshot.id)
    } else if moving.insert(event.snapshot.id).inserted {
      movement.continuation.yield()
    }
  }

  /// Says what was not even begun.
  func refuse(_ failure: TransferFailure) {
    worst = max(worst, failure.exitStatus)
    context.console.fail(ErrorLine(failure))
  }

  /// To standard output, without state.
  func stream(_ request: DownloadRequest, from url: WebURL) async throws(TransferFailure) -> ExitStatus {
    let engine = try TransferEngine(configuration: configuration())
    interruption.stops(engine)
    do throws(TransferFailure) {
      try await engine.stream(request)
    } catch {
      if let status = interruption.status { return status }
      throw TransferFailure(error.code, "cannot download \(url.redacted): \(error.message)", hint: error.hint)
    }
    return .success
  }

  /// Gives a transfer another URL.
  func relink(_ id: TransferID, to url: String) async throws(TransferFailure) -> ExitStatus {
    let engine = try TransferEngine(configuration: configuration())
    interruption.stops(engine)
    do throws(TransferFailure) {
      try await engine.relink(id, to: url)
    } catch {
      if let status = interruption.status { return status }
      // What a download could do about a changed file does not help here.
      let hint = error.code == .contentChanged ? "nothing was changed; these are other bytes" : error.hint
      throw TransferFailure(error.code, "cannot relink \(id): \(error.message)", hint: hint)
    }
    return .success
  }

  private func configuration() throws(TransferFailure) -> EngineConfiguration { try Self.configuration(context) }

  static func configuration(_ context: CommandContext) throws(TransferFailure) -> EngineConfiguration {
    let settings = context.settings
    var configuration = EngineConfiguration(stateFolder: try context.stateFolder)
    configuration.bytesPerSecond = settings.bytesPerSecond(.limitRate)
    if let count = settings.count(.maxTransfers) { configuration.maxTransfers = count }
    if let count = settings.count(.maxPerHost) { configuration.maxPerHost = count }
    return configuration
  }

  private func take(_ events: [TransferEvent]) throws(TransferFailure) {
    try view.take(events, at: context.surroundings.now())
    var paths: [String] = []
    for event in events {
      follow(event)
      switch event.kind {
      case .completed: if let line = Self.result(of: event.snapshot) { paths.append(line) }
      case .failed: failed(event.snapshot)
      case .cancelled: worst = max(worst, .other)
      case .paused: stopped.append(event.snapshot.id)
      case .waiting: waiting(event.snapshot)
      case .note: context.console.note("\(event.snapshot.name): \(event.note ?? "")")
      case .added, .started, .progress: break
      }
    }
    // With JSON every path is in its event.
    if context.progressKind != .json { context.console.results(paths) }
  }

  private func failed(_ snapshot: TransferSnapshot) {
    guard let failure = snapshot.failure else { return }
    worst = max(worst, failure.exitStatus)
    context.console.fail(ErrorLine(failure, cannot: Self.deed(of: snapshot)))
  }

  private static func deed(of snapshot: TransferSnapshot) -> String {
    snapshot.kind == .download ? "download \(snapshot.url)" : "send \(snapshot.path ?? snapshot.name)"
  }

  /// What a finished transfer leaves on standard output: the file that came, or how what was sent ended.
  private static func result(of snapshot: TransferSnapshot) -> String? {
    snapshot.kind == .download ? snapshot.path : "\(snapshot.id) \(snapshot.state.rawValue)"
  }

  private func waiting(_ snapshot: TransferSnapshot) {
    let cause = snapshot.failure?.message ?? snapshot.reason?.rawValue ?? "waiting"
    let seconds = snapshot.nextTry.map { max($0 - context.surroundings.now().wall, 0) } ?? 0
    context.console.note("\(snapshot.name): \(cause); next try in \(Quantity.seconds(seconds.rounded(.up)))")
  }

  private func tellHowToGoOn() {
    guard !stopped.isEmpty else { return context.console.note("interrupted") }
    let ids = stopped.prefix(3).map(\.text).joined(separator: " ")
    let which = stopped.count > 3 ? "--all" : ids
    context.console.note("interrupted; the same command goes on, or: hermes-transfer resume \(which)")
  }
}
