extension MediaUploadMachine {
  /// Whether the other side can have anything of this ID.
  var hasSentBefore: Bool { saved.isLastPartBegun || saved.isResent || !saved.acknowledged.isEmpty || nextBarrier > 1 }

  /// From part 0: without the extension the other side overwrites what it has, or has lost it.
  mutating func begin(now: Instant) -> [Action] { goOn(RangeSet(), now: now) }

  /// Sends what is missing beside `held`.
  mutating func goOn(_ held: RangeSet, now: Instant) -> [Action] {
    let before = bytesDone
    saved.acknowledged = held
    bytesResent += max(0, before - bytesDone)
    assigned = held
    if isAllAssigned { return check() }
    guard completeSends < Self.maxCompleteSends else { return end(.uncertain) }
    saved.isLastPartBegun = false
    phase = .sending
    return sendNext(now: now)
  }

  /// The next part, if the window has room and one is missing; the end, if none is and all were read.
  mutating func sendNext(now: Instant) -> [Action] {
    guard inFlight == nil, pending.count < Self.maxUnacknowledged else { return [] }
    guard let gap = assigned.gaps(in: ByteRange(0, parts)).first else {
      return pending.isEmpty ? check() : []
    }
    let part = gap.start
    let isLast = assigned.byteCount == parts - 1
    if isLast ? !saved.isLastPartBegun : !isPartitionRecorded {
      // Recorded first: a life that ends behind this line must not take a sent media for an unsent one, nor go on with
      // parts of another size.
      saved.isLastPartBegun = isLast
      records += 1
      phase = .recording(records)
      return [.recordDurably(records)]
    }
    inFlight = part
    assigned.insert(ByteRange(part, part + 1))
    return [.send(frame(of: part), range(of: part))]
  }

  mutating func check() -> [Action] {
    phase = .checking
    return [.checkSource]
  }

  // MARK: Uncertain

  /// Everything was written, and nobody knows whether it was read: once more with the same ID, or not at all.
  mutating func judgeUncertain(lost largest: Int64 = 0) -> [Action] {
    guard !settings.isAtMostOnce else { return end(.uncertain) }
    guard saved.isResent else {
      saved.isResent = true
      saved.isLastPartBegun = false
      return [
        .note(
          "the connection broke before the gateway had read everything for certain: it is sent again, with the same id"),
        .record,
      ]
    }
    // Twice, and the first part was never read: its size is the more likely cause. Each refusal makes more parts, so
    // that this happens twice at most: of three parts the last is not written before the first was read.
    guard isSuspicious(largest), parts <= Int64(Self.maxUnacknowledged) else { return end(.uncertain) }
    saved.isLastPartBegun = false
    return refused(largest, "")
  }

  // MARK: Refusals

  func isSuspicious(_ largest: Int64) -> Bool {
    lossesOfFirstPart >= Self.maxLossesOfFirstPart && largest > provenByteCount
      && largest > Int64(PartSizer.floorByteCount)
  }

  /// The other side takes no message of that size.
  mutating func refused(_ largest: Int64, _ reason: String) -> [Action] {
    let quoted = reason.isEmpty ? "" : " (\(reason.prefix { !$0.isNewline }.prefix(200)))"
    let shown = Quantity.bytes(largest)
    guard sizer.lower(below: Int(largest)) else {
      return end(
        .failed(
          TransferFailure(
            .forbidden, "gateway refuses messages with \(shown) of a file in them\(quoted)",
            hint: "its limit for messages must be raised")))
    }
    partition(sizer.byteCount)
    return [
      .note(
        "gateway refuses messages with \(shown) in them\(quoted): parts of \(Quantity.bytes(Int64(sizer.byteCount))) from now on"
      ),
      .rememberPartSize(sizer.byteCount), .record,
    ]
  }

  func tooLarge(_ limit: Int64) -> TransferFailure {
    TransferFailure(
      .forbidden,
      "gateway takes files of up to \(Quantity.bytes(limit)), this one has \(Quantity.bytes(settings.byteCount))")
  }

  var tooManyParts: TransferFailure {
    TransferFailure(
      .forbidden,
      "\(Quantity.bytes(settings.byteCount)) are \(parts) parts of \(Quantity.bytes(Int64(saved.partByteCount))), more than \(MediaFrame.maxParts)",
      hint: "a larger --part-size makes fewer, if the gateway takes it")
  }
}
