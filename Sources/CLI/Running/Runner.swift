import Core
import HermesTransfer

/// Runs transfers in the foreground: an engine, a view, the results, the exit status.
@MainActor
final class Runner {
  private let context: CommandContext
  private let view: any ProgressView
  private let interruption: Interruption
  private var worst = ExitStatus.success
  private var stopped: [TransferID] = []

  init(_ context: CommandContext) {
    self.context = context
    view = context.progressView()
    interruption = context.interruption
  }

  /// Opens the engine, lets `begin` give it its work, and stays until all of it has ended.
  func run(
    _ begin: (TransferEngine) async throws(TransferFailure) -> Void
  ) async throws(TransferFailure) -> ExitStatus {
    let engine = try TransferEngine(configuration: configuration())
    interruption.stops(engine)
    try await begin(engine)
    while let events = await engine.nextEvents() { try take(events) }
    view.finish(at: context.surroundings.now())
    guard let status = interruption.status, !stopped.isEmpty else { return worst }
    tellHowToGoOn()
    return status
  }

  /// To standard output, without state.
  func stream(_ request: DownloadRequest) async throws(TransferFailure) -> ExitStatus {
    let engine = try TransferEngine(configuration: configuration())
    interruption.stops(engine)
    do throws(TransferFailure) {
      try await engine.stream(request)
    } catch {
      if let status = interruption.status { return status }
      throw error
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
      throw TransferFailure(error.code, "cannot relink \(id): \(error.message)", hint: error.hint)
    }
    return .success
  }

  private func configuration() throws(TransferFailure) -> EngineConfiguration {
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
      switch event.kind {
      case .completed: if let path = event.snapshot.path { paths.append(path) }
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
    context.console.fail(ErrorLine(failure, cannot: "download \(snapshot.url)"))
  }

  private func waiting(_ snapshot: TransferSnapshot) {
    let cause = snapshot.failure?.message ?? snapshot.reason?.rawValue ?? "waiting"
    let seconds = snapshot.nextTry.map { max($0 - context.surroundings.now().wall, 0) } ?? 0
    context.console.note("\(snapshot.name): \(cause); next try in \(Quantity.seconds(seconds.rounded(.up)))")
  }

  private func tellHowToGoOn() {
    let ids = stopped.prefix(3).map(\.text).joined(separator: " ")
    let which = stopped.count > 3 ? "--all" : ids
    context.console.note("interrupted; the same command goes on, or: hermes-transfer resume \(which)")
  }
}
