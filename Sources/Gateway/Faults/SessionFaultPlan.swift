/// The faults that sessions meet, and how often each has struck in all of them together.
struct SessionFaultPlan: Equatable, Sendable {
  private var faults: [ArmedFault]

  init(_ specs: [FaultSpec] = []) {
    faults = specs.map { ArmedFault(fault: $0.fault, timesLeft: $0.times) }
  }

  /// What happens to the connection.
  enum Strike: Equatable, Sendable {
    case drop
    case close(UInt16)
    case blackhole
  }

  /// The refusal that an upgrade meets, if one is due.
  mutating func nextRefusal() -> ResponsePlan? {
    first { fault -> ResponsePlan? in
      guard case .upgradeStatus(let code, let wait) = fault else { return nil }
      return .line(code, "refused by the drill", wait.map { [HeaderField("Retry-After", $0)] } ?? [])
    }
  }

  /// What the connection meets at a moment, if something is due.
  mutating func strike(at moment: SessionFault.Moment) -> Strike? {
    first { fault in
      switch fault {
      case .drop(moment): .drop
      case .close(let code, moment): .close(code)
      case .blackhole(moment): .blackhole
      default: nil
      }
    }
  }

  /// Whether a connection is dropped when its bytes have grown from one count to another.
  mutating func drops(from oldByteCount: Int64, to newByteCount: Int64) -> Bool {
    first { fault -> Bool? in
      guard case .dropAfterBytes(let limit) = fault, oldByteCount < limit, limit <= newByteCount else { return nil }
      return true
    } ?? false
  }

  /// How long the answer to the next message waits.
  mutating func nextDelay() -> Duration? {
    first { if case .delay(let milliseconds) = $0 { .milliseconds(milliseconds) } else { nil } }
  }

  /// How often the next announced URL may be asked for; nil for ever.
  mutating func nextURLRequestCount() -> Int64? {
    first { if case .expiredURL(let requests) = $0 { requests } else { nil } }
  }

  /// The indices of a medium's parts in the order in which they go out.
  mutating func order(ofParts count: Int) -> [Int] {
    var order = Array(0..<count)
    if let seed = seed {
      var random = ShuffleRandom(state: seed)
      order.shuffle(using: &random)
    }
    let omitted = first { fault -> Int? in
      guard case .omitPart(let index) = fault, index < count else { return nil }
      return Int(index)
    }
    order.removeAll { $0 == omitted }
    return faults.contains { $0.fault == .session(.duplicateParts) } ? order.flatMap { [$0, $0] } : order
  }

  /// Answer no ping.
  var hidesPongs: Bool { faults.contains { $0.fault == .session(.noPong) } }

  /// What a wrong token in the request is answered with; nil to let it in and close.
  var tokenStatus: Int? { value { if case .tokenStatus(let code) = $0 { code } else { nil } } }

  /// The longest message that is taken.
  var messageByteCount: Int64? { value { if case .maxMessage(let byteCount) = $0 { byteCount } else { nil } } }

  /// How fast a session reads; nil for as fast as it can.
  var readBytesPerSecond: Int64? { value { if case .slowRead(let rate) = $0 { rate } else { nil } } }

  private var seed: UInt64? { value { if case .shuffleParts(let seed) = $0 { seed } else { nil } } }

  private func value<Value>(_ match: (SessionFault) -> Value?) -> Value? {
    for case .session(let fault) in faults.map(\.fault) {
      if let value = match(fault) { return value }
    }
    return nil
  }

  /// The first match that has times left; uses up one of them.
  private mutating func first<Value>(_ match: (SessionFault) -> Value?) -> Value? {
    for index in faults.indices {
      guard case .session(let fault) = faults[index].fault, let value = match(fault) else { continue }
      if faults[index].strike() { return value }
    }
    return nil
  }
}

/// SplitMix64, so that one seed is one order on every machine.
private struct ShuffleRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
