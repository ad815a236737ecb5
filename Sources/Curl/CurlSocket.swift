import CCurl
public import Core

/// Who a socket reports to, on the loop's thread.
public protocol CurlSocketOwner: AnyObject {
  /// The connection stands, through proxy and TLS; bytes may be sent.
  func socketConnected()
  /// The next bytes, which may be changed in place; valid during the call only.
  func socketReceived(_ bytes: UnsafeMutableRawBufferPointer)
  /// What `send` could not take before may be tried again.
  func socketWritable()
  /// The connection could not be made, broke, or was ended by the other side (nil). Nothing more comes.
  func socketEnded(_ error: CurlError?)
}

/// A connection that libcurl makes (name, proxy, TLS) and that carries any bytes: CURLOPT_CONNECT_ONLY(3). Belongs to the
/// loop's thread.
@safe public final class CurlSocket: CurlTransferOwner {
  private let loop: CurlLoop
  private let transfer = CurlTransfer()
  private weak var owner: (any CurlSocketOwner)?
  private(set) var descriptor: Int32 = -1
  /// What the connection was made to, a proxy's where there is one; known once it stands.
  public private(set) var address: String?
  private(set) var wantsToWrite = false
  /// More may be read without the descriptor telling so: TLS keeps decrypted bytes.
  private(set) var mayHaveMore = false
  /// Why nothing can be sent any more. It is told when what has come was read: that may say why the other side left.
  private var sendError: CurlError?
  /// While true nothing is read, so that the other side's window closes.
  public var isReadingPaused = false {
    didSet { if oldValue, !isReadingPaused { mayHaveMore = true } }
  }

  /// Bytes taken at a time.
  static let readByteCount = 128 << 10
  /// Reads in a row before others have their turn.
  private static let readsInARow = 16

  /// The owner is not kept.
  public init(loop: CurlLoop, owner: any CurlSocketOwner) {
    self.loop = loop
    self.owner = owner
  }

  /// Whether bytes can be sent and received.
  public var isConnected: Bool { descriptor >= 0 }

  /// Begins to connect; `CurlOptions.connectSeconds` limits it.
  public func connect(url: String, options: CurlOptions) {
    var options = options
    // Else ALPN could settle for HTTP/2, in which no connection turns into a WebSocket.
    options.httpVersion = .http1
    var request = CurlRequest(url: url, options: options)
    request.isConnectOnly = true
    transfer.prepare(request)
    loop.start(transfer, owner: self)
  }

  /// Writes as much as the connection takes now, and answers how much that was; `socketWritable` comes when it may be
  /// more. The rest must come again at the same place in memory, with more behind it or not. A connection that turns out
  /// to be broken is told later, never within the call.
  public func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    var done = 0
    while isConnected, sendError == nil, done < bytes.count {
      var count = 0
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let code = unsafe curl_easy_send(transfer.easy, rest.baseAddress, rest.count, &count)
      guard code == CURLE_OK else {
        if code == CURLE_AGAIN { wantsToWrite = true } else { sendFailed(code) }
        break
      }
      done += count
    }
    return done
  }

  private func sendFailed(_ code: CURLcode) {
    sendError = transfer.brokenConnection(code)
    wantsToWrite = false
  }

  /// Ends the connection at once; the owner hears nothing more.
  public func close() {
    owner = nil
    leave()
    loop.cancel(transfer)
  }

  // MARK: For the loop

  public func headReceived(_ head: ResponseHead) -> BodyVerdict { .stop }
  public func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict { .stop }

  public func transferEnded(_ result: CurlResult) {
    guard result.error == nil, let active = transfer.activeSocket else {
      return end(result.error ?? transfer.brokenConnection(CURLE_COULDNT_CONNECT))
    }
    descriptor = active
    address = result.primaryIP
    // What the kernel keeps unsent is neither sent nor ours to order any more: 5.7 s of it at 1 MB/s without this.
    _ = hermes_limit_unsent(active, 128 << 10)
    loop.watch(self)
    // A server that talks first may have done so already, into TLS's buffer.
    mayHaveMore = true
    owner?.socketConnected()
  }

  func ready(toRead: Bool, toWrite: Bool, _ room: UnsafeMutableRawBufferPointer) {
    if toWrite, wantsToWrite {
      wantsToWrite = false
      owner?.socketWritable()
    }
    if isConnected, !isReadingPaused, toRead || needsTurn { unsafe read(room) }
    if isConnected, let sendError, isReadingPaused || !mayHaveMore { end(sendError) }
  }

  /// Whether it has something to do without the descriptor telling so.
  var needsTurn: Bool { sendError != nil || mayHaveMore && !isReadingPaused }

  private func read(_ room: UnsafeMutableRawBufferPointer) {
    mayHaveMore = true
    for _ in 0..<Self.readsInARow {
      guard isConnected, !isReadingPaused else { return }
      var count = 0
      let code = unsafe curl_easy_recv(transfer.easy, room.baseAddress, room.count, &count)
      if code == CURLE_AGAIN {
        mayHaveMore = false
        return
      }
      guard code == CURLE_OK, count > 0 else {
        return end(sendError ?? (code == CURLE_OK ? nil : transfer.brokenConnection(code)))
      }
      unsafe owner?.socketReceived(UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
    }
  }

  private func end(_ error: CurlError?) {
    let told = owner
    close()
    told?.socketEnded(error)
  }

  private func leave() {
    guard isConnected else { return }
    loop.unwatch(self)
    descriptor = -1
    wantsToWrite = false
    mayHaveMore = false
  }
}

/// Sockets on the loop, beside its transfers.
extension CurlLoop {
  func watch(_ socket: CurlSocket) {
    checkIsolated()
    sockets[socket.descriptor] = socket
  }

  func unwatch(_ socket: CurlSocket) {
    checkIsolated()
    sockets[socket.descriptor] = nil
  }

  /// What poll is to look at beside libcurl's own descriptors.
  func gatherDescriptors() {
    watched.removeAll(keepingCapacity: true)
    for (descriptor, socket) in sockets {
      var entry = curl_waitfd()
      entry.fd = descriptor
      entry.events =
        (socket.isReadingPaused ? 0 : Int16(CURL_WAIT_POLLIN)) | (socket.wantsToWrite ? Int16(CURL_WAIT_POLLOUT) : 0)
      if entry.events != 0 { watched.append(entry) }
    }
  }

  var haveSocketsMore: Bool { sockets.values.contains { $0.needsTurn } }

  func serveSockets() {
    guard !sockets.isEmpty else { return }
    let room = unsafe readRoom()
    for entry in watched {
      // Closed, or even another's by now; then there is nothing to read, which does no harm.
      guard let socket = sockets[entry.fd] else { continue }
      // Trouble shows up when it is read from or written to.
      let hasTrouble = entry.revents & ~Int16(CURL_WAIT_POLLIN | CURL_WAIT_POLLPRI | CURL_WAIT_POLLOUT) != 0
      unsafe socket.ready(
        toRead: hasTrouble || entry.revents & Int16(CURL_WAIT_POLLIN) != 0,
        toWrite: hasTrouble || entry.revents & Int16(CURL_WAIT_POLLOUT) != 0, room)
    }
    watched.removeAll(keepingCapacity: true)
    for socket in sockets.values where socket.needsTurn { unsafe socket.ready(toRead: false, toWrite: false, room) }
  }

  private func readRoom() -> UnsafeMutableRawBufferPointer {
    if let room = unsafe readMemory { return unsafe room }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: CurlSocket.readByteCount, alignment: 64)
    unsafe readMemory = unsafe room
    return unsafe room
  }
}
