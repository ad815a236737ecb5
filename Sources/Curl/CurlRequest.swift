/// One GET or HEAD; libcurl follows no redirect and decodes no content, its caller decides about both.
public struct CurlRequest: Hashable, Sendable {
  /// An absolute http or https URL.
  public var url: String
  /// Whole lines, "Name: value", added to or instead of libcurl's own; one with a line break is refused.
  public var headerLines: [String]
  /// The ranges of CURLOPT_RANGE: "0-", "100-199". Never CURLOPT_RESUME_FROM: with a stale If-Range it ends in error 33.
  public var range: String?
  /// HEAD instead of GET.
  public var isHead: Bool
  public var options: CurlOptions
  /// No request at all: the connection is made, and carries what a `CurlSocket` sends.
  var isConnectOnly = false

  public init(
    url: String, headerLines: [String] = [], range: String? = nil, isHead: Bool = false,
    options: CurlOptions = CurlOptions()
  ) {
    self.url = url
    self.headerLines = headerLines
    self.range = range
    self.isHead = isHead
    self.options = options
  }
}
