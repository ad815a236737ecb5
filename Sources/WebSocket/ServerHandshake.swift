/// The opening handshake from the server's side (RFC 6455 §4.2): what to answer to a request whose head is read already.
public enum ServerHandshake {
  public enum Answer: Sendable {
    /// Status 101 with these fields.
    case accept(fields: [(String, String)], subprotocol: String?)
    /// Another status with these fields and a line of text.
    case refuse(status: Int, fields: [(String, String)], message: String)
  }

  /// Answers a request.
  /// - Parameters:
  ///   - field: gives a field's value by its lower-case name.
  ///   - subprotocols: what this server speaks; the first that the client offers too is chosen.
  public static func answer(
    method: String, subprotocols: [String] = [], field: (String) -> String?
  ) -> Answer {
    guard method == "GET" else {
      return .refuse(status: 405, fields: [("Allow", "GET")], message: "a WebSocket begins with GET")
    }
    guard HeadText.holds("websocket", in: field("upgrade")), HeadText.holds("upgrade", in: field("connection")) else {
      return .refuse(
        status: 426, fields: [("Upgrade", "websocket"), ("Connection", "Upgrade")],
        message: "this address speaks WebSocket")
    }
    guard field("sec-websocket-version") == "13" else {
      return .refuse(
        status: 426, fields: [("Sec-WebSocket-Version", "13")], message: "only version 13 of WebSocket is spoken")
    }
    guard let key = field("sec-websocket-key"), isKey(key) else {
      return .refuse(status: 400, fields: [], message: "Sec-WebSocket-Key is not 16 bytes as base64")
    }
    var fields = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", HandshakeKey.accept(key)),
    ]
    let offered = (field("sec-websocket-protocol") ?? "").split(separator: ",").map { HeadText.trimmed($0) }
    let chosen = subprotocols.first { offered.contains($0) }
    if let chosen { fields.append(("Sec-WebSocket-Protocol", chosen)) }
    return .accept(fields: fields, subprotocol: chosen)
  }

  private static func isKey(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    guard bytes.count == 24, bytes.hasSuffix("==") else { return false }
    return bytes.dropLast(2).allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 43 || byte == 47
    }
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
