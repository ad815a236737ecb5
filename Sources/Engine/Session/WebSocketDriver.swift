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

  private var outgoing: [(kind: MessageKind, bytes: [UInt8])] = []
  private var offset = 0
  private var senders: [(kind: MessageKind, bytes: [UInt8], continuation: CheckedContinuation<Void, Never>)] = []

  private var events: [Event] = []
  private var eventByteCount = 0
  private var reader: CheckedContinuation<Event?, Never>?
  /// The reader's task was cancelled before it came to wait.
  private var isReaderCancelled = false
  private var kind = MessageKind.text
  private var message: [UInt8] = []

  private var pings: [(barrier: UInt64, sentAt: Instant, continuation: CheckedContinuation<Double?, Never>)] = []
  private var lastBarrier: UInt64 = 0
  private var enders: [CheckedContinuation<Void, Never>] = []

  init(loop: CurlLoop, configuration: ReconnectingWebSocket.Configuration, url: WebURL) {
    self.loop = loop
    self.configuration = configuration
    self.url = url
    var settings = SessionMachine.Settings()
    settings.waitsForReady = false
    settings.upgradeSeconds = configuration.connectSeconds
    settings.policy = configuration.policy
    settings.jitterSeed = UInt64.random(in: .min ... .max)
    link = SessionLink(loop: loop, owner: self, settings: settings)
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
    guard link?.state == .idle else { return }
    for ender in enders { ender.resume() }
    enders = []
  }

  func send(_ kind: MessageKind, _ bytes: [UInt8], _ continuation: CheckedContinuation<Void, Never>) {
    senders.append((kind, bytes, continuation))
    admitSenders()
    link?.wake()
  }

  private func admitSenders() {
    while outgoing.count < Self.maxWaitingCount, !senders.isEmpty {
      let next = senders.removeFirst()
      outgoing.append((next.kind, next.bytes))
      next.continuation.resume()
    }
  }

  func ping(_ continuation: CheckedContinuation<Double?, Never>) {
    guard let link, link.maySend else { return continuation.resume(returning: nil) }
    lastBarrier += 1
    pings.append((lastBarrier, loop.now, continuation))
    link.ping(barrier: lastBarrier)
  }

  func nextEvent(_ continuation: CheckedContinuation<Event?, Never>) {
    // Two readers would each miss what the other took.
    precondition(reader == nil, "events have one reader")
    reader = continuation
    deliver()
    if isReaderCancelled {
      stopWaiting()
      isReaderCancelled = false
    }
  }

  /// The reader's task was cancelled.
  func stopWaiting() {
    isReaderCancelled = reader == nil
    reader?.resume(returning: nil)
    reader = nil
  }

  private func tell(_ event: Event) {
    events.append(event)
    eventByteCount += event.byteCount
    deliver()
    link?.isReadingPaused = eventByteCount > Self.maxEventByteCount
  }

  private func deliver() {
    guard let reader, !events.isEmpty else { return }
    self.reader = nil
    let event = events.removeFirst()
    eventByteCount -= event.byteCount
    if eventByteCount <= Self.maxEventByteCount / 2 { link?.isReadingPaused = false }
    reader.resume(returning: event)
  }

  // MARK: Told by the link

  func linkTarget() -> Result<WebSocketConnection.Target, TransferFailure> {
    .success(
      WebSocketConnection.Target(
        url: url, subprotocols: configuration.subprotocols, network: configuration.network,
        limits: WebSocketLimits(maxMessageByteCount: configuration.maxMessageByteCount)))
  }

  func linkOpened() {}

  func linkStateChanged(_ state: SessionMachine.State) {
    tell(.stateChanged(self.state))
    tellEnders()
  }

  func linkEnded(_ end: SessionEnd) {
    // What was not sent whole is sent anew.
    offset = 0
    for ping in pings { ping.continuation.resume(returning: nil) }
    pings = []
  }

  func linkHasRoom() -> Bool {
    guard let link, link.maySend, let next = outgoing.first else { return false }
    link.sendFragment(next.kind) { writer in
      offset += writer.append(next.bytes, from: offset)
      return offset == next.bytes.count
    }
    if offset == next.bytes.count {
      outgoing.removeFirst()
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
