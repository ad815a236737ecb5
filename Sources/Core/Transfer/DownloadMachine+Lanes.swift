/// What answers and bytes on the lanes mean.
extension DownloadMachine {
  // MARK: Heads

  /// A final response head came on a lane.
  public mutating func headReceived(
    _ lane: Int, _ head: ResponseHead, roundTripSeconds: Double, now: Instant
  ) -> (HeadVerdict, [Action]) {
    guard phase == .running, let current = lanes[lane] else { return (.drop, []) }
    self.roundTripSeconds = roundTripSeconds
    planner.smallestAsk =
      roundTripSeconds >= ConnectionRamp.farSeconds ? RangePlanner.farAsk : RangePlanner.nearAsk
    // Near by, the kernels' buffers hold megabytes that a cut throws away, and a second is soon over.
    planner.cutSeconds = roundTripSeconds >= ConnectionRamp.farSeconds ? max(0.25, 4 * roundTripSeconds) : 1
    isMultiplexed = head.isMultiplexed
    var question = ResponseCheck.Question(
      start: current.ask.start ?? 0, end: current.ask.end, total: total,
      validator: source == current.ask.source ? currentValidator : Validator(), byteCountHeld: received.byteCount)
    question.hasRange = current.ask.start != nil
    question.isOneOfMany = activeLanes > 1
    question.isBehindRange = total == nil && rangeEnd != nil && rangeEnd == current.ask.start
    switch ResponseCheck.check(head, against: question) {
    case .accept(let body): return accept(lane, body, head, now: now)
    case .restart(let body, let cause):
      if let refusal = disagreement(body.total) { return (.drop, laneFailed(lane, .permanent(refusal), now: now)) }
      return restart(lane, body, head, cause, now: now)
    case .askAnew(let cause):
      if let refusal = disagreement(nil) { return (.drop, laneFailed(lane, .permanent(refusal), now: now)) }
      return askAnew(cause, now: now)
    case .askAgain(let message): return (.drop, askAgain(lane, message, now: now))
    case .complete(let total):
      self.total = total
      if validator == Validator() { validator = Validator(of: head) }
      return (.drop, closeAll() + [.learned] + finish())
    case .notModified: return notModified()
    case .refuseExtra(let wait): return (.drop, refuseExtra(lane, retryAfter: wait, now: now))
    case .retry(let wait, let failure): return (.drop, laneFailed(lane, .busy(failure, retryAfter: wait), now: now))
    case .fail(let failure): return (.drop, laneFailed(lane, .permanent(failure), now: now))
    }
  }

  private mutating func accept(
    _ lane: Int, _ body: ResponseCheck.Body, _ head: ResponseHead, now: Instant
  ) -> (HeadVerdict, [Action]) {
    var actions: [Action] = []
    let isFirst = isOpening
    isOpening = false
    if total == nil { total = body.total }
    if received.isEmpty, isFirst { validator = Validator(of: head) }
    checksFinished = false
    asksAgain = 0
    if body.isRange {
      servesRanges = true
    } else if servesRanges == nil {
      servesRanges = false
    }
    lanes[lane]?.isAnswered = true
    lanes[lane]?.isRange = body.isRange
    lanes[lane]?.bodyPosition = body.start
    lanes[lane]?.bodyEnd = body.end
    if isFirst {
      beginTerritory(lane, body)
      actions.append(.learned)
      if total == 0 { return (.drop, closeAll() + actions + finish()) }
    } else if let end = body.end, end < planner.end(of: lane) {
      // The server sends less than asked: the rest of the territory is asked for next.
      lanes[lane]?.bodyEnd = end
    }
    if let total, canSegment {
      ramp.open(
        total: total, roundTripSeconds: roundTripSeconds, byteCount: byteCountReceived, now: now)
    }
    return (.take, actions + adjustLanes(now: now))
  }

  /// A mirror that has another file than the one begun is no mirror.
  private func disagreement(_ other: Int64?) -> TransferFailure? {
    guard source > 0, let total, other != total else { return nil }
    let text = other.map { "\($0) bytes" } ?? "another file"
    return TransferFailure(.lengthMismatch, "mirror \(source) has \(text), the file has \(total) bytes")
  }

  /// Segments need ranges and a validator that proves they belong together, and a connection of their own each.
  var canSegment: Bool { servesRanges == true && currentValidator.isStrong && !isMultiplexed && !needsComparison }

  private mutating func beginTerritory(_ lane: Int, _ body: ResponseCheck.Body) {
    let start = firstMissing
    if needsComparison {
      lanes[lane]?.compareEnd = start
      needsComparison = false
    }
    guard let total else { return planner.openAll(lane, from: start, to: nil) }
    var gaps = received.gaps(in: ByteRange(0, total))
    guard let first = gaps.first else { return planner.openAll(lane, from: start, to: total) }
    gaps.removeFirst()
    planner.reset(gaps: gaps)
    planner.openAll(lane, from: first.start, to: first.end)
  }

  private mutating func restart(
    _ lane: Int, _ body: ResponseCheck.Body, _ head: ResponseHead, _ cause: ResponseCheck.RestartCause, now: Instant
  ) -> (HeadVerdict, [Action]) {
    checksFinished = false
    let kept = lanes[lane]
    var actions: [Action] = []
    for other in lanes.indices where other != lane && lanes[other] != nil {
      lanes[other] = nil
      actions.append(.close(lane: other))
    }
    planner.reset(gaps: [])
    ramp.close()
    let restarting = restart(cause)
    guard phase == .restarting else { return (.drop, actions + dropLane(lane) + restarting) }
    lanes[lane] = kept
    isOpening = true
    if cause == .rangeIgnored { servesRanges = false }
    let (_, accepted) = accept(lane, body, head, now: now)
    // The whole may be empty, and then it is finished already.
    return phase == .finishing ? (.drop, actions + restarting + accepted) : (.hold, actions + restarting + accepted)
  }

  private mutating func dropLane(_ lane: Int) -> [Action] {
    guard lanes[lane] != nil else { return [] }
    lanes[lane] = nil
    return [.close(lane: lane)]
  }

  private mutating func askAnew(_ cause: ResponseCheck.RestartCause, now: Instant) -> (HeadVerdict, [Action]) {
    let closing = closeAll()
    if received.isEmpty {
      if cause != .notSatisfiable {
        return (.drop, closing + (countRestart() ? start(now: now) : fail(restartedTooOften(cause))))
      }
      // Nothing is held, and yet no range can be had: ask for the whole.
      guard asksRanges else {
        return (.drop, closing + fail(TransferFailure(.protocolViolation, "server refuses the request for the whole")))
      }
      asksRanges = false
      return (.drop, closing + start(now: now))
    }
    return (.drop, closing + restart(cause))
  }

  private mutating func askAgain(_ lane: Int, _ message: String, now: Instant) -> [Action] {
    asksAgain += 1
    let failure = TransferFailure(.protocolViolation, message)
    guard asksAgain >= Self.maxAsksAgain else {
      if activeLanes > 1 { return dropLane(lane) + refuse(lane) }
      return closeAll() + start(now: now)
    }
    return laneFailed(lane, .permanent(failure), now: now)
  }

  private mutating func refuse(_ lane: Int) -> [Action] {
    planner.drop(lane)
    return []
  }

  private mutating func notModified() -> (HeadVerdict, [Action]) {
    let closing = closeAll()
    guard checksFinished else {
      return (
        .drop, closing + fail(TransferFailure(.protocolViolation, "server answered 304 to an unconditional request"))
      )
    }
    phase = .ended
    return (.drop, closing + [.alreadyComplete])
  }

  /// The server turned an extra connection away; the others go on.
  private mutating func refuseExtra(_ lane: Int, retryAfter: Double?, now: Instant) -> [Action] {
    let actions = dropLane(lane)
    planner.drop(lane)
    let active = activeLanes
    ramp.refused(active: active)
    laneRest = max(laneRest, now + min(retryAfter ?? Self.laneRestSeconds, RetryPolicy.retryAfterCapSeconds))
    return actions + [.rememberLimit(active)]
  }

  // MARK: Bytes

  /// A piece of body came on a lane.
  public mutating func bodyReceived(_ lane: Int, byteCount: Int) -> BodyVerdict {
    guard phase == .running, var current = lanes[lane], current.isAnswered else {
      return BodyVerdict(offset: 0, skip: byteCount, stops: true)
    }
    var verdict = BodyVerdict(offset: 0)
    var rest = Int64(byteCount)
    let position = planner.position(of: lane)
    current.byteCount += rest
    byteCountReceived += rest
    let compareStart = max(current.bodyPosition, min(current.compareEnd - Self.comparedByteCount, position))
    if current.compareEnd > 0, current.bodyPosition < current.compareEnd {
      let skipped = min(rest, compareStart - current.bodyPosition)
      let compared = min(rest - skipped, current.compareEnd - current.bodyPosition - skipped)
      verdict.skip = Int(skipped)
      verdict.compare = Int(compared)
      verdict.offset = current.bodyPosition + skipped
      current.bodyPosition += skipped + compared
      rest -= skipped + compared
    } else {
      let skipped = min(rest, max(position - current.bodyPosition, 0))
      verdict.skip = Int(skipped)
      verdict.offset = current.bodyPosition + skipped
      current.bodyPosition += skipped
      rest -= skipped
    }
    let end = planner.end(of: lane)
    let kept = min(rest, max(end - current.bodyPosition, 0))
    if kept > 0 {
      received.insert(ByteRange(current.bodyPosition, current.bodyPosition + kept))
      current.bodyPosition += kept
      current.keptByteCount += kept
      planner.advance(lane, to: current.bodyPosition)
      retry.progressed(byteCount: kept)
      verdict.keep = Int(kept)
    }
    if kept < rest, let bodyEnd = current.bodyEnd, current.bodyPosition >= bodyEnd { current.isOverrun = true }
    // Stop when the territory ends before the body does; a body that ends with it keeps its connection.
    verdict.stops = kept < rest || (current.bodyPosition >= end && current.bodyPosition < current.bodyEnd ?? .max)
    lanes[lane] = current
    return verdict
  }

  // MARK: Ends

  /// A lane's request is over: its body came to the end, or something went wrong, or `stops` was answered.
  public mutating func laneEnded(_ lane: Int, _ end: LaneEnd, now: Instant) -> [Action] {
    guard phase == .running, let current = lanes[lane] else { return [] }
    if case .fault(let fault) = end { return laneFailed(lane, fault, now: now) }
    guard current.isAnswered else {
      return laneFailed(
        lane, .transient(TransferFailure(.protocolViolation, "server sent something that is no HTTP answer")), now: now)
    }
    if current.isOverrun {
      let failure = TransferFailure(
        .lengthMismatch, "server sent more than the \(current.bodyEnd ?? 0) bytes it announced")
      return laneFailed(lane, .permanent(failure), now: now)
    }
    let position = planner.position(of: lane)
    if total == nil {
      if current.isRange, current.keptByteCount > 0 { return askBehind(lane, position, now: now) }
      total = position
      lanes[lane] = nil
      return [.learned] + closeAll() + finish()
    }
    let expected = min(planner.end(of: lane), current.bodyEnd ?? .max)
    if position < expected {
      let failure = TransferFailure(
        .lengthMismatch, "server closed the connection after \(position) of \(total.map(String.init) ?? "?") bytes")
      return laneFailed(lane, .transient(failure), now: now)
    }
    if settings.onlyCompares {
      return current.bodyPosition >= current.compareEnd ? closeAll() + finish() : nothingNew(lane, now: now)
    }
    return next(lane, now: now)
  }

  /// A range of a file whose length nobody tells came to its end, which need not be the file's: only a refusal of what
  /// is behind it, or an answer that brings nothing more, shows that (RFC 9110 section 15.3.7 lets a server send less
  /// than was asked).
  private mutating func askBehind(_ lane: Int, _ position: Int64, now: Instant) -> [Action] {
    lanes[lane] = nil
    rangeEnd = position
    needsComparison = !currentValidator.isStrong
    return start(now: now)
  }

  /// An answer in order that brought only bytes that are held: asking the same again at once would never end.
  private mutating func nothingNew(_ lane: Int, now: Instant) -> [Action] {
    let failure = TransferFailure(.lengthMismatch, "server sent no byte that is not held already")
    return laneFailed(lane, .transient(failure), now: now)
  }

  /// The lane is free: its next request, or the end of all.
  private mutating func next(_ lane: Int, now: Instant) -> [Action] {
    measure(lane, now: now)
    let keptByteCount = lanes[lane]?.keptByteCount ?? 0
    lanes[lane] = nil
    if isWhole { return closeAll() + finish() }
    // The server sent less than asked, and nothing proves that the next request meets the same file: compare.
    guard currentValidator.isStrong else {
      guard keptByteCount > 0 else { return nothingNew(lane, now: now) }
      needsComparison = !received.isEmpty
      return start(now: now)
    }
    guard servesRanges == true, activeLanes < ramp.target else {
      planner.drop(lane)
      return activeLanes == 0 ? askRest(now: now) : []
    }
    planner.isAlone = ramp.target == 1
    guard let range = planner.nextAsk(lane) else { return activeLanes == 0 ? start(now: now) : [] }
    return [open(lane, ask(range), now: now)]
  }

  /// No lane is left and bytes are missing: one lane goes on with the first gap.
  private mutating func askRest(now: Instant) -> [Action] {
    planner.isAlone = ramp.target == 1
    if let range = servesRanges == true ? planner.nextAsk(0) : nil { return [open(0, ask(range), now: now)] }
    return start(now: now)
  }

  private func ask(_ range: ByteRange) -> Ask {
    Ask(source: source, start: range.start, end: range.end, ifRange: currentValidator.ifRange, unless: nil)
  }

  private mutating func laneFailed(_ lane: Int, _ fault: TransferFault, now: Instant) -> [Action] {
    var generator = JitterSource(now: now, salt: attempts)
    var actions = dropLane(lane)
    planner.drop(lane)
    // Others still bring bytes: this lane rests, and they take over what it had.
    if activeLanes > 0 {
      laneRest = now + Self.laneRestSeconds
      if case .permanent = fault { ramp.refused(active: activeLanes) }
      return actions
    }
    actions += closeAll()
    needsComparison = !received.isEmpty && !currentValidator.isStrong
    switch retry.attemptFailed(fault, using: &generator) {
    case .fail(let failure): return actions + failOver(failure, now: now)
    case .retry(let seconds, let reason):
      let until = now + seconds
      phase = .waiting(until: until)
      return actions + [.wait(until: until, reason, fault.failure)]
    }
  }

  /// This source is done for; another may still have the file.
  private mutating func failOver(_ failure: TransferFailure, now: Instant) -> [Action] {
    sourceFailed[source] = true
    guard failure.code != .diskFull, let other = sourceFailed.firstIndex(of: false) else { return fail(failure) }
    let note = Action.note("source \(source + 1) is given up: \(failure.message)")
    source = other
    needsComparison = !received.isEmpty
    servesRanges = nil
    retry = RetryPolicy(maxAttempts: settings.maxAttempts, maxWaitSeconds: settings.retryMaxWaitSeconds)
    return [note] + start(now: now)
  }

  // MARK: More and fewer lanes

  /// Looks at the rates and opens what pays.
  mutating func adjustLanes(now: Instant) -> [Action] {
    for lane in lanes.indices where lanes[lane] != nil { measure(lane, now: now) }
    guard phase == .running, canSegment, let total else { return [] }
    ramp.update(
      now: now, byteCount: byteCountReceived, active: activeLanes, remaining: total - received.byteCount)
    guard now >= laneRest else { return [] }
    planner.isAlone = ramp.target == 1
    var actions: [Action] = []
    while activeLanes < ramp.target {
      let lane = idleLane()
      guard let range = planner.nextAsk(lane) else { break }
      actions.append(open(lane, ask(range), now: now))
    }
    return actions
  }

  private mutating func idleLane() -> Int {
    if let lane = lanes.firstIndex(where: { $0 == nil }) { return lane }
    lanes.append(nil)
    planner.addLane()
    return lanes.count - 1
  }

  private mutating func measure(_ lane: Int, now: Instant) {
    guard let current = lanes[lane] else { return }
    let seconds = now.seconds(since: current.rateBase.moment)
    let byteCount = current.byteCount - current.rateBase.byteCount
    // Nothing within a moment is no rate of nothing; a MiB is one however soon it came.
    guard (seconds >= 0.2 && (byteCount > 0 || seconds >= 1)) || (seconds > 0.001 && byteCount >= 1 << 20) else {
      return
    }
    planner.measured(lane, bytesPerSecond: Double(byteCount) / seconds)
    if seconds >= 2 { lanes[lane]?.rateBase = (now, current.byteCount) }
  }
}

/// Jitter without a random source in the machine: a mix of the moment, which no two clients share.
struct JitterSource: RandomNumberGenerator {
  private var state: UInt64

  init(now: Instant, salt: Int, seed: UInt64 = 0) {
    state = seed ^ UInt64(bitPattern: now.nanoseconds) ^ (UInt64(bitPattern: Int64(salt)) &* 0x9E37_79B9_7F4A_7C15)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
