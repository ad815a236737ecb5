/// The faults of a run and how often each has struck.
struct FaultPlan: Equatable, Sendable {
  private var faults: [ArmedFault]
  /// Bodies of files planned so far.
  private var bodyCount: Int64 = 0

  init(_ specs: [FaultSpec] = []) {
    faults = specs.map { ArmedFault(fault: $0.fault, timesLeft: $0.times) }
  }

  /// The refusal that this request meets, if one is due.
  mutating func nextRefusal() -> ResponsePlan? {
    for index in faults.indices {
      guard case .status(let code, let wait) = faults[index].fault, faults[index].strike() else { continue }
      return .line(code, "refused by the drill", wait.map { [HeaderField("Retry-After", $0)] } ?? [])
    }
    return nil
  }

  /// How files look from here on, until the next body.
  var distortion: Distortion {
    faults.reduce(into: Distortion()) { $0.add($1.fault, bodyCount: bodyCount) }
  }

  /// Counts a body that is about to go out, and spoils it by the first fault that is due.
  ///
  /// A body that ends before the fault would strike uses up none of its times.
  mutating func spoil(_ delivery: inout Delivery, ofBodyWith byteCount: Int64) {
    bodyCount += 1
    for index in faults.indices {
      switch faults[index].fault {
      case .cut(let count) where count < byteCount && faults[index].strike(): delivery.cutAfter = count
      case .stall(let count) where count < byteCount && faults[index].strike(): delivery.stallAfter = count
      default: continue
      }
      return
    }
  }
}

/// A fault with the times it has left.
struct ArmedFault: Equatable {
  let fault: Fault
  var timesLeft: Int64?

  /// Whether it strikes now; uses up one of its times.
  mutating func strike() -> Bool {
    guard let left = timesLeft else { return true }
    guard left > 0 else { return false }
    timesLeft = left - 1
    return true
  }
}

/// What the faults that need no counting make of a file.
struct Distortion: Equatable, Sendable {
  var ignoresRange = false
  var hidesValidators = false
  var weakensTag = false
  var hidesLength = false
  /// The file has become another one of the same length.
  var isAltered = false
  /// Bytes by which partial answers start too early.
  var shift: Int64 = 0
  var contentCoding: String?

  fileprivate mutating func add(_ fault: Fault, bodyCount: Int64) {
    switch fault {
    case .cut, .stall, .status, .session: break
    case .newTag(let after): isAltered = isAltered || bodyCount >= after
    case .ignoreRange: ignoresRange = true
    case .noValidator: hidesValidators = true
    case .weakTag: weakensTag = true
    case .shiftRange(let byteCount): shift = byteCount
    case .encoding(let coding): contentCoding = coding
    case .noLength: hidesLength = true
    }
  }
}
