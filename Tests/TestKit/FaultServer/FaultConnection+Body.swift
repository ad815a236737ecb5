import Glibc

/// The way in: bodies of requests, and what goes wrong with them.
extension FaultConnection {
  enum Intake {
    /// The answer may go out.
    case whole
    /// So may it, but the body is not read to its end.
    case early(isReset: Bool)
    /// The sink has all of it, and nobody hears what it said.
    case lost
    /// The connection is over.
    case ended
  }

  /// Something that happens after so many bytes.
  private struct Mark {
    let offset: Int64
    let fault: Fault
  }

  func takeBody(of head: RequestHead, _ admission: Admission, _ pending: inout [UInt8]) -> Intake {
    var body = RequestBody(head)
    var marks = admission.faults.compactMap { fault in fault.offset.map { Mark(offset: $0, fault: fault) } }
    marks.sort { $0.offset < $1.offset }
    var taken: Int64 = 0
    sendContinue(head, admission, marks.first)
    while true {
      while let mark = marks.first, mark.offset <= taken {
        marks.removeFirst()
        if let intake = act(mark.fault) { return intake }
      }
      let limit = min(1 << 16, (marks.first?.offset ?? .max) - taken)
      switch body.next(upTo: limit, from: &pending, refill: receive) {
      case .bytes(let bytes):
        taken += Int64(bytes.count)
        server.took(bytes, record: admission.record)
        guard rest(after: bytes.count, admission.faults) else { return .ended }
      case .end: return admission.faults.contains { $0.losesAnswer } ? lose(admission) : .whole
      case .broken: return .ended
      }
    }
  }

  private func sendContinue(_ head: RequestHead, _ admission: Admission, _ first: Mark?) {
    guard head["expect"]?.lowercased() == "100-continue" else { return }
    if admission.faults.contains(where: { if case .noContinue = $0 { true } else { false } }) { return }
    if let first, first.offset == 0, case .early = first.fault { return }
    _ = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  /// Nil when it goes on.
  private func act(_ fault: Fault) -> Intake? {
    switch fault {
    case .informational(let status, let headers, _):
      let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
      return send(Array("HTTP/1.1 \(status) Early\r\n\(lines)\r\n".utf8)) ? nil : .ended
    case .early(_, let isReset): return .early(isReset: isReset)
    case .resetUpload: _ = reset()
    case .stallUpload: _ = waitUnread()
    default: shutdown(descriptor, Int32(SHUT_RDWR))
    }
    return .ended
  }

  private func lose(_ admission: Admission) -> Intake {
    _ = server.plan(admission, isBodyWhole: true)
    _ = reset()
    return .lost
  }

  /// More of what the other side sends; false at its end.
  private func receive(_ pending: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    guard Readiness.wait(for: descriptor, POLLIN, stop: server.stopSignal) else { return false }
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    pending += chunk[..<count]
    return true
  }

  /// Reads nothing until the other side ends the connection or the server stops.
  private func waitUnread() -> Bool {
    server.state.withLock { _ = $0.silent.insert(descriptor) }
    defer { server.state.withLock { _ = $0.silent.remove(descriptor) } }
    // POLLRDHUP of poll(2) comes with the other side's end, although what it sent is not read.
    return Readiness.wait(for: descriptor, 0x2000, stop: server.stopSignal)
  }

  /// False when the server is to stop.
  private func rest(after byteCount: Int, _ faults: [Fault]) -> Bool {
    for case .slowUpload(let rate) in faults {
      var stop = pollfd(fd: server.stopSignal, events: Int16(POLLIN), revents: 0)
      return poll(&stop, 1, Int32(byteCount * 1000 / max(1, rate))) == 0
    }
    return true
  }

  /// After an early answer: reads past what still comes, as careful servers do, so that no reset overtakes the answer.
  func readPast(isReset: Bool) {
    if isReset {
      _ = reset()
      return
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var pending: [UInt8] = []
    while receive(&pending) { pending.removeAll(keepingCapacity: true) }
  }
}

extension Fault {
  fileprivate var offset: Int64? {
    switch self {
    case .cutUpload(let count), .resetUpload(let count), .stallUpload(let count), .early(let count, _): count
    case .informational(_, _, let count): count
    default: nil
    }
  }

  fileprivate var losesAnswer: Bool { if case .loseAnswer = self { true } else { false } }
}
