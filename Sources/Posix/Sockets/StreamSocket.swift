internal import CPosix
internal import Glibc

/// A connected socket that somebody else closes; no call on it blocks.
public struct StreamSocket: Sendable {
  /// The number that libc knows it by.
  public let rawValue: Int32

  public init(borrowing rawValue: Int32) { self.rawValue = rawValue }

  /// What came, at most the room's worth: 0 when the other side will send no more, nil when there is nothing yet.
  /// The C function is `recv`.
  public func receive(into room: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    try moved { unsafe recv(rawValue, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }
  }

  /// Sends what the kernel takes now and gives its count, nil when it takes nothing; a peer that is gone is an error, not
  /// a signal. The C function is `send`.
  public func send(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int? {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    return try moved { unsafe Glibc.send(rawValue, bytes.baseAddress, bytes.count, flags) }
  }

  /// Tells the other side that no more will come; one that is gone already needs no telling.
  public func finishSending() { _ = shutdown(rawValue, Int32(SHUT_WR)) }

  /// Drops the connection when it is closed, so that the other side sees a reset (socket(7), SO_LINGER of 0 s).
  public func resetOnClose() throws(Errno) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    try set(SOL_SOCKET, SO_LINGER, &linger)
  }

  /// Small writes go out at once (tcp(7), TCP_NODELAY).
  public func sendAtOnce() throws(Errno) {
    var isOn: Int32 = 1
    try set(Int32(IPPROTO_TCP), TCP_NODELAY, &isOn)
  }

  /// Lets the kernel hold so many unsent bytes and no more, so that what is written later need not wait behind them
  /// (tcp(7), TCP_NOTSENT_LOWAT).
  public func limitUnsent(byteCount: Int32) throws(Errno) {
    var byteCount = byteCount
    try set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &byteCount)
  }

  private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: inout Value) throws(Errno) {
    let byteCount = socklen_t(MemoryLayout<Value>.size)
    guard unsafe setsockopt(rawValue, level, option, &value, byteCount) == 0 else { throw .last }
  }

  private func moved(_ call: () -> Int) throws(Errno) -> Int? {
    while true {
      let count = call()
      if count >= 0 { return count }
      let error = Errno.last
      if error == .wouldBlock { return nil }
      guard error == .interrupted else { throw error }
    }
  }
}

extension StreamSocket {
  /// What a socket is ready for.
  public struct Readiness: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    init(events: Int32) {
      self = []
      if events & POLLIN != 0 { insert(.receiving) }
      if events & POLLOUT != 0 { insert(.sending) }
      if events & (POLLHUP | POLLERR | POLLNVAL | Int32(hermes_pollrdhup)) != 0 { insert(.over) }
    }

    public static let receiving = Readiness(rawValue: 1)
    public static let sending = Readiness(rawValue: 2)
    /// The connection is over. When it is asked for, also when the other side will send no more, though bytes may wait;
    /// when not, only when neither side can.
    public static let over = Readiness(rawValue: 4)
  }

  /// Waits until it is ready for one of these, `wakeUp` is signalled, or the moment of `Clocks.monotonic()` has come.
  /// The C function is `poll`.
  public func wait(
    for wanted: Readiness, orFor wakeUp: WakeUp, untilMonotonic moment: Int64
  ) throws(Errno) -> Readiness {
    var events = (wanted.contains(.receiving) ? POLLIN : 0) | (wanted.contains(.sending) ? POLLOUT : 0)
    if wanted.contains(.over) { events |= Int32(hermes_pollrdhup) }
    var polled = [
      pollfd(fd: rawValue, events: Int16(events), revents: 0),
      pollfd(fd: wakeUp.rawValue, events: Int16(POLLIN), revents: 0),
    ]
    guard unsafe poll(&polled, 2, Self.milliseconds(until: moment)) >= 0 || errno == EINTR else { throw .last }
    if polled[1].revents != 0 { wakeUp.clear() }
    return Readiness(events: Int32(polled[0].revents))
  }

  /// Rounded up: poll(2) must not return a little too early again and again.
  private static func milliseconds(until moment: Int64) -> Int32 {
    let (distance, isOver) = moment.subtractingReportingOverflow(Clocks.monotonic())
    if isOver { return .max }
    return Int32(clamping: max(0, distance) / 1_000_000 + (distance > 0 ? 1 : 0))
  }
}
