import Core
import Glibc
import WebSocket

/// The smallest Hermes client: one WebSocket connection to 127.0.0.1, whose frames are collected by a thread of its own.
public final class SessionClient: Sendable {
  /// What came, in order.
  public enum Event: Hashable, Sendable {
    /// A frame, with its decoded data.
    case frame(ServerFrame, data: [UInt8])
    case ignored(String)
    case ping
    case pong([UInt8])
    /// The gateway's close frame.
    case closed(UInt16, String)
    /// The connection is over, by a reset or properly.
    case ended(isReset: Bool)
  }

  public struct NotConnected: Error { let reason: String }

  let link: SessionLink

  init(_ link: SessionLink) { self.link = link }

  deinit { link.shutDown() }

  /// Connects and upgrades; nothing is said yet.
  /// - Parameters:
  ///   - readsNothing: nothing that comes is taken from the socket.
  ///   - answersPings: false for a client that seems dead.
  public static func connect(
    port: UInt16, target: String = "/ws", headers: [String] = [], readsNothing: Bool = false,
    answersPings: Bool = true
  ) async throws -> SessionClient {
    let made = await onThread {
      SessionLink.connected(port: port, target, headers, readsNothing: readsNothing, answersPings: answersPings)
    }
    return SessionClient(try made.get())
  }

  /// Connects, says hello and waits for `ready`.
  public static func ready(
    port: UInt16, device: String = "device", token: String? = nil, target: String = "/ws", headers: [String] = []
  ) async throws -> SessionClient {
    let client = try await connect(port: port, target: target, headers: headers)
    await client.hello(device: device, token: token)
    guard await client.event(where: { if case .frame(.ready, _) = $0 { true } else { false } }) != nil else {
      throw NotConnected(reason: "no ready: \(client.events)")
    }
    return client
  }

  // MARK: Sending

  public func hello(device: String = "device", token: String? = nil) async {
    let identity = DeviceIdentity(id: device, name: "test", platform: "linux", appVersion: "1")
    await send(.hello(HelloFrame(token: token.map(Secret.init), device: identity)))
  }

  public func send(_ frame: ClientFrame) async { await send(text: String(decoding: frame.encoded, as: UTF8.self)) }

  /// Sends one part, or a medium of one.
  public func send(_ media: MediaFrame, _ bytes: [UInt8]) async {
    var text = [UInt8](repeating: 0, count: Base64.textByteCount(bytes.count))
    _ = bytes.withUnsafeBytes { source in text.withUnsafeMutableBytes { Base64.encode(source, into: $0) } }
    let shell = media.shell
    await send(text: String(decoding: shell.head + text + shell.tail, as: UTF8.self))
  }

  /// Sends one message as it is.
  public func send(text: String) async {
    await onThread { [link] in link.sendMessage(Array(text.utf8)) }
  }

  public func ping(_ payload: String) async {
    await onThread { [link] in link.ping(Array(payload.utf8)) }
  }

  public func close(_ code: CloseCode = .normal) async {
    await onThread { [link] in link.close(code) }
  }

  /// Bytes past the codec.
  public func send(raw bytes: [UInt8]) async {
    await onThread { [link] in link.write(bytes) }
  }

  /// Ends the connection without a word.
  public func vanish() { link.shutDown() }

  // MARK: What came

  public var events: [Event] { link.events.withLock { $0 } }

  /// The first event of a kind, also one that came already; nil when none comes in time.
  public func event(seconds: Double = 120, where isWanted: @escaping @Sendable (Event) -> Bool) async -> Event? {
    await onThread { [link] in
      _ = link.events.wait(seconds: seconds) { $0.contains(where: isWanted) }
      return link.events.withLock { $0.first(where: isWanted) }
    }
  }

  /// What a frame holds, of the first that holds it.
  public func first<Value: Sendable>(
    seconds: Double = 120, _ pick: @escaping @Sendable (ServerFrame, [UInt8]) -> Value?
  ) async -> Value? {
    let event = await event(seconds: seconds) {
      if case .frame(let frame, let data) = $0 { pick(frame, data) != nil } else { false }
    }
    guard case .frame(let frame, let data)? = event else { return nil }
    return pick(frame, data)
  }

  /// All values of a kind, once there are so many.
  public func all<Value: Sendable>(
    _ count: Int, seconds: Double = 120, _ pick: @escaping @Sendable (ServerFrame, [UInt8]) -> Value?
  ) async -> [Value] {
    @Sendable func picked(_ events: [Event]) -> [Value] {
      events.compactMap { if case .frame(let frame, let data) = $0 { pick(frame, data) } else { nil } }
    }
    return await onThread { [link] in
      _ = link.events.wait(seconds: seconds) { picked($0).count >= count }
      return link.events.withLock { picked($0) }
    }
  }

  /// How the connection ended: the close code, or nil for none.
  public func ending(seconds: Double = 120) async -> (code: UInt16?, reason: String, isReset: Bool)? {
    let end = await event(seconds: seconds) { if case .ended = $0 { true } else { false } }
    guard case .ended(let isReset)? = end else { return nil }
    for case .closed(let code, let reason) in events { return (code, reason, isReset) }
    return (nil, "", isReset)
  }
}
