import Glibc

/// One connection of the server, served by its own thread until either side ends it.
struct FaultConnection {
  let descriptor: Int32
  private let number: Int
  let server: FaultServer
  private static let chunkByteCount = 1 << 16
  /// The first byte of a TLS client (RFC 8446 §5.1): no letter of a method.
  private static let tlsHandshake: UInt8 = 22

  init(_ descriptor: Int32, number: Int, server: FaultServer) {
    self.descriptor = descriptor
    self.number = number
    self.server = server
    var isOn: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
  }

  func run() {
    defer { close(descriptor) }
    var pending: [UInt8] = []
    while let head = readHead(&pending) {
      let admission = server.accept(head, connection: number)
      let isUsable = serve(head, admission, &pending)
      server.finished(record: admission.record)
      if !isUsable { return }
    }
  }

  /// Takes the body and answers; false when the connection is not to be used again.
  private func serve(_ head: RequestHead, _ admission: Admission, _ pending: inout [UInt8]) -> Bool {
    switch takeBody(of: head, admission, &pending) {
    case .whole: return answer(server.plan(admission, isBodyWhole: true), record: admission.record)
    case .early(let isReset):
      var plan = server.plan(admission, isBodyWhole: false)
      plan.keepsConnection = false
      _ = answer(plan, record: admission.record)
      readPast(isReset: isReset)
    case .lost: break
    case .ended:
      // Whoever cut it: the sink hears what came.
      if admission.sink != nil { _ = server.plan(admission, isBodyWhole: false) }
    }
    return false
  }

  /// Reads up to the empty line; nil at the end of the connection.
  private func readHead(_ pending: inout [UInt8]) -> RequestHead? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = endOfHead(pending) {
        let head = RequestHead(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeFirst(end)
        return head
      }
      guard Readiness.wait(for: descriptor, POLLIN, stop: server.stopSignal) else { return nil }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      pending += chunk[..<count]
      if pending[0] == Self.tlsHandshake {
        _ = send(Array("HTTP/1.1 400 this is not TLS\r\nConnection: close\r\n\r\n".utf8))
        return nil
      }
    }
  }

  private func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
  }

  /// Sends what is planned; false when the connection is not to be used again.
  private func answer(_ plan: ResponsePlan, record: Int) -> Bool {
    if plan.ending == .silence { return waitForEnd() }
    if plan.ending == .refuse { return reset() }
    guard send(Array(plan.headText.utf8)), plan.hasBody else {
      return !plan.hasBody && plan.keepsConnection
    }
    let limit = plan.ending.limit
    guard sendBody(plan, upTo: limit, record: record) else { return false }
    switch plan.ending {
    case .cut:
      // A child started meanwhile may hold a copy of the descriptor: closing ours would not end the connection.
      shutdown(descriptor, Int32(SHUT_RDWR))
      return false
    case .reset: return reset()
    case .stall, .silence, .refuse: return waitForEnd()
    case .complete:
      switch plan.framing {
      case .chunked(let isTerminated): return isTerminated && send(Array("0\r\n\r\n".utf8)) && plan.keepsConnection
      case .length, .untilClose: return plan.keepsConnection
      }
    }
  }

  private func sendBody(_ plan: ResponsePlan, upTo limit: Int64, record: Int) -> Bool {
    var left = min(limit, plan.bodyByteCount)
    for piece in plan.body where left > 0 {
      let (content, range) = piece.source
      var offset = range.lowerBound
      while offset < range.upperBound && left > 0 {
        let count = Int(min(Int64(chunkByteCount(plan)), range.upperBound - offset, left))
        guard sendChunk(content, offset..<offset + Int64(count), plan) else { return false }
        server.sent(count, record: record)
        offset += Int64(count)
        left -= Int64(count)
        guard pause(after: count, plan) else { return false }
      }
    }
    return true
  }

  private func sendChunk(_ content: Content, _ range: Range<Int64>, _ plan: ResponsePlan) -> Bool {
    let count = Int(range.upperBound - range.lowerBound)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { content.fill($0, from: range.lowerBound) }
    for offset in plan.flippedOffsets where range.contains(offset) { bytes[Int(offset - range.lowerBound)] ^= 0xff }
    guard case .chunked = plan.framing else { return send(bytes) }
    return send(Array("\(String(count, radix: 16))\r\n".utf8) + bytes + [13, 10])
  }

  /// A slow answer goes out in twenty pieces a second.
  private func chunkByteCount(_ plan: ResponsePlan) -> Int {
    plan.bytesPerSecond.map { max(1, min(Self.chunkByteCount, $0 / 20)) } ?? Self.chunkByteCount
  }

  /// False when the server is to stop.
  private func pause(after byteCount: Int, _ plan: ResponsePlan) -> Bool {
    guard let rate = plan.bytesPerSecond else { return true }
    var stop = pollfd(fd: server.stopSignal, events: Int16(POLLIN), revents: 0)
    return poll(&stop, 1, Int32(byteCount * 1000 / max(1, rate))) == 0
  }

  func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        done += count
      } else if count < 0 && errno == EAGAIN {
        guard Readiness.wait(for: descriptor, POLLOUT, stop: server.stopSignal) else { return false }
      } else {
        return false
      }
    }
    return true
  }

  /// Says nothing until the other side ends the connection or the server stops.
  private func waitForEnd() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4096)
    server.state.withLock { _ = $0.silent.insert(descriptor) }
    defer { server.state.withLock { _ = $0.silent.remove(descriptor) } }
    while Readiness.wait(for: descriptor, POLLIN, stop: server.stopSignal) {
      if recv(descriptor, &chunk, chunk.count, 0) <= 0 { break }
    }
    return false
  }

  /// Sends RST once the other side's kernel has everything (SIOCOUTQ, tcp(7)): a reset throws away what is unsent.
  func reset() -> Bool {
    var unsent: Int32 = 0
    for _ in 0..<2000 {
      _ = ioctl(descriptor, UInt(TIOCOUTQ), &unsent)
      var stop = pollfd(fd: server.stopSignal, events: Int16(POLLIN), revents: 0)
      if unsent == 0 || poll(&stop, 1, 1) != 0 { break }
    }
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    return false
  }
}

extension ResponsePlan.Ending {
  /// Body bytes to send before it.
  fileprivate var limit: Int64 {
    switch self {
    case .complete: .max
    case .cut(let count), .reset(let count), .stall(let count): count
    case .silence, .refuse: 0
    }
  }
}

extension ResponsePlan.Piece {
  fileprivate var source: (Content, Range<Int64>) {
    switch self {
    case .content(let content, let range): (content, range)
    case .literal(let bytes): (.bytes(bytes), 0..<Int64(bytes.count))
    }
  }
}
