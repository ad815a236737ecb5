import Core
import Posix
import WebSocket

/// One client's connection, from the upgrade to its end; all of it on one thread.
@safe final class Session {
  enum Phase: Equatable {
    /// The hello is still to come.
    case greeting
    case open
    /// Our close frame is out or on its way; nothing that comes counts.
    case closing(until: Int64)
    /// The drill: silence, with the connection open.
    case blackhole
    case over
  }

  let number: Int
  let hall: SessionHall
  let connection: UpgradedConnection
  let admission: Admission
  let mailbox: SessionMailbox
  let codec: WebSocketCodec
  let limits: SessionLimits
  var phase = Phase.greeting
  var device: DeviceIdentity?

  // Receiving.
  var reader = FrameReader()
  var decoder = Base64Decoder()
  var receivedByteCount: Int64 = 0
  var partsTaken: Int64 = 0
  var ignoredCount = 0
  /// Media that were refused on this connection.
  var rejectedIDs: Set<String> = []
  /// The moment of the last byte that came.
  var lastByteAt: Int64
  let begunAt: Int64
  var isPinged = false
  var readPace: RatePace?

  // Sending.
  var queue = SessionQueue()
  var frame: [UInt8] = []
  var frameOffset = 0
  /// The frame being sent is `ready`.
  var isReadyFrame = false
  var media: OutgoingMedia?
  /// Announcements that are out, until the pong behind them shows that they were read.
  var unconfirmed: [(barrier: Int, announcement: Announcement)] = []
  var barrier = 0
  /// Replies to the message at hand go out no sooner.
  var replyDue: Int64 = 0
  var cards: [String: (card: PromptFrame, until: Int64)] = [:]

  init(
    _ number: Int, _ connection: UpgradedConnection, _ admission: Admission, _ mailbox: SessionMailbox,
    _ hall: SessionHall
  ) {
    self.number = number
    self.connection = connection
    self.admission = admission
    self.mailbox = mailbox
    self.hall = hall
    limits = hall.options.limits
    let (longest, rate) = hall.faults.withLock { ($0.messageByteCount, $0.readBytesPerSecond) }
    codec = WebSocketCodec(
      role: .server, limits: WebSocketLimits(maxMessageByteCount: longest.map { Int($0) } ?? limits.messageByteCount),
      masks: { 0 })
    codec.answersPings = !hall.faults.withLock { $0.hidesPongs }
    readPace = rate.map(RatePace.init(bytesPerSecond:))
    begunAt = Clocks.monotonic()
    lastByteAt = begunAt
  }

  deinit { unsafe room.deallocate() }

  /// Lives through the session; returns when the socket is to be closed.
  func run() {
    do throws(Errno) {
      try connection.socket.sendAtOnce()
      // So that a pong, or a reply, does not wait behind megabytes of media in the kernel.
      try connection.socket.limitUnsent(byteCount: 128 << 10)
      if admission.isRefused { refuse("the token is not right") }
      if !connection.leftover.isEmpty { receive(connection.leftover) }
      while phase != .over { try turn() }
    } catch {
      log("lost: \(error)")
    }
  }

  /// One turn: what is due, what came from other threads, what can be written, and what has come.
  private func turn() throws(Errno) {
    let now = Clocks.monotonic()
    takeMail()
    meetDeadlines(now)
    if phase != .blackhole { try write(now) }
    guard phase != .over else { return }
    let ready = try connection.socket.wait(
      for: interest(now), orFor: mailbox.wakeUp, untilMonotonic: nextDeadline(now))
    if ready.contains(.receiving) {
      try read()
    } else if ready.contains(.over) {
      log("lost")
      phase = .over
    }
  }

  private func interest(_ now: Int64) -> StreamSocket.Readiness {
    if phase == .blackhole { return .over }
    var interest: StreamSocket.Readiness = []
    if isReading, (readPause ?? 0) <= now { interest.insert(.receiving) }
    // After its rounds `write` may leave an empty output, and more to go into it.
    let hasMore = phase == .open && (media != nil || !frame.isEmpty)
    if unsafe !codec.output.isEmpty || hasMore { interest.insert(.sending) }
    return interest
  }

  /// Who does not read what we answer is not read either, so that no queue grows.
  private var isReading: Bool { queue.count < Self.queueLimit }

  private static let queueLimit = 256
  private static let roomByteCount = 128 << 10
  /// What was read from the socket last. Kept: memory of this size would be mapped and unmapped at every read.
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: roomByteCount, alignment: 64)
  /// Until when the drill of a slow reader reads nothing.
  private var readPause: Int64?

  private func read() throws(Errno) {
    var wanted = Self.roomByteCount
    switch readPace?.take(upTo: Int64(wanted), now: Clocks.monotonic()) {
    case .wait(let moment):
      readPause = moment
      return
    case .byteCount(let count): wanted = Int(count)
    case nil: break
    }
    let count = try unsafe connection.socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]))
    guard let count else { return }
    if count > 0 { return unsafe received(UnsafeMutableRawBufferPointer(rebasing: room[..<count])) }
    if case .closing = phase {} else { log("lost: the client has left") }
    phase = .over
  }

  private func nextDeadline(_ now: Int64) -> Int64 {
    var moments = [readPause.flatMap { $0 > now ? $0 : nil } ?? .max]
    switch phase {
    case .greeting: moments.append(begunAt + limits.hello.nanoseconds)
    case .closing(let moment): return min(moment, moments[0])
    case .blackhole, .over: return .max
    case .open: break
    }
    moments.append(lastByteAt + (isPinged ? limits.deadAfter : limits.pingAfter).nanoseconds)
    if media == nil, frame.isEmpty, let due = queue.nextDue { moments.append(due) }
    moments += cards.values.map(\.until)
    return moments.min() ?? .max
  }

  func log(_ text: String) { hall.log?.write(number, device?.id, text) }
}
