import Core
import Curl
import WebSocket

extension WebSocketConnection.Target {
  /// Where and how to connect; credentials become a header of the handshake, which libcurl does not write.
  init(url: WebURL, subprotocols: [String], network: NetworkOptions, limits: WebSocketLimits) {
    self.init(url: url)
    self.subprotocols = subprotocols
    self.limits = limits
    options = CurlOptions(network, trusted: true)
    // What libcurl would send with a request of its own.
    headerLines = ["User-Agent: \(options.userAgent ?? "")"] + network.headers
    if let bearer = network.bearerToken {
      headerLines.append("Authorization: Bearer \(bearer)")
    } else if let user = network.user ?? url.credentials?.user {
      let password = network.password ?? url.credentials?.password ?? ""
      headerLines.append("Authorization: Basic \(Self.base64("\(user):\(password)"))")
    }
  }

  private static func base64(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var encoded = [UInt8](repeating: 0, count: Base64.textByteCount(bytes.count))
    unsafe bytes.withUnsafeBytes { source in
      unsafe encoded.withUnsafeMutableBytes { target in _ = unsafe Base64.encode(source, into: target) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
