/// What decisions need of a response's status line and header; text as it came, dates read at the border.
public struct ResponseHead: Hashable, Sendable {
  public var status: Int
  public var entityTag: String?
  public var lastModified: String?
  /// `lastModified` in seconds since 1970, when it is a date.
  public var lastModifiedTime: Int64?
  /// The Date header in seconds since 1970.
  public var date: Int64?
  public var contentLength: Int64?
  public var contentRange: String?
  public var contentEncoding: String?
  public var contentType: String?
  public var contentDisposition: String?
  public var acceptRanges: String?
  public var location: String?
  /// Seconds to wait, from either form of Retry-After; 0 for a date that is past.
  public var retryAfterSeconds: Double?
  public var reprDigest: String?
  public var contentDigest: String?
  public var authenticate: String?
  /// Whether the answer came over HTTP/2 or later, where requests to one host share a connection.
  public var isMultiplexed = false
  /// Every field as it came; empty unless the request asked to keep them.
  public var fields = HeaderFields()

  public init(status: Int) { self.status = status }

  public var isRedirect: Bool {
    switch status {
    case 301, 302, 303, 307, 308: location != nil
    default: false
    }
  }
}
