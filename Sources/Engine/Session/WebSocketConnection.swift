import Core
import Crypto
import Curl
import Posix
import WebSocket

/// How a connection ended; the first that happened counts.
enum ConnectionEnd: Hashable, Sendable {
  /// It could not be made.
  case unreachable(CurlError)
  /// The server answered the handshake with another status than 101.
  case refused(ClientHandshake.Refusal)
  /// The server answered what no WebSocket server answers.
  case invalid(String)
  /// Connecting and the handshake took longer than they may.
  case timedOut(seconds: Double)
  /// The other side said that it ends, and why.
  case closedByPeer(CloseCode, reason: String)
  /// We ended it, in order or because the other side did not answer our close in time.
  case closed
  /// The other side broke the protocol.
  case violated(ProtocolFailure)
  /// The line broke, or the other side left without a word (nil).
  case lost(CurlError?)
}

/// Who a connection reports to, on the loop's thread, beside what its codec tells as a sink.
protocol WebSocketConnectionOwner: WebSocketSink {
  /// The way to the server stands, through proxy and TLS; the handshake begins.
  func connectionReachedServer()
  func connectionOpened(subprotocol: String?)
  /// The next fragment may be sent, if there is one; answers whether it was. Called again whenever there is room.
  func connectionHasRoom() -> Bool
  /// Something came, be it part of a message.
  func connectionHeard()
  /// The kernel took bytes of ours.
  func connectionWrote()
  /// The last ping has left for the kernel.
  func connectionPingLeft()
  /// Once, and the last of all.
  func connectionEnded(_ end: ConnectionEnd)
}

/// One WebSocket connection as a client, from the name to the last byte. Belongs to the loop's thread.
///
/// `@unchecked Sendable`: only that thread touches it; closures for its next turn hold it.
final class WebSocketConnection: CurlSocketOwner, @unchecked Sendable {
  struct Target {
    /// http or https: what libcurl is told.
    var url: WebURL
    var headerLines: [String] = []
    var subprotocols: [String] = []
    var options = CurlOptions()
    var limits = WebSocketLimits()
    /// Name, TCP, TLS and handshake together.
    var connectSeconds = Limits.connectSeconds
  }

  /// About 2 MiB.
  private static let fragmentsInARow = 32

  private let loop: CurlLoop
  private weak var owner: (any WebSocketConnectionOwner)?
  private let target: Target
  private var socket: CurlSocket?
  private var handshake: ClientHandshake
  /// Set once the handshake is done.
  private var codec: WebSocketCodec?
  private var requestRest: [UInt8]
  private var deadline: Instant?
  private var isEnded = false
  private var isClosing = false
  /// Once we want to end, what the owner has no room for is read past, since the other side's close frame is behind it.
  /// From there on all of it: else the end of a message would be taken for a whole one.
  private var dropsMessages = false
  /// What will be told when the connection is gone.
  private var pendingEnd: ConnectionEnd?
  /// Bytes written in all, and what it must come to until our last ping has left.
  private var sentByteCount: Int64 = 0
  private var pingEnd: Int64?

  init(loop: CurlLoop, owner: any WebSocketConnectionOwner, target: Target, now: Instant) {
    self.loop = loop
    self.owner = owner
    self.target = target
    let url = target.url
    let query = url.query.map { "?\($0)" } ?? ""
    handshake = ClientHandshake(
      host: url.port == url.scheme.defaultPort ? url.host : "\(url.host):\(url.port)", target: "\(url.path)\(query)",
      headerLines: target.headerLines, subprotocols: target.subprotocols)
    requestRest = handshake.request
    deadline = now + target.connectSeconds
    let socket = CurlSocket(loop: loop, owner: self)
    self.socket = socket
    var options = target.options
    options.connectSeconds = target.connectSeconds
    socket.connect(url: url.text, options: options)
  }

  /// How far the server is; nil while that is not known, and behind a proxy.
  var scope: HostScope? {
    let isDirect =
      target.options.unixSocket == nil
      && ProxyRule.proxy(for: target.url, given: target.options.proxy, environment: { Process.environment($0) }) == nil
    return isDirect ? socket?.address.map { HostScope(host: $0) } : nil
  }

  /// Whether messages may be sent.
  var isOpen: Bool { codec != nil && !isClosing && !isEnded }

  /// Bytes of payload that the next fragment may have, 0 when none may be sent now.
  var fragmentRoom: Int { isOpen ? codec?.fragmentRoom ?? 0 : 0 }

  /// Whether a message of ours has begun and not ended.
  var isMessageOpen: Bool { codec?.isMessageOpen ?? false }

  /// Whether nothing waits to be written.
  var isFlushed: Bool { waitingByteCount == 0 }

  private var waitingByteCount: Int { unsafe codec?.output.count ?? 0 }

  /// While true no more messages are read, so that the other side has to wait. The handshakes at both ends go on.
  var isReadingPaused = false {
    didSet { applyPause() }
  }

  /// While true a ping of the other side waits for its answer.
  var holdsPongs: Bool {
    get { codec?.holdsPongs ?? false }
    set {
      codec?.holdsPongs = newValue
      if !newValue { flush() }
    }
  }

  private func applyPause() {
    if isClosing, isReadingPaused { dropsMessages = true }
    socket?.isReadingPaused = isReadingPaused && isOpen
  }

  func sendFragment(_ kind: MessageKind, _ fill: (inout FragmentWriter) -> Bool) {
    guard let codec, isOpen else { return }
    codec.sendFragment(kind, fill)
    flush()
  }

  /// There is something to send again.
  func wake() { write() }

  func ping(_ payload: [UInt8]) {
    guard let codec, isOpen else { return }
    codec.ping(payload)
    pingEnd = sentByteCount + Int64(waitingByteCount)
    flush()
  }

  /// Ends in order: our close frame behind what was sent, then the other side's, then the connection; at the latest after
  /// three seconds. Before the handshake is done it ends at once.
  func close(_ code: CloseCode = .normal, reason: String = "", now: Instant) {
    guard !isEnded, !isClosing else { return }
    guard let codec else { return end(.closed) }
    isClosing = true
    pendingEnd = pendingEnd ?? .closed
    deadline = now + Limits.closeSeconds
    applyPause()
    codec.close(code, reason: reason)
    flush()
  }

  /// Ends at once, without a word to the other side.
  func abort(_ reason: ConnectionEnd) { end(reason) }

  /// Called at least when `nextMoment` is due.
  func turn(_ now: Instant) {
    guard let deadline, now >= deadline else { return }
    if codec == nil, case .refused(let refusal) = handshake.receive([], isEnd: true) { return end(.refused(refusal)) }
    end(pendingEnd ?? .timedOut(seconds: target.connectSeconds))
  }

  var nextMoment: Instant? { isEnded ? nil : deadline }

  // MARK: The socket

  func socketConnected() {
    owner?.connectionReachedServer()
    write()
  }

  func socketWritable() { write() }

  private func write() {
    guard !isEnded else { return }
    if codec == nil { return writeRequest() }
    flush()
    for _ in 0..<Self.fragmentsInARow {
      guard fragmentRoom > 0, let owner, owner.connectionHasRoom() else { return }
    }
    // Others have their turn, and what came in meanwhile is read.
    loop.post { [weak self] in self?.write() }
  }

  private func writeRequest() {
    guard let socket, socket.isConnected, !requestRest.isEmpty else { return }
    let sent = unsafe requestRest.withUnsafeBytes { unsafe socket.send($0) }
    requestRest.removeFirst(sent)
  }

  private func flush() {
    guard let codec else { return }
    let before = sentByteCount
    while let socket, socket.isConnected, waitingByteCount > 0 {
      let sent = unsafe socket.send(codec.output)
      guard sent > 0 else { break }
      codec.outputConsumed(sent)
      sentByteCount += Int64(sent)
    }
    if sentByteCount > before { owner?.connectionWrote() }
    if let mark = pingEnd, sentByteCount >= mark {
      pingEnd = nil
      owner?.connectionPingLeft()
    }
  }

  func socketReceived(_ bytes: UnsafeMutableRawBufferPointer) {
    guard !isEnded else { return }
    owner?.connectionHeard()
    if codec == nil { return unsafe receiveAnswer(UnsafeRawBufferPointer(bytes)) }
    unsafe receive(bytes)
  }

  private func receiveAnswer(_ bytes: UnsafeRawBufferPointer) {
    switch unsafe handshake.receive(bytes) {
    case nil: limitRefusal()
    case .refused(let refusal): end(.refused(refusal))
    case .invalid(let why): end(.invalid(why))
    case .accepted(let subprotocol, var rest):
      var random = SecureRandom()
      codec = WebSocketCodec(role: .client, limits: target.limits) { UInt32(truncatingIfNeeded: random.next()) }
      deadline = nil
      applyPause()
      owner?.connectionOpened(subprotocol: subprotocol)
      unsafe rest.withUnsafeMutableBytes { if unsafe !$0.isEmpty { unsafe receive($0) } }
      write()
    }
  }

  /// The status counts; for words that may follow nobody waits long.
  private func limitRefusal() {
    guard handshake.refusedStatus != nil, let deadline else { return }
    self.deadline = min(deadline, loop.now + Limits.refusalSeconds)
  }

  private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let codec, let owner, !isEnded else { return }
    let sink: any WebSocketSink = dropsMessages ? UnwantedMessages() : owner
    unsafe codec.receive(bytes, sink)
    if let failure = codec.failure, pendingEnd == nil {
      // Our close frame says what is wrong; what else comes is not read any more.
      return leave(.violated(failure))
    }
    if let code = codec.closeReceived, !isClosing { return leave(.closedByPeer(code, reason: codec.closeReason)) }
    flush()
  }

  /// The close frame that the codec has queued goes out, then the connection ends.
  private func leave(_ reason: ConnectionEnd) {
    pendingEnd = reason
    isClosing = true
    deadline = loop.now + Limits.closeSeconds
    applyPause()
    flush()
  }

  func socketEnded(_ error: CurlError?) {
    guard !isEnded else { return }
    guard codec == nil else { return end(pendingEnd ?? .lost(error)) }
    // What was not whole yet is all there is, be it that a reset ended it.
    switch handshake.receive([], isEnd: true) {
    case .refused(let refusal): end(.refused(refusal))
    case .invalid(let why) where error == nil: end(.invalid(why))
    default:
      guard let error, requestRest.count == handshake.request.count else { return end(.lost(error)) }
      end(.unreachable(error))
    }
  }

  private func end(_ reason: ConnectionEnd) {
    guard !isEnded else { return }
    isEnded = true
    socket?.close()
    socket = nil
    let told = owner
    owner = nil
    told?.connectionEnded(reason)
  }
}

/// Takes messages that nobody wants any more.
private final class UnwantedMessages: WebSocketSink {
  func messageBegan(_ kind: MessageKind) {}
  func messageReceived(_ bytes: UnsafeRawBufferPointer) {}
  func messageEnded() {}
  func pingReceived(_ payload: [UInt8]) {}
  func pongReceived(_ payload: [UInt8]) {}
  func closeReceived(_ code: CloseCode, reason: String) {}
}
