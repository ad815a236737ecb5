import Core
import HermesTransfer

/// How often a command in the foreground lets a session try to reach its gateway before it gives up.
struct SessionPatience {
  private let maxAttempts: Int
  private var attempts = 0

  init(_ settings: Settings) { maxAttempts = settings.count(.maxAttempts) ?? TransferLimits().maxAttempts ?? .max }

  /// Why it gives up; nil while it does not.
  mutating func take(_ event: SessionEvent) -> TransferFailure? {
    switch event {
    case .stateChanged(.connected): attempts = 0
    case .stateChanged(.reconnecting(_, let failure)):
      attempts += 1
      guard attempts >= maxAttempts else { return nil }
      return TransferFailure(
        failure.code, "\(failure.message) (gave up after \(attempts) attempts)",
        hint: "what was to be sent stays in the state and goes out with the next session")
    default: break
    }
    return nil
  }
}
