import Core
import Curl
import Posix
import WebSocket

/// Whom a link serves, on the loop's thread.
protocol SessionLinkOwner: AnyObject {
  /// Where to connect now; asked for each connection, since tokens change.
  func linkTarget() -> Result<WebSocketConnection.Target, TransferFailure>
  /// The upgrade is done: the first frame goes out now.
  func linkOpened()
  /// Words of the other side that are to be shown or recorded, without what we have told it in confidence.
  func linkShown(_ text: String) -> String
  func linkStateChanged(_ state: SessionMachine.State)
  /// The one word about a connection's end; what was sent and not proven is open.
  func linkEnded(_ end: SessionEnd)
  /// There is room for a fragment; answers whether one was sent.
  func linkHasRoom() -> Bool
  func linkMessageBegan(_ kind: MessageKind)
  func linkMessageReceived(_ bytes: UnsafeRawBufferPointer)
  func linkMessageEnded()
  /// The other side has read everything that was sent before this barrier.
  func linkProved(barrier: UInt64)
}

/// Performs what a `SessionMachine` decides: one connection at a time, its deadlines, its keep-alive. Belongs to the
/// loop's thread.
///
/// `@unchecked Sendable`: only that thread touches it.
final class SessionLink: @unchecked Sendable {
  private let loop: CurlLoop
  private weak var owner: (any SessionLinkOwner)?
  private(set) var machine: SessionMachine
  private var current: LinkedConnection?
  /// Connections that are over for us and only say their last words.
  private var leaving: [LinkedConnection] = []
  /// How each connection's begins.
  private let freshKeepAlive: KeepAlive
  private var keepAlive: KeepAlive?
  private var pings = PingLedger()

  init(
    loop: CurlLoop, owner: any SessionLinkOwner, settings: SessionMachine.Settings,
    keepAlive: KeepAlive = KeepAlive(now: .zero)
  ) {
    self.loop = loop
    self.owner = owner
    freshKeepAlive = keepAlive
    machine = SessionMachine(settings)
  }

  var state: SessionMachine.State { machine.state }
  /// Whether frames other than the first may be sent.
  var maySend: Bool { machine.maySend }
  /// What the server chose of the subprotocols that were offered.
  var subprotocol: String? { current?.subprotocol }
  /// How far the server is; nil while that is not known.
  var scope: HostScope? { current?.connection?.scope }
  /// Bytes of payload that the next fragment may have.
  var fragmentRoom: Int { current?.connection?.fragmentRoom ?? 0 }
  /// While true no messages are read, on this connection and on those that follow.
  var isReadingPaused = false {
    didSet { if oldValue != isReadingPaused { applyPause() } }
  }

  /// While true nothing more is read and no ping answered: what came is on its way to the disk, and a pong would say that
  /// it is there.
  var isTakingIn = false {
    didSet { if oldValue != isTakingIn { applyPause() } }
  }

  private var isDeaf: Bool { isReadingPaused || isTakingIn }

  private func applyPause() {
    keepAlive?.bytesReceived(now: loop.now)
    current?.connection?.holdsPongs = isTakingIn
    current?.connection?.isReadingPaused = isDeaf
  }

  func connect() { perform(machine.connect(now: loop.now)) }
  func disconnect() { perform(machine.disconnect(now: loop.now)) }
  func networkUp() { perform(machine.networkUp(now: loop.now)) }
  func ready(_ frame: ReadyFrame) { perform(machine.readyReceived(machine.connection, frame, now: loop.now)) }
  func error(_ frame: ErrorFrame) { perform(machine.errorReceived(machine.connection, frame, now: loop.now)) }

  func sendFragment(_ kind: MessageKind, _ fill: (inout FragmentWriter) -> Bool) {
    current?.connection?.sendFragment(kind, fill)
  }

  /// There is something to send again.
  func wake() { current?.connection?.wake() }

  /// Asks the other side to prove that it has read everything until here.
  func ping(barrier: UInt64? = nil) { current?.connection?.ping(pings.ping(barrier: barrier)) }

  /// Breaks the connection so that the next attempt begins soon: what was sent on it is open.
  func abandon(_ fault: TransferFault) {
    guard let current else { return }
    perform(machine.lost(current.number, fault, now: loop.now))
  }

  /// Called at least when `nextMoment` is due.
  func turn(_ now: Instant) {
    current?.connection?.turn(now)
    for left in leaving { left.connection?.turn(now) }
    perform(machine.timerFired(now: now))
    guard let current else { return }
    // Nobody is silent to whom nobody listens.
    if isDeaf { keepAlive?.bytesReceived(now: now) }
    switch keepAlive?.timerFired(now: now) {
    case .ping: ping()
    case .dead(let seconds):
      let failure = TransferFailure(.stalled, "the gateway was silent for \(Quantity.seconds(seconds.rounded()))")
      perform(machine.lost(current.number, .transient(failure), now: now))
    case .alive, nil: break
    }
  }

  var nextMoment: Instant? {
    let moments =
      [machine.deadline, keepAlive?.deadline, current?.connection?.nextMoment]
      + leaving.map { $0.connection?.nextMoment }
    return moments.compactMap(\.self).min()
  }

  // MARK: Performing

  private func perform(_ actions: [SessionMachine.Action]) {
    for action in actions {
      switch action {
      case .open(let number): open(number)
      case .greet: owner?.linkOpened()
      case .close(let number, let code):
        if current?.number == number { current?.connection?.close(CloseCode(rawValue: code), now: loop.now) }
      case .release: release()
      case .drop: drop()
      case .ended(_, let end):
        keepAlive = nil
        owner?.linkEnded(end)
      case .stateChanged(let state):
        owner?.linkStateChanged(state)
        if state == .connected { wake() }
      }
    }
  }

  private func open(_ number: Int) {
    for left in leaving { left.leave() }
    leaving = []
    guard let owner else { return }
    switch owner.linkTarget() {
    case .failure(let failure): perform(machine.lost(number, .permanent(failure), now: loop.now))
    case .success(var target):
      // The machine's limit is the one that counts.
      target.connectSeconds = machine.settings.upgradeSeconds + 5
      pings = PingLedger()
      let linked = LinkedConnection(number: number, link: self, host: target.url.host)
      current = linked
      let connection = WebSocketConnection(loop: loop, owner: linked, target: target, now: loop.now)
      connection.isReadingPaused = isDeaf
      linked.connection = connection
    }
  }

  private func release() {
    guard let current else { return }
    self.current = nil
    guard let connection = current.connection else { return }
    leaving.append(current)
    connection.close(now: loop.now)
  }

  private func drop() {
    current?.leave()
    current = nil
  }

  // MARK: What connections tell

  fileprivate func isCurrent(_ linked: LinkedConnection) -> Bool { current === linked }

  fileprivate func reachedServer(_ linked: LinkedConnection) { perform(machine.socketConnected(linked.number)) }

  fileprivate func opened(_ linked: LinkedConnection) {
    guard isCurrent(linked) else { return }
    keepAlive = freshKeepAlive
    keepAlive?.bytesSent(now: loop.now)
    applyPause()
    perform(machine.upgraded(linked.number, now: loop.now))
  }

  fileprivate func heard(_ linked: LinkedConnection) {
    if isCurrent(linked) { keepAlive?.bytesReceived(now: loop.now) }
  }

  fileprivate func wrote(_ linked: LinkedConnection) {
    if isCurrent(linked) { keepAlive?.bytesSent(now: loop.now) }
  }

  fileprivate func pingLeft(_ linked: LinkedConnection) {
    if isCurrent(linked) { keepAlive?.pingSent(now: loop.now) }
  }

  fileprivate func pong(_ payload: [UInt8], _ linked: LinkedConnection) {
    guard isCurrent(linked), let barrier = pings.pongReceived(payload) else { return }
    owner?.linkProved(barrier: barrier)
  }

  fileprivate func closeReceived(_ code: CloseCode, _ reason: String, _ linked: LinkedConnection) {
    // Said at once: a reset may follow.
    perform(machine.closed(linked.number, code: code.rawValue, reason: shown(reason), now: loop.now))
  }

  private func shown(_ text: String) -> String { owner?.linkShown(text) ?? text }

  fileprivate func ended(_ linked: LinkedConnection, _ end: ConnectionEnd) {
    leaving.removeAll { $0 === linked }
    let now = loop.now
    switch end {
    case .unreachable(let error), .lost(.some(let error)):
      perform(machine.lost(linked.number, error.transferFault(host: linked.host), now: now))
    case .lost(nil):
      let failure = TransferFailure(.connectionFailed, "\(linked.host) ended the connection without a word")
      perform(machine.lost(linked.number, .transient(failure), now: now))
    case .invalid(let why):
      let failure = TransferFailure(.protocolViolation, "\(linked.host) does not speak WebSocket: \(shown(why))")
      perform(machine.lost(linked.number, .transient(failure), now: now))
    case .timedOut(let seconds):
      let failure = TransferFailure(.timedOut, "no connection to \(linked.host) within \(Quantity.seconds(seconds))")
      perform(machine.lost(linked.number, .transient(failure), now: now))
    case .refused(let refusal):
      perform(
        machine.upgradeRefused(
          linked.number, status: refusal.status,
          retryAfter: refusal.retryAfter.flatMap { RetryAfter($0) }?.seconds(now: Clocks.wallClock()),
          location: refusal.location.map { shown($0) }, text: shown(refusal.message), now: now))
    case .closedByPeer(let code, let reason):
      perform(machine.closed(linked.number, code: code.rawValue, reason: shown(reason), now: now))
    case .violated(let failure):
      perform(
        machine.closed(linked.number, code: failure.code.rawValue, reason: failure.message, byPeer: false, now: now))
    case .closed: perform(machine.closed(linked.number, code: 1000, reason: "", byPeer: false, now: now))
    }
    if isCurrent(linked) { current = nil }
  }

  fileprivate func messages(of linked: LinkedConnection) -> (any SessionLinkOwner)? {
    isCurrent(linked) ? owner : nil
  }
}

/// A connection with its number: what a late one says is told apart.
private final class LinkedConnection: WebSocketConnectionOwner {
  let number: Int
  let host: String
  var connection: WebSocketConnection?
  private(set) var subprotocol: String?
  private weak var link: SessionLink?

  init(number: Int, link: SessionLink, host: String) {
    self.number = number
    self.link = link
    self.host = host
  }

  /// Closed now, without another word to anybody.
  func leave() {
    link = nil
    connection?.abort(.closed)
    connection = nil
  }

  func connectionReachedServer() { link?.reachedServer(self) }
  func connectionOpened(subprotocol: String?) {
    self.subprotocol = subprotocol
    link?.opened(self)
  }
  func connectionHasRoom() -> Bool { link?.messages(of: self)?.linkHasRoom() ?? false }
  func connectionHeard() { link?.heard(self) }
  func connectionWrote() { link?.wrote(self) }
  func connectionPingLeft() { link?.pingLeft(self) }
  func connectionEnded(_ end: ConnectionEnd) {
    connection = nil
    link?.ended(self, end)
  }

  func messageBegan(_ kind: MessageKind) { link?.messages(of: self)?.linkMessageBegan(kind) }
  func messageReceived(_ bytes: UnsafeRawBufferPointer) { unsafe link?.messages(of: self)?.linkMessageReceived(bytes) }
  func messageEnded() { link?.messages(of: self)?.linkMessageEnded() }
  func pingReceived(_ payload: [UInt8]) {}
  func pongReceived(_ payload: [UInt8]) { link?.pong(payload, self) }
  func closeReceived(_ code: CloseCode, reason: String) { link?.closeReceived(code, reason, self) }
}
