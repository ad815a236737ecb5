import Glibc

/// A relay in front of a server on 127.0.0.1 that cuts the connection in whose upload a given byte is reached: bytes
/// towards the server are counted over all connections, heads of requests among them.
public final class CuttingRelay: Sendable {
  private struct State {
    var target: UInt16 = 0
    var cuts: [Int64] = []
    var cutCount = 0
    var upstreamByteCount: Int64 = 0
    var runningThreadCount = 0
    /// Held open until both directions of a connection are done, by connection.
    var descriptors: Set<Int32> = []
  }

  private let state = Guarded(State())
  private let listener: Int32
  private let stopSignal: Int32
  private let stopTrigger: Int32
  /// The port of 127.0.0.1 that clients use.
  public let port: UInt16

  /// - Parameter cuts: the counts of bytes, each from the start, after which one connection ends.
  public init(cuts: [Int64] = []) {
    (listener, port) = LoopbackSocket.bound()
    precondition(listen(listener, 64) == 0, "cannot listen: \(String(cString: strerror(errno)))")
    (stopSignal, stopTrigger) = TestFiles.pipe()
    state.withLock { $0.cuts = cuts.sorted() }
    run { [self] in acceptConnections() }
  }

  /// Says where to pass on to; connections that come earlier are refused.
  public func forward(to port: UInt16) { state.withLock { $0.target = port } }

  /// Connections that were cut so far.
  public var cutCount: Int { state.withLock { $0.cutCount } }
  /// Bytes towards the server so far.
  public var upstreamByteCount: Int64 { state.withLock { $0.upstreamByteCount } }

  /// Ends every connection and thread.
  public func stop() {
    precondition(write(stopTrigger, [1], 1) == 1, "cannot write to a pipe")
    precondition(state.wait(seconds: 10) { $0.runningThreadCount == 0 }, "the relay's threads did not end")
    close(stopSignal)
    close(stopTrigger)
  }

  private func run(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.runningThreadCount += 1 }
    startThread { [state] in
      body()
      state.withLock { $0.runningThreadCount -= 1 }
    }
  }

  private func acceptConnections() {
    defer { close(listener) }
    while Readiness.wait(for: listener, POLLIN, stop: stopSignal) {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { continue }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let target = state.withLock { $0.target }
      guard target != 0, let server = LoopbackSocket.connected(port: target) else {
        close(client)
        continue
      }
      run { [self] in
        relay(client, server)
        close(client)
        close(server)
      }
    }
  }

  /// Both directions on one thread, until an end, a cut or the stop.
  private func relay(_ client: Int32, _ server: Int32) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var polled = [client, server, stopSignal].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      if poll(&polled, 3, -1) < 0 && errno != EINTR { return }
      if polled[2].revents != 0 { return }
      if polled[0].revents != 0, !pass(from: client, to: server, &chunk, isUpstream: true) { return }
      if polled[1].revents != 0, !pass(from: server, to: client, &chunk, isUpstream: false) { return }
    }
  }

  private func pass(from source: Int32, to target: Int32, _ chunk: inout [UInt8], isUpstream: Bool) -> Bool {
    let count = recv(source, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    let allowed = isUpstream ? admit(count) : count
    var done = 0
    while done < allowed {
      let sent = chunk.withUnsafeBytes { send(target, $0.baseAddress! + done, allowed - done, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      done += sent
    }
    return allowed == count
  }

  /// How many of these bytes go on: all, or those before the next cut.
  private func admit(_ count: Int) -> Int {
    state.withLock { state in
      guard let cut = state.cuts.first, state.upstreamByteCount + Int64(count) >= cut else {
        state.upstreamByteCount += Int64(count)
        return count
      }
      // A cut at the very end of a piece is one all the same.
      let allowed = min(Int(max(0, cut - state.upstreamByteCount)), count - 1)
      state.cuts.removeFirst()
      state.cutCount += 1
      state.upstreamByteCount += Int64(allowed)
      return allowed
    }
  }
}
