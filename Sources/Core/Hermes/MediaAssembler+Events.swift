extension MediaAssembler {
  // MARK: From the wire

  /// A part came whole, its base64 good; its bytes wait for the verdict.
  public mutating func partReceived(
    _ frame: MediaFrame, byteCount count: Int64, tag: String, now: Instant
  ) -> [Action] {
    guard !rejectedIDs.contains(frame.id) else { return [] }
    if finishing.values.contains(where: { $0.id == frame.id && agrees($0, frame, count, tag) }) { return [] }
    guard let known = open[frame.id] else { return begin(frame, count, tag, now: now) }
    if known.head.parts != frame.parts {
      guard known.connection != connection else {
        return reject(MediaRejection(frame.id, .partsChanged(from: known.head.parts, to: frame.parts)))
      }
      return drop(frame.id) + begin(frame, count, tag, now: now)
    }
    guard known.parts[frame.part] != nil else { return append(frame, count, tag, now: now) }
    guard agrees(known, frame, count, tag) else {
      return drop(frame.id) + warning(frame.id) + begin(frame, count, tag, now: now)
    }
    open[frame.id]?.touchedAt = now
    open[frame.id]?.connection = connection
    return amend(frame)
  }

  /// A frame that cannot be taken; what there was of its media goes.
  public mutating func rejected(_ rejection: MediaRejection) -> [Action] {
    if let id = rejection.id, rejectedIDs.contains(id) { return [] }
    return reject(rejection)
  }

  // MARK: From the disk

  /// The part is written, synced and recorded.
  public mutating func partRecorded(_ number: Int, part: Int, now: Instant) -> [Action] {
    guard let id = id(of: number), open[id]?.parts[part] != nil else { return [] }
    open[id]?.recorded.insert(ByteRange(Int64(part), Int64(part) + 1))
    return finishIfComplete(id)
  }

  /// The part could not be written: no room, no rights.
  public mutating func partFailed(_ number: Int, _ failure: TransferFailure) -> [Action] {
    guard let id = id(of: number), let head = open[id]?.head else { return [] }
    remember(id, in: &rejectedIDs)
    return drop(id) + [.event(.finished(head, .failed(failure)))]
  }

  /// The file has its name, or needed none, or could not be made.
  public mutating func finished(_ number: Int, _ finish: Finish) -> [Action] {
    guard let assembly = finishing.removeValue(forKey: number) else { return [] }
    byteCount -= assembly.byteCount
    let event = Action.event(.finished(assembly.head, finish))
    if case .failed = finish { return [.discard(assembly: number), event] }
    return [event]
  }

  public mutating func timerFired(now: Instant) -> [Action] {
    let idle = open.values.filter { !$0.isWriting && now >= $0.touchedAt + limits.idleSeconds }
    return idle.sorted { $0.number < $1.number }.flatMap { assembly in
      drop(assembly.id) + [.event(.incomplete(id: assembly.id, missing: assembly.missing))]
    }
  }

  // MARK: Deciding

  private func agrees(_ known: Assembly, _ frame: MediaFrame, _ count: Int64, _ tag: String) -> Bool {
    guard known.head.parts == frame.parts, let held = known.parts[frame.part] else { return false }
    return held.byteCount == count && held.tag == tag
  }

  private mutating func begin(_ frame: MediaFrame, _ count: Int64, _ tag: String, now: Instant) -> [Action] {
    guard open.count < limits.maxOpenCount else {
      return reject(MediaRejection(frame.id, .tooManyOpen(limit: limits.maxOpenCount)))
    }
    let number = nextNumber
    nextNumber += 1
    open[frame.id] = Assembly(number: number, head: frame, touchedAt: now, connection: connection)
    let appended = append(frame, count, tag, now: now)
    // Refused at once: there is nothing to remove.
    guard open[frame.id] != nil else { return appended.filter { $0 != .discard(assembly: number) } }
    return [.begin(assembly: number, frame)] + appended
  }

  private mutating func append(_ frame: MediaFrame, _ count: Int64, _ tag: String, now: Instant) -> [Action] {
    guard var assembly = open[frame.id] else { return [] }
    guard assembly.byteCount + count <= limits.maxMediaByteCount else {
      return reject(MediaRejection(frame.id, .tooLarge(limit: limits.maxMediaByteCount)))
    }
    guard byteCount + count <= limits.maxOpenByteCount else {
      return reject(MediaRejection(frame.id, .noRoom(limit: limits.maxOpenByteCount)))
    }
    let part = HeldPart(part: frame.part, start: assembly.end, byteCount: count, tag: tag)
    assembly.parts[frame.part] = part
    assembly.end += count
    assembly.byteCount += count
    assembly.touchedAt = now
    assembly.connection = connection
    open[frame.id] = assembly
    byteCount += count
    return amend(frame) + [.write(assembly: assembly.number, part)]
  }

  /// The caption comes with the first and the last part only, and any part may come first.
  private mutating func amend(_ frame: MediaFrame) -> [Action] {
    guard var head = open[frame.id]?.head, let number = open[frame.id]?.number else { return [] }
    head.caption = head.caption ?? frame.caption
    head.fileName = head.fileName ?? frame.fileName
    guard head != open[frame.id]?.head else { return [] }
    open[frame.id]?.head = head
    return [.amend(assembly: number, head)]
  }

  mutating func finishIfComplete(_ id: String) -> [Action] {
    guard let assembly = open[id], assembly.recorded.byteCount == Int64(assembly.head.parts) else { return [] }
    open[id] = nil
    finishing[assembly.number] = assembly
    return [.finish(assembly: assembly.number, assembly.head, MediaJoin(Array(assembly.parts.values)))]
  }

  /// What there is of the media goes, and what still comes of it on this connection is passed over.
  private mutating func reject(_ rejection: MediaRejection) -> [Action] {
    guard let id = rejection.id else { return [.event(.rejected(rejection))] }
    remember(id, in: &rejectedIDs)
    return drop(id) + [.event(.rejected(rejection))]
  }

  private mutating func drop(_ id: String) -> [Action] {
    guard let assembly = open.removeValue(forKey: id) else { return [] }
    byteCount -= assembly.byteCount
    return [.discard(assembly: assembly.number)]
  }

  private mutating func warning(_ id: String) -> [Action] {
    guard !warnedIDs.contains(id) else { return [] }
    remember(id, in: &warnedIDs)
    return [.event(.restarted(id: id))]
  }

  private func remember(_ id: String, in ids: inout Set<String>) {
    // Whoever sends more bad IDs than that may see the same refusal twice.
    if ids.count >= Self.maxRememberedIDs { ids.removeAll(keepingCapacity: true) }
    ids.insert(id)
  }

  private func id(of number: Int) -> String? { open.first { $0.value.number == number }?.key }
}
