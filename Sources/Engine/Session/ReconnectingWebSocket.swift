public import Core
import Curl
import WebSocket

/// A WebSocket that connects again by itself: for any server, also one that is no Hermes gateway.
///
/// Messages go out in order, each whole; one that a broken connection cut off is sent anew on the next. Nothing is read
/// from the network while nobody takes events.
public actor ReconnectingWebSocket {
  /// Where to connect, and how.
  public struct Configuration: Sendable {
    /// `ws://…` or `wss://…`.
    public var url: String
    /// Offered in order of preference.
    public var subprotocols: [String] = []
    /// Headers, proxies, certificates: as for downloads.
    public var network = NetworkOptions()
    /// A longer message from the server ends the connection with 1009.
    public var maxMessageByteCount = 16 << 20
    /// Seconds for name, TCP, TLS and handshake together.
    public var connectSeconds = 15.0
    /// Delays between attempts.
    public var policy = ReconnectPolicy()
    /// Seconds of silence before the server is asked for a sign of life.
    public var pingAfterSeconds = 25.0
    /// Seconds without a byte after which the connection is given up.
    public var deadAfterSeconds = 60.0

    public init(url: String) { self.url = url }
  }

  public enum ConnectionState: Hashable, Sendable {
    case idle
    case connecting
    /// With the subprotocol that the server chose.
    case connected(subprotocol: String?)
    /// Tries again after so many seconds, because the last connection ended like that.
    case reconnecting(afterSeconds: Double, because: TransferFailure)
    /// Nothing more happens without another `connect`.
    case failed(TransferFailure)
  }

  public enum Event: Hashable, Sendable {
    case stateChanged(ConnectionState)
    case text(String)
    case data([UInt8])
  }

  private nonisolated let driver: WebSocketDriver
  private nonisolated let loop: CurlLoop

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.executor.asUnownedSerialExecutor() }

  /// Starts a thread, and connects only when told to. Throws `.usage` for what is no ws or wss URL.
  public init(_ configuration: Configuration) throws(TransferFailure) {
    let gateway: GatewayURL
    do throws(WebURL.Invalid) { gateway = try GatewayURL(configuration.url) } catch { throw error.failure }
    self.init(configuration, gateway.web)
  }

  private init(_ configuration: Configuration, _ url: WebURL) {
    let loop = CurlLoop(maxConnections: 2)
    self.loop = loop
    let driver = WebSocketDriver(loop: loop, configuration: configuration, url: url)
    self.driver = driver
    loop.tick = { now in driver.turn(now) }
    loop.start()
  }

  deinit {
    let loop = loop
    // On a thread of its own: the last to let go may be the loop's, which cannot wait for its own end.
    endOnOwnThread { loop.stop() }
  }

  /// Connects, and from then on stays connected as far as it can. Once is enough; more often does no harm.
  public func connect() { driver.link?.connect() }

  /// Ends in order, within three seconds; what was not sent yet stays and goes out after the next `connect`.
  public func disconnect() async {
    await withCheckedContinuation { driver.disconnect($0) }
  }

  public var state: ConnectionState { driver.state }

  /// Sends a text; returns when there is room for it among at most 64 that wait, which is when the server keeps up.
  /// Throws when the task is cancelled before; then the text is not sent.
  public func send(text: String) async throws(CancellationError) { try await send(.text, Array(text.utf8)) }

  /// Sends bytes, as `send(text:)`.
  public func send(data: [UInt8]) async throws(CancellationError) { try await send(.binary, data) }

  private func send(_ kind: MessageKind, _ bytes: [UInt8]) async throws(CancellationError) {
    let wait = WebSocketDriver.Wait()
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { driver.send(kind, bytes, wait, $0) }
    } onCancel: {
      loop.post { [driver] in driver.cancel(wait) }
    }
    if !isTaken { throw CancellationError() }
  }

  /// Asks the server to show that it is there; the seconds until it did. Nil when the connection ended before.
  public func ping() async -> Double? {
    await withCheckedContinuation { driver.ping($0) }
  }

  /// The next event: waits until there is one, or answers nil when the task is cancelled.
  public func nextEvent() async -> Event? {
    let wait = WebSocketDriver.Wait()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { driver.nextEvent(wait, $0) }
    } onCancel: {
      loop.post { [driver] in driver.cancel(wait) }
    }
  }

  /// What happens, in order; it ends when the reader's task is cancelled. Each event goes to one reader.
  public nonisolated var events: Events { Events(socket: self) }

  public struct Events: AsyncSequence, Sendable {
    let socket: ReconnectingWebSocket

    public struct AsyncIterator: AsyncIteratorProtocol {
      let socket: ReconnectingWebSocket

      public mutating func next() async -> Event? { await socket.nextEvent() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: socket) }
  }
}
