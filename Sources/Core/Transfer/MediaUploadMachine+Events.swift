/// What happened, and what follows from it.
extension MediaUploadMachine {
  // MARK: The session

  /// The session stands and it is this upload's turn: for the first time, after a reconnect, or in a new life.
  public mutating func sessionReady(_ offer: MediaExtension?, now: Instant) -> [Action] {
    guard phase == .queued else { return [] }
    resumes = offer?.resumes ?? false
    inFlight = nil
    pending = []
    if let limit = offer?.maxByteCount, settings.byteCount > limit {
      return end(.failed(tooLarge(limit)))
    }
    if let size = offer?.partByteCount {
      sizer.offered(size)
      if sizer.byteCount < saved.partByteCount { partition(sizer.byteCount) }
    }
    guard parts <= Int64(MediaFrame.maxParts) else { return end(.failed(tooManyParts)) }
    if resumes == true {
      guard hasSentBefore else { return begin(now: now) }
      phase = .asking(deadline: now + settings.statusSeconds)
      return [.askStatus]
    }
    // All of it was read, before the last connection or the last life ended.
    if saved.acknowledged.contains(ByteRange(0, parts)) { return check() }
    var actions: [Action] = []
    if saved.isLastPartBegun {
      actions = judgeUncertain()
      guard !isEnded else { return actions }
    }
    return actions + begin(now: now)
  }

  /// The gateway says what it holds of our ID.
  public mutating func statusReceived(_ frame: MediaStatusFrame, now: Instant) -> [Action] {
    guard case .asking = phase, frame.id == settings.id else { return [] }
    // Parts of another size are of no use.
    let held = Int64(frame.parts) == parts ? frame.held : RangeSet()
    return goOn(held, now: now)
  }

  /// The connection is gone; a new one is the session's business.
  public mutating func connectionLost(_ end: SessionEnd, now: Instant) -> [Action] {
    switch phase {
    case .queued, .ended: return []
    // The other side has read everything; what is still to be found out needs no connection.
    case .comparing: return []
    case .checking where resumes != true: return []
    default: break
    }
    let unread = pending.map(\.part) + (inFlight.map { [$0] } ?? [])
    let largest = unread.map { range(of: $0).byteCount }.max() ?? 0
    // A part of which bytes were still ours cannot be complete over there.
    if inFlight != nil || isRecording { saved.isLastPartBegun = false }
    let wasSending = phase == .sending || isRecording
    phase = .queued
    inFlight = nil
    pending = []
    if case .closed(SessionVerdict.tooBigCode, let reason, byPeer: true) = end, !unread.isEmpty {
      saved.isLastPartBegun = false
      return refused(largest, reason)
    }
    if case .lost = end, wasSending, largest > provenByteCount { lossesOfFirstPart += 1 }
    if saved.isLastPartBegun {
      // A gateway that answers `media_status` is asked what became of it.
      return resumes == true ? [.record] : judgeUncertain(lost: largest)
    }
    return isSuspicious(largest) ? refused(largest, "") : [.record]
  }

  // MARK: Writing

  /// The durable record was made.
  public mutating func recorded(_ number: UInt64, now: Instant) -> [Action] {
    guard phase == .recording(number) else { return [] }
    isPartitionRecorded = true
    phase = .sending
    return sendNext(now: now)
  }

  /// The last byte of the part's message was handed to the kernel.
  public mutating func partWritten(now: Instant) -> [Action] {
    guard let part = inFlight else { return [] }
    inFlight = nil
    guard phase == .sending else { return [] }
    pending.append(Pending(part: part, barrier: nextBarrier))
    nextBarrier += 1
    return [.barrier(nextBarrier - 1)] + sendNext(now: now)
  }

  /// The pong of a barrier came with the socket open: everything written before it was read.
  public mutating func barrierPassed(_ barrier: UInt64, now: Instant) -> [Action] {
    let read = pending.prefix { $0.barrier <= barrier }
    guard phase == .sending || isRecording, !read.isEmpty else { return [] }
    pending.removeFirst(read.count)
    for item in read {
      saved.acknowledged.insert(ByteRange(item.part, item.part + 1))
      provenByteCount = max(provenByteCount, range(of: item.part).byteCount)
    }
    lossesOfFirstPart = 0
    return [.record] + (phase == .sending ? sendNext(now: now) : [])
  }

  // MARK: The source

  /// It is still the one that was sent.
  public mutating func sourceChecked(now: Instant) -> [Action] {
    guard phase == .checking else { return [] }
    completeSends += 1
    guard resumes == true else { return end(.sent) }
    let seconds = settings.doneSeconds + Double(settings.byteCount) / settings.doneBytesPerSecond
    phase = .proving(deadline: now + seconds)
    return [.reachedSent]
  }

  /// It changed, or cannot be read any more: nothing more is sent.
  public mutating func sourceFailed(_ failure: TransferFailure) -> [Action] {
    isEnded ? [] : end(.failed(failure))
  }

  /// The digest of the whole source, in lower-case hexadecimal.
  public mutating func sourceDigested(_ sha256: String) -> [Action] {
    ownDigest = sha256
    guard let proof, !isEnded else { return [] }
    return compare(proof)
  }

  // MARK: The proof

  /// The gateway says that it has the whole file; it may say so while parts are still on their way.
  public mutating func doneReceived(_ frame: MediaDoneFrame) -> [Action] {
    guard frame.id == settings.id, !isEnded, proof == nil else { return [] }
    proof = frame
    phase = .comparing
    return ownDigest == nil ? [.digestSource] : compare(frame)
  }

  private mutating func compare(_ frame: MediaDoneFrame) -> [Action] {
    guard frame.byteCount == settings.byteCount else {
      return end(
        .failed(
          TransferFailure(
            .lengthMismatch, "gateway has \(frame.byteCount) bytes, \(settings.byteCount) were sent")))
    }
    guard frame.sha256 == ownDigest else {
      return end(
        .failed(
          TransferFailure(.checksumMismatch, "gateway has SHA-256 \(frame.sha256), the file has \(ownDigest ?? "")")))
    }
    saved.acknowledged = RangeSet(ByteRange(0, parts))
    return end(.delivered)
  }

  // MARK: Time and the user

  public mutating func timerFired(now: Instant) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    switch phase {
    case .asking:
      return [.note("gateway does not say what it has: everything is sent again")] + goOn(RangeSet(), now: now)
    case .proving: return [.note("gateway has read everything and confirms nothing")] + end(.sent)
    default: return []
    }
  }

  public mutating func cancel() -> [Action] { isEnded ? [] : end(.cancelled) }
}
