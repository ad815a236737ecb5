import Core
import HermesTransfer
import Posix

/// What a person's or the system's stop signal does: the first one stops the engine in order, the second ends at once.
public final class Interruption: Sendable {
  private struct State {
    var engine: TransferEngine?
    var tell: @Sendable () -> Void = {}
    var signal: StopSignal?
    var windowChanged: @Sendable () -> Void = {}
  }

  private let state = Guarded(State())

  /// Takes the signals from now on; must come before the engine's threads.
  public init() {
    StopSignals.watch { [self] signal in receive(signal) }
  }

  /// Whom the first signal stops, and who hears of it.
  func stops(_ engine: TransferEngine, _ tell: @escaping @Sendable () -> Void = {}) {
    let signal = state.withLock { state in
      state.engine = engine
      state.tell = tell
      return state.signal
    }
    if signal != nil { stop(engine, tell) }
  }

  /// Who hears of another size of the window, and of going on after a stop.
  func watchWindow(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.windowChanged = changed } }

  var status: ExitStatus? {
    switch state.withLock({ $0.signal }) {
    case .terminate: .terminated
    case nil: nil
    default: .interrupted
    }
  }

  private func receive(_ signal: StopSignal) {
    if signal == .windowChanged { return state.withLock { $0.windowChanged }() }
    let (earlier, engine, tell) = state.withLock { state in
      let earlier = state.signal
      state.signal = earlier ?? signal
      return (earlier, state.engine, state.tell)
    }
    guard earlier == nil, let engine else {
      TerminalMode.restore()
      Process.exitNow((signal == .terminate ? ExitStatus.terminated : .interrupted).rawValue)
    }
    stop(engine, tell)
  }

  private func stop(_ engine: TransferEngine, _ tell: @escaping @Sendable () -> Void) {
    tell()
    Task { await engine.stop() }
  }
}
