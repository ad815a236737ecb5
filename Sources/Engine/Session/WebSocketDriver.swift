import Core
import Curl
import WebSocket

/// What a `ReconnectingWebSocket` does on its loop's thread.
///
/// `@unchecked Sendable`: only that thread touches it once the loop has started.
final class WebSocketDriver: SessionLinkOwner, @unchecked Sendable {
  typealias Event = ReconnectingWebSocket.Event

  private static let maxWaitingCount = 64
  /// Events kept for a reader that is slow; beyond it nothing more is read from the network.
  private static let maxEventByteCount = 1 << 20

  private let loop: CurlLoop
  private let configuration: ReconnectingWebSocket.Configuration
  private let url: WebURL
  private(set) var link: SessionLink?

  private var outgoing = Queue<(kind: MessageKind, bytes: [UInt8])>()
  private var offset = 0
  private var senders = Queue<Sender>()

  private var events = Queue<Event>()
  private var eventByteCount = 0
  private var readers = Queue<(wait: Wait, continuation: CheckedContinuation<Event?, Never>)>()
  private var kind = MessageKind.text
  private var message: [UInt8] = []

  private var pings: [(barrier: UInt64, sentAt: Instant, continuation: CheckedContinuation<Double?, Never>)] = []
  private var lastBarrier: UInt64 = 0
  private var enders: [CheckedContinuation<Void, Never>] = []

  private struct Sender {
    let kind: MessageKind
    let bytes: [UInt8]
    let wait: Wait
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// One task's wait, which can be cancelled before it has begun.
  ///
  /// `@unchecked Sendable`: touched on the loop's thread only.
  final class Wait: @unchecked Sendable {
    fileprivate var isCancelled = false
  }

  init(loop: CurlLoop, configuration: ReconnectingWebSocket.Configuration, url: WebURL) {
    self.loop = loop
    self.configuration = configuration
    self.url = url
    var settings = SessionMachine.Settings()
    settings.waitsForReady = false
    settings.upgradeSeconds = configuration.connectSeconds
    settings.policy = configuration.policy
    settings.jitterSeed = UInt64.random(in: .min ... .max)
    var keepAlive = KeepAlive(now: .zero)
    keepAlive.pingAfterSeconds = configuration.pingAfterSeconds
    keepAlive.deadAfterSeconds = configuration.deadAfterSeconds
    link = SessionLink(loop: loop, owner: self, settings: settings, keepAlive: keepAlive)
  }

  func turn(_ now: Instant) -> Instant? {
    link?.turn(now)
    return link?.nextMoment
  }

  var state: ReconnectingWebSocket.ConnectionState {
    switch link?.state ?? .idle {
    case .idle: .idle
    case .connecting: .connecting
    case .connected: .connected(subprotocol: link?.subprotocol)
    case .reconnecting(let until, let end):
      .reconnecting(afterSeconds: max(0, until.seconds(since: loop.now)), because: end.failure)
    case .failed(let failure, _): .failed(failure)
    }
  }

  // MARK: Asked by the actor

  func disconnect(_ continuation: CheckedContinuation<Void, Never>) {
    enders.append(continuation)
    link?.disconnect()
    tellEnders()
  }

  private func tellEnders() {
    if link?.state == .idle { resumeEnders() }
  }

  private func resumeEnders() {
    for ender in enders { ender.resume() }
    enders = []
  }

  /// Resumes with true when the message has its place, or with false when the wait for it was cancelled.
  func send(_ kind: MessageKind, _ bytes: [UInt8], _ wait: Wait, _ continuation: CheckedContinuation<Bool, Never>) {
    guard !wait.isCancelled else { return continuation.resume(returning: false) }
    senders.append(Sender(kind: kind, bytes: bytes, wait: wait, continuation: continuation))
    admitSenders()
    link?.wake()
  }

  private func admitSenders() {
    while outgoing.count < Self.maxWaitingCount, let next = senders.popFirst() {
      outgoing.append((next.kind, next.bytes))
      next.continuation.resume(returning: true)
    }
  }

  func ping(_ continuation: CheckedContinuation<Double?, Never>) {
    guard let link, link.maySend else { return continuation.resume(returning: nil) }
    lastBarrier += 1
    pings.append((lastBarrier, loop.now, continuation))
    link.ping(barrier: lastBarrier)
  }

  /// Resumes with nil when the wait was cancelled.
  func nextEvent(_ wait: Wait, _ continuation: CheckedContinuation<Event?, Never>) {
    guard !wait.isCancelled else { return continuation.resume(returning: nil) }
    readers.append((wait, continuation))
    deliver()
  }

  /// The task that waits was cancelled.
  func cancel(_ wait: Wait) {
    wait.isCancelled = true
    for reader in readers.remove(where: { $0.wait === wait }) { reader.continuation.resume(returning: nil) }
    for sender in senders.remove(where: { $0.wait === wait }) { sender.continuation.resume(returning: false) }
  }

  private func tell(_ event: Event) {
    append(event)
    deliver()
    link?.isReadingPaused = eventByteCount > Self.maxEventByteCount
  }

  private func append(_ event: Event) {
    // Connections come and go also while nobody reads; then the newest state is what there is to know.
    if eventByteCount > Self.maxEventByteCount, case .stateChanged = event, case .stateChanged = events.last {
      return events.replaceLast(with: event)
    }
    events.append(event)
    eventByteCount += event.byteCount
  }

  private func deliver() {
    while !readers.isEmpty, let event = events.popFirst() {
      eventByteCount -= event.byteCount
      readers.popFirst()?.continuation.resume(returning: event)
    }
    if eventByteCount <= Self.maxEventByteCount / 2 { link?.isReadingPaused = false }
  }

  // MARK: Told by the link

  func linkTarget() -> Result<WebSocketConnection.Target, TransferFailure> {
    .success(
      WebSocketConnection.Target(
        url: url, subprotocols: configuration.subprotocols, network: configuration.network,
        limits: WebSocketLimits(maxMessageByteCount: configuration.maxMessageByteCount)))
  }

  func linkOpened() {}
  func linkShown(_ text: String) -> String { text }

  func linkStateChanged(_ state: SessionMachine.State) {
    tell(.stateChanged(self.state))
    tellEnders()
  }

  func linkEnded(_ end: SessionEnd) {
    // What was not sent whole is sent anew.
    offset = 0
    for ping in pings { ping.continuation.resume(returning: nil) }
    pings = []
    // Also when a `connect` came in between, and another connection follows.
    resumeEnders()
  }

  func linkHasRoom() -> Bool {
    guard let link, link.maySend, let next = outgoing.first else { return false }
    link.sendFragment(next.kind) { writer in
      offset += writer.append(next.bytes, from: offset)
      return offset == next.bytes.count
    }
    if offset == next.bytes.count {
      _ = outgoing.popFirst()
      offset = 0
      admitSenders()
    }
    return true
  }

  func linkMessageBegan(_ kind: MessageKind) {
    self.kind = kind
    message = []
  }

  func linkMessageReceived(_ bytes: UnsafeRawBufferPointer) { unsafe message.append(contentsOf: bytes) }

  func linkMessageEnded() {
    let bytes = message
    message = []
    tell(kind == .text ? .text(String(decoding: bytes, as: UTF8.self)) : .data(bytes))
  }

  func linkProved(barrier: UInt64) {
    while let first = pings.first, first.barrier <= barrier {
      pings.removeFirst()
      first.continuation.resume(returning: loop.now.seconds(since: first.sentAt))
    }
  }
}

extension ReconnectingWebSocket.Event {
  fileprivate var byteCount: Int {
    switch self {
    // What the value itself takes, about.
    case .stateChanged: 256
    case .text(let text): text.utf8.count + 64
    case .data(let bytes): bytes.count + 64
    }
  }
}
