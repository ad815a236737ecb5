/// Numbers the pings of one connection, and tells by the pongs how far the other side has read.
///
/// Pongs come in order, and a peer may answer the last ping alone (RFC 6455 §5.5.3): a pong speaks for all before it.
public struct PingLedger: Hashable, Sendable {
  private var next: UInt64 = 1
  private var pending: [(number: UInt64, barrier: UInt64?)] = []

  /// More are never on their way: two parts, and a keep-alive now and then.
  static let maxPendingCount = 64

  public init() {}

  /// The payload of a new ping; `barrier` comes back when the other side has read everything that was sent before.
  public mutating func ping(barrier: UInt64? = nil) -> [UInt8] {
    let number = next
    next += 1
    pending.append((number, barrier))
    // A peer that answers nothing is found dead by its silence, not here.
    if pending.count > Self.maxPendingCount, let plain = pending.firstIndex(where: { $0.barrier == nil }) {
      pending.remove(at: plain)
    }
    return (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// The latest barrier that this pong proves, if it proves one; a pong that nobody asked for proves nothing.
  public mutating func pongReceived(_ payload: [UInt8]) -> UInt64? {
    guard payload.count == 8 else { return nil }
    let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let place = pending.firstIndex(where: { $0.number == number }) else { return nil }
    let barrier = pending[...place].reversed().lazy.compactMap(\.barrier).first
    pending.removeSubrange(...place)
    return barrier
  }

  public static func == (one: PingLedger, other: PingLedger) -> Bool {
    one.next == other.next && one.pending.elementsEqual(other.pending) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(next) }
}
