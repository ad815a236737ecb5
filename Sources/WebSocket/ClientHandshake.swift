import Crypto

/// The opening handshake from the client's side (RFC 6455 §4.1), without its socket.
public struct ClientHandshake: Sendable {
  /// How the server answered.
  public enum Outcome: Hashable, Sendable {
    /// The connection is a WebSocket now. `subprotocol` is the one that the server chose, `rest` what came behind the head.
    case accepted(subprotocol: String?, rest: [UInt8])
    /// The server answered something else.
    case refused(Refusal)
    /// The answer is none that a WebSocket server gives; the text says why.
    case invalid(String)
  }

  /// An answer other than 101.
  public struct Refusal: Hashable, Sendable {
    public let status: Int
    /// As the server wrote it: seconds or a date.
    public let retryAfter: String?
    public let location: String?
    /// The first line of the body that says something, at most 200 characters, without controls; empty when there is none.
    public let message: String

    public init(status: Int, retryAfter: String? = nil, location: String? = nil, message: String) {
      self.status = status
      self.retryAfter = retryAfter
      self.location = location
      self.message = message
    }
  }

  private let key: String
  private let subprotocols: [String]
  /// What goes to the server first; holds the request's secrets.
  public let request: [UInt8]
  private var received: [UInt8] = []
  /// The status of an answer that refuses, as soon as its head is there; `receive` may still wait for its words.
  public private(set) var refusedStatus: Int?
  /// Where the search for the head's end goes on, and whether a line begins there.
  private var scanIndex = 0
  private var isLineStart = false

  /// - Parameters:
  ///   - host: as in the Host field: the port is left out where it is the scheme's own.
  ///   - target: path and query, percent-encoded.
  ///   - headerLines: whole lines, `Name: value`, without line breaks.
  ///   - subprotocols: offered in order of preference.
  ///   - nonce: 16 bytes that nobody can guess; made when they are not given.
  public init(
    host: String, target: String, headerLines: [String] = [], subprotocols: [String] = [],
    nonce: [UInt8]? = nil
  ) {
    var random = SecureRandom()
    key = HandshakeKey.base64(nonce ?? random.bytes(count: 16))
    self.subprotocols = subprotocols
    var lines = [
      "GET \(target) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
    ]
    if !subprotocols.isEmpty { lines.append("Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))") }
    lines += headerLines
    // A line break within a line would be another line of somebody else's.
    request = Array((lines.map { $0.filter { !$0.isNewline } }.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Takes what came; nil while more is needed.
  /// - Parameter isEnd: the server has ended the connection.
  public mutating func receive(_ bytes: some Sequence<UInt8>, isEnd: Bool = false) -> Outcome? {
    received += bytes
    while let end = endOfHead() {
      guard end <= HeadText.maxByteCount else { return Self.tooLong }
      guard let head = HeadText(received[..<end]), let status = Self.status(head.firstLine) else {
        return .invalid("the answer is not HTTP")
      }
      if status == 101 { return accepted(head, end) }
      guard status < 200 else {
        refusedStatus = status
        return refusal(status, head, end, isEnd)
      }
      // Another one follows, the answer itself (RFC 9110 §15.2).
      received.removeFirst(end)
      (scanIndex, isLineStart) = (0, false)
    }
    if received.count > HeadText.maxByteCount { return Self.tooLong }
    guard isEnd else { return nil }
    return .invalid(received.isEmpty ? "the server ended the connection without an answer" : "the answer is cut off")
  }

  private static let tooLong = Outcome.invalid("the answer's head is longer than 16 KiB")

  /// Looks at each byte once, however small the pieces are that they come in.
  private mutating func endOfHead() -> Int? {
    while scanIndex < received.count {
      let byte = received[scanIndex]
      if byte == 0x0a, isLineStart { return scanIndex + 1 }
      if byte != 0x0d { isLineStart = byte == 0x0a }
      scanIndex += 1
    }
    return nil
  }

  private static func status(_ line: Substring) -> Int? {
    let pieces = line.split(separator: " ", maxSplits: 2)
    guard pieces.count >= 2, pieces[0].hasPrefix("HTTP/1."), pieces[1].utf8.count == 3 else { return nil }
    return Int(pieces[1]).flatMap { (100...999).contains($0) ? $0 : nil }
  }

  private func accepted(_ head: HeadText, _ end: Int) -> Outcome {
    guard HeadText.holds("websocket", in: head["upgrade"]), HeadText.holds("upgrade", in: head["connection"]) else {
      return .invalid("the answer does not upgrade to a WebSocket")
    }
    guard head["sec-websocket-accept"] == HandshakeKey.accept(key) else {
      return .invalid("the answer's Sec-WebSocket-Accept does not belong to our key")
    }
    if let name = head["sec-websocket-extensions"], !name.isEmpty {
      return .invalid("the server chose an extension that was not offered")
    }
    let chosen = head["sec-websocket-protocol"]
    if let chosen, !subprotocols.contains(chosen) {
      return .invalid("the server chose a subprotocol that was not offered")
    }
    return .accepted(subprotocol: chosen, rest: Array(received[end...]))
  }

  private func refusal(_ status: Int, _ head: HeadText, _ end: Int, _ isEnd: Bool) -> Outcome? {
    let body = RefusalBody(received[end...], status: status, head: head)
    guard body.isWhole || isEnd else { return nil }
    return .refused(
      Refusal(
        status: status, retryAfter: head["retry-after"], location: head["location"], message: body.message))
  }
}

/// What proves that a server has read a client's key (RFC 6455 §4.2.2).
enum HandshakeKey {
  static func accept(_ key: String) -> String {
    let digest = Digest(.sha1)
    digest.update(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    return base64(digest.finish())
  }

  static func base64(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: Base64.textByteCount(bytes.count))
    unsafe bytes.withUnsafeBytes { source in
      unsafe text.withUnsafeMutableBytes { target in _ = unsafe Base64.encode(source, into: target) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
