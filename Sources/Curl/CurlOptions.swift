/// How libcurl reaches a server and who it says it is; requests of one transfer mostly share them.
public struct CurlOptions: Hashable, Sendable {
  public enum HTTPVersion: Hashable, Sendable {
    /// HTTP/1.1 only: every request in flight has a connection of its own.
    case http1
    /// HTTP/2 over TLS where the server speaks it; a request waits for a connection that may be shared.
    case http2
  }

  public enum AddressFamily: Hashable, Sendable { case ipv4, ipv6 }

  public var userAgent: String?
  public var referer: String?
  /// Sent with Basic authentication in the first request, as curl does; a digest would cost a round trip each.
  public var user: String?
  public var password: String?
  /// Sent as "Authorization: Bearer …"; it comes before user and password.
  public var bearerToken: String?
  /// Takes user and password from ~/.netrc where the URL and the options give none.
  public var usesNetrc = false
  /// Another file than ~/.netrc.
  public var netrcFile: String?
  /// Cookies to send, in Netscape or header format; those that answers set are kept from request to request of a transfer.
  public var cookieFile: String?
  /// A proxy's URL; nil leaves it to the environment (`http_proxy`, `https_proxy`, `no_proxy`), "" goes without.
  public var proxy: String?
  /// Whether `no_proxy` of the environment is passed over: the proxy, or none, was chosen with it in mind.
  public var ignoresProxyExceptions = false
  /// Whether hosts with other addresses than public ones are connected to, and asked over connections that stand.
  public var allowsPrivateAddresses = true
  public var caFile: String?
  public var certificateFile: String?
  public var keyFile: String?
  /// Accepts any certificate.
  public var isInsecure = false
  /// Nil lets TLS settle it, but no request waits to share a connection.
  public var httpVersion: HTTPVersion?
  public var addressFamily: AddressFamily?
  /// The name of a network interface, an address or a host name to connect from.
  public var interface: String?
  /// "host:port:address" each; what one transfer says here, all of the loop's transfers take (CURLOPT_RESOLVE(3)).
  public var resolve: [String] = []
  /// Connects to this socket whatever host the URL names.
  public var unixSocket: String?
  /// Name, TCP and TLS together.
  public var connectSeconds: Double = 30

  public init() {}
}
