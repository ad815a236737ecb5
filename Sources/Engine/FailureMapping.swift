import Core
import Curl
import Posix
import State

/// The one place where a module's errors become a user's failure.
extension CurlError {
  /// What libcurl's error means for the transfer, naming `host` where the name helps.
  func transferFault(host: String) -> TransferFault {
    let text = Self.withoutCredentials(text)
    return switch fault {
    case .resolve:
      .transient(TransferFailure(.noSuchHost, "cannot find host \(host)", hint: "check the name and the network"))
    case .connect: .transient(TransferFailure(.connectionFailed, "cannot connect to \(host): \(text)"))
    case .timeoutConnect: .transient(TransferFailure(.timedOut, "no connection to \(host) in time"))
    case .tls(let isCertificate):
      isCertificate
        ? .permanent(
          TransferFailure(
            .tls, "cannot trust \(host): \(text)", hint: "--cacert FILE names the authority to trust"))
        : .permanent(TransferFailure(.tls, "TLS with \(host) failed: \(text)"))
    case .sendReceive, .emptyReply:
      .transient(TransferFailure(.connectionFailed, "connection to \(host) was lost: \(text)"))
    case .partialBody: .transient(TransferFailure(.lengthMismatch, "the answer of \(host) ended early"))
    case .httpProtocol: .transient(TransferFailure(.protocolViolation, "\(host) does not speak HTTP properly: \(text)"))
    case .proxy: .transient(TransferFailure(.connectionFailed, "the proxy did not let us through: \(text)"))
    case .unsupportedScheme, .badURL: .permanent(TransferFailure(.usage, "not a URL that can be fetched: \(text)"))
    case .privateAddress(let address): .permanent(Reach.refusal(host: host, address: address))
    case .tooManyRedirects: .permanent(TransferFailure(.tooManyRedirects, "too many redirects"))
    case .outOfMemory: .permanent(TransferFailure(.internalError, "out of memory"))
    case .other: .permanent(TransferFailure(.internalError, "transfer failed: \(text)"))
    }
  }
}

extension CurlError {
  /// libcurl quotes a proxy's URL as it was given, with its user and password.
  static func withoutCredentials(_ text: String) -> String {
    guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
    let head = text.utf8[..<at]
    let start = head.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "'") }
    let kept = start.map { String(text[...$0]) } ?? ""
    return withoutCredentials(kept) + "…" + text[at...]
  }
}

extension TransferFailure {
  /// What went wrong in a job of the store's thread.
  init(storing error: any Error) {
    switch error {
    case let error as StateError: self = error.failure
    case let error as TransferFailure: self = error
    case let error as Errno: self = TransferFailure(.localFile, "cannot write the state: \(error)")
    default: self = TransferFailure(.stateUnreadable, "cannot write the state: \(error)")
    }
  }
}

extension CurlOptions {
  /// What libcurl is told; credentials only where they are trusted.
  init(_ network: NetworkOptions, trusted: Bool) {
    self.init()
    userAgent = network.userAgent ?? "hermes-transfer/\(HermesTransferVersion.text)"
    referer = network.referer
    if trusted {
      user = network.user
      password = network.password
      bearerToken = network.bearerToken
      certificateFile = network.certificateFile
      keyFile = network.keyFile
    }
    // netrc names the hosts itself.
    usesNetrc = network.usesNetrc
    netrcFile = network.netrcFile
    // The cookie file names its hosts too.
    cookieFile = network.cookieFile
    proxy = network.proxy
    caFile = network.caFile
    isInsecure = network.isInsecure
    httpVersion = network.httpVersion == .http1 ? .http1 : network.httpVersion == .http2 ? .http2 : nil
    addressFamily = network.addressFamily == .ipv4 ? .ipv4 : network.addressFamily == .ipv6 ? .ipv6 : nil
    interface = network.interface
    resolve = network.resolve
    unixSocket = network.unixSocket
  }
  /// Only public addresses; through a proxy the host's is the proxy's business.
  mutating func keepPublic(_ url: WebURL) {
    let chosen = ProxyRule.proxy(for: url, given: proxy, environment: { Process.environment($0) })
    proxy = chosen ?? ""
    ignoresProxyExceptions = true
    allowsPrivateAddresses = chosen != nil
  }
}
