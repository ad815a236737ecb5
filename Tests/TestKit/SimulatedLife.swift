import Core

/// A whole life of one download under one seed: the machine, a disk with a page cache, a store, a journal, a peer that
/// lies and changes, a clock, and kills and power cuts between any two events. No port, no sleep.
///
/// Bytes are versions: a written range remembers which version of the remote file its bytes came from.
public struct SimulatedLife {
  /// Why the invariants do not hold; nil when they do.
  public private(set) var fault: String?
  /// How it ended: `finished`, or the failure's code.
  public private(set) var ending = ""
  public private(set) var lives = 1
  public private(set) var events = 0

  /// What happened, one line an event, when asked to be told.
  public private(set) var story: [String] = []
  private let isTold: Bool

  /// One event in so many is a death, or a change of the file.
  private let deathRarity: Int
  private let changeRarity: Int

  private var random: SeededRandom
  private var peer: SimulatedPeer
  private var disk = SimulatedDisk()
  private var settings = DownloadMachine.Settings()
  private var machine: DownloadMachine
  private var lanes: [Int: SimulatedLane] = [:]
  private var now = Instant.zero
  private var waitsUntil: Instant?
  private var isRestarting = false
  private var isEnded = false
  /// What this life has synced, or took over synced.
  private var checkpointed = RangeSet()
  /// What the store would read back.
  private var recorded = DownloadMachine.Saved()
  /// What the journal would read back after a mere kill.
  private var journal = RangeSet()

  public init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = SeededRandom(seed: seed)
    deathRarity = random.pick([15, 60, 400])
    changeRarity = random.pick([20, 80, 300, 5_000])
    peer = SimulatedPeer(&random)
    if random.oneIn(2) { settings.connections = Int.random(in: 1...8, using: &random) }
    settings.maxAttempts = 40
    settings.failsOnChange = random.oneIn(8)
    machine = DownloadMachine(settings)
  }

  /// Lives until the end, or until the events are used up: a peer that cuts for ever may be retried for ever.
  public mutating func run(maxEvents: Int = 6_000) {
    perform(machine.start(now: now))
    while !isEnded, fault == nil, events < maxEvents {
      events += 1
      step()
      checkProgress()
    }
    if !isEnded, fault == nil { ending = "unfinished" }
  }

  // MARK: Events

  private mutating func step() {
    now = now + Double.random(in: 0.001...0.2, using: &random)
    if random.oneIn(deathRarity) { return die(losingPageCache: random.oneIn(2)) }
    if random.oneIn(changeRarity) {
      peer.change(&random)
      tell("the file changes")
    }
    if isRestarting {
      isRestarting = false
      perform(machine.restarted(now: now))
      for lane in lanes.keys { lanes[lane]?.isHeld = false }
      return
    }
    if let until = waitsUntil {
      now = until
      waitsUntil = nil
      return perform(machine.timerFired(now: now))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: perform(machine.timerFired(now: now))
    case 1: checkpoint()
    default: if let lane = lanes.keys.sorted().randomElement(using: &random) { advance(lane) }
    }
  }

  private mutating func advance(_ number: Int) {
    guard var lane = lanes[number], !lane.isHeld else { return }
    if lane.answer == nil {
      if random.oneIn(20) { return end(number, .fault(.transient(.init(.connectionFailed, "reset")))) }
      let answer = peer.answer(lane.ask, &random)
      lane.answer = answer
      lanes[number] = lane
      tell("lane \(number): \(answer.head.status) \(answer.start)..<\(answer.end) of version \(answer.version)")
      let (verdict, actions) = machine.headReceived(number, answer.head, roundTripSeconds: 0.01, now: now)
      if verdict == .drop { lanes[number] = nil }
      if verdict == .hold { lanes[number]?.isHeld = true }
      return perform(actions)
    }
    guard let answer = lane.answer else { return }
    if random.oneIn(30) { return end(number, .fault(.transient(.init(.connectionFailed, "cut")))) }
    let rest = answer.end - lane.position
    guard rest > 0 else { return end(number, .complete) }
    let count = min(rest, Int64.random(in: 1...(4 << 20), using: &random))
    take(Int(count), on: number, lane, answer)
  }

  private mutating func take(_ count: Int, on number: Int, _ lane: SimulatedLane, _ answer: SimulatedAnswer) {
    let verdict = machine.bodyReceived(number, byteCount: count)
    let start = lane.position
    lanes[number]?.position += Int64(count)
    if verdict.compare > 0 {
      let range = ByteRange(verdict.offset, verdict.offset + Int64(verdict.compare))
      if start + Int64(verdict.skip) != verdict.offset { fault = "compared at \(verdict.offset), sent from \(start)" }
      guard disk.holds(range, of: answer.version) else {
        lanes[number] = nil
        return perform(machine.comparisonFailed(number))
      }
    }
    if verdict.keep > 0 {
      let from = verdict.offset + Int64(verdict.compare)
      // The truth of the offset: what the peer really sent there.
      if start + Int64(verdict.skip + verdict.compare) != from { fault = "kept at \(from), sent from \(start)" }
      let range = ByteRange(from, from + Int64(verdict.keep))
      if !journal.intersection(range).isEmpty { fault = "\(range) is kept twice" }
      tell("lane \(number) keeps \(range) of version \(answer.version)")
      disk.write(range, version: answer.version)
      journal.insert(range)
    }
    if verdict.stops { end(number, .complete) }
  }

  private mutating func end(_ number: Int, _ end: DownloadMachine.LaneEnd) {
    lanes[number] = nil
    tell("lane \(number) ends: \(end)")
    perform(machine.laneEnded(number, end, now: now))
  }

  /// Synced, then recorded.
  private mutating func checkpoint() {
    disk.sync()
    checkpointed = journal
    recorded.held = checkpointed
  }

  /// The process is gone; with the power, what was not synced is gone too.
  private mutating func die(losingPageCache: Bool) {
    lives += 1
    tell(losingPageCache ? "power cut" : "kill -9")
    lanes = [:]
    waitsUntil = nil
    isRestarting = false
    if losingPageCache {
      disk.loseUnsynced()
      journal = recorded.held
    }
    var saved = recorded
    checkpointed = recorded.held
    saved.held.formUnion(journal)
    if saved.held.isEmpty {
      // Nothing is taken over: a new part file, under another name than the recorded one.
      saved = DownloadMachine.Saved()
      disk = SimulatedDisk()
    }
    journal = saved.held
    machine = DownloadMachine(settings, saved: saved)
    perform(machine.start(now: now))
  }

  // MARK: Actions

  private mutating func perform(_ actions: [DownloadMachine.Action]) {
    for action in actions where !isEnded {
      tell("  \(action)")
      switch action {
      case .open(let lane, let ask): lanes[lane] = SimulatedLane(ask: ask)
      case .close(let lane): lanes[lane] = nil
      case .learned:
        // One record, one transaction: what is held goes with the length and the validator it belongs to.
        recorded.total = machine.total
        recorded.validator = machine.savedValidator
        recorded.held = checkpointed
      case .restart:
        isRestarting = true
        recorded = DownloadMachine.Saved()
        checkpointed = RangeSet()
        journal = RangeSet()
        disk = SimulatedDisk()
      case .wait(let until, _, _): waitsUntil = until
      case .finish: finish()
      case .fail(let failure):
        isEnded = true
        ending = failure.code.rawValue
      case .alreadyComplete, .note, .rememberLimit: break
      }
    }
  }

  /// The one moment of truth: the file is one whole version, or the machine has lied.
  private mutating func finish() {
    isEnded = true
    ending = "finished"
    guard let total = machine.total else { return fault = "finished without a length" }
    guard !disk.version(of: ByteRange(0, total)).isMixed else { return fault = "finished with mixed or missing bytes" }
    if let version = disk.version(of: ByteRange(0, total)).single, peer.byteCount(of: version) != total {
      fault = "finished with \(total) of \(peer.byteCount(of: version)) bytes"
    }
  }

  private mutating func tell(_ line: @autoclosure () -> String) { if isTold { story.append(line()) } }

  private mutating func checkProgress() {
    if !isEnded, lanes.isEmpty, waitsUntil == nil, !isRestarting { fault = "nothing runs and nothing waits" }
    if machine.bytesDone > machine.total ?? .max { fault = "more bytes than the file has" }
  }
}

struct SimulatedLane {
  let ask: DownloadMachine.Ask
  var answer: SimulatedAnswer?
  /// The offset of the next byte that the peer sends.
  var position: Int64 {
    get { sent ?? answer?.start ?? 0 }
    set { sent = newValue }
  }
  private var sent: Int64?
  var isHeld = false

  init(ask: DownloadMachine.Ask) { self.ask = ask }
}
