/// What went wrong with one request, as far as deciding goes: the one list that curl's codes, errno and statuses are
/// turned into.
public enum TransferFault: Hashable, Sendable {
  /// Passing trouble on the way; the same request may succeed.
  case transient(TransferFailure)
  /// The server asks for patience.
  case busy(TransferFailure, retryAfter: Double?)
  /// No retry helps.
  case permanent(TransferFailure)
  /// No room on the disk.
  case diskFull(TransferFailure)

  public var failure: TransferFailure {
    switch self {
    case .transient(let failure), .busy(let failure, _), .permanent(let failure), .diskFull(let failure): failure
    }
  }
}

/// The one table of retries: how long to wait after a fault, or that it is the end.
public struct RetryPolicy: Hashable, Sendable {
  public enum Decision: Hashable, Sendable {
    case retry(afterSeconds: Double, WaitReason)
    case fail(TransferFailure)
  }

  /// Attempts in a row without a new byte; nil for no limit.
  public var maxAttempts: Int?
  public var maxWaitSeconds: Double
  /// No server makes us wait longer than this, whatever it says.
  static let retryAfterCapSeconds: Double = 3600
  /// How much progress makes the delays start over.
  static let restoringByteCount: Int64 = 1 << 20

  private var attemptsWithoutProgress = 0
  private var backoffStep = 0
  private var byteCountSinceFault: Int64 = 0
  /// The exit statuses of the attempts in a row: a common one becomes the transfer's.
  private var causes: Set<ExitStatus> = []

  public init(maxAttempts: Int?, maxWaitSeconds: Double) {
    self.maxAttempts = maxAttempts
    self.maxWaitSeconds = maxWaitSeconds
  }

  /// New bytes of the file arrived.
  public mutating func progressed(byteCount: Int64) {
    guard byteCount > 0 else { return }
    byteCountSinceFault += byteCount
    attemptsWithoutProgress = 0
    causes = []
    if byteCountSinceFault >= Self.restoringByteCount { backoffStep = 0 }
  }

  /// One attempt ended in `fault`; says what to do.
  public mutating func attemptFailed(
    _ fault: TransferFault, using generator: inout some RandomNumberGenerator
  ) -> Decision {
    byteCountSinceFault = 0
    switch fault {
    case .permanent(let failure): return .fail(failure)
    case .diskFull(let failure): return .fail(failure)
    case .transient(let failure): return again(failure, atLeast: nil, .network, using: &generator)
    case .busy(let failure, let retryAfter):
      return again(failure, atLeast: retryAfter, .serverBackoff, using: &generator)
    }
  }

  private mutating func again(
    _ failure: TransferFailure, atLeast: Double?, _ reason: WaitReason,
    using generator: inout some RandomNumberGenerator
  ) -> Decision {
    attemptsWithoutProgress += 1
    causes.insert(failure.exitStatus)
    if let maxAttempts, attemptsWithoutProgress >= maxAttempts { return .fail(exhausted(failure)) }
    let ceiling = min(Double(1 << min(backoffStep, 20)), maxWaitSeconds)
    backoffStep += 1
    // Jitter only shortens, so that clients cut off together do not come back together.
    let delay = Double.random(in: (ceiling / 2)...ceiling, using: &generator)
    guard let atLeast else { return .retry(afterSeconds: delay, reason) }
    let asked = min(max(atLeast, 0), Self.retryAfterCapSeconds)
    // Never before the server's word; a little later, spread, so that its other clients are not met at the door.
    return .retry(
      afterSeconds: max(asked + Double.random(in: 0...(asked / 20 + 0.1), using: &generator), delay), reason)
  }

  private func exhausted(_ failure: TransferFailure) -> TransferFailure {
    guard attemptsWithoutProgress > 1 else { return failure }
    return TransferFailure(
      causes.count == 1 ? failure.code : .attemptsExhausted,
      "\(failure.message) (gave up after \(attemptsWithoutProgress) attempts without progress)", hint: failure.hint)
  }
}
