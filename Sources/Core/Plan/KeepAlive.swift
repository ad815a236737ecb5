/// Finds out whether the other side is still there: a ping after a silence, and an end to waiting.
///
/// Any byte that comes is a sign of life, also one from the middle of a message (W17). Our ping is waited for only from
/// when it is on the wire: behind a large message on a slow line that may take long (W16), and as long as the line takes
/// bytes somebody reads them.
public struct KeepAlive: Hashable, Sendable {
  public enum Verdict: Hashable, Sendable {
    case alive
    /// Send a ping now, and say when it is on the wire.
    case ping
    /// Nobody is there.
    case dead(silentSeconds: Double)
  }

  public var pingAfterSeconds: Double = 25
  public var deadAfterSeconds: Double = 60

  private enum Ping: Hashable { case none, queued, onWire(Instant) }

  private var ping = Ping.none
  private var lastReceived: Instant
  private var lastSent: Instant

  /// - Parameter now: when the upgrade was over.
  public init(now: Instant) {
    lastReceived = now
    lastSent = now
  }

  /// Bytes came, of whatever kind.
  public mutating func bytesReceived(now: Instant) {
    lastReceived = max(lastReceived, now)
    ping = .none
  }

  /// The kernel took bytes of ours.
  public mutating func bytesSent(now: Instant) { lastSent = max(lastSent, now) }

  /// The last byte of the ping that was asked for was handed to the kernel.
  public mutating func pingSent(now: Instant) {
    if ping == .queued { ping = .onWire(now) }
  }

  /// When to look again.
  public var deadline: Instant {
    ping == .none ? min(lastReceived + pingAfterSeconds, deadAt) : deadAt
  }

  public mutating func timerFired(now: Instant) -> Verdict {
    if now >= deadAt { return .dead(silentSeconds: now.seconds(since: lastReceived)) }
    guard ping == .none, now >= lastReceived + pingAfterSeconds else { return .alive }
    ping = .queued
    return .ping
  }

  private var deadAt: Instant {
    let silent = lastReceived + deadAfterSeconds
    switch ping {
    case .none: return silent
    // Nothing can be answered before it was sent; a line that takes no byte for that long is dead all the same.
    case .queued: return max(silent, lastSent + deadAfterSeconds)
    case .onWire(let moment): return max(silent, moment + (deadAfterSeconds - pingAfterSeconds))
    }
  }
}
