/// One request; libcurl follows no redirect and decodes no content, its caller decides about both.
public struct CurlRequest: Hashable, Sendable {
  /// An absolute http or https URL.
  public var url: String
  /// Whole lines, "Name: value", added to or instead of libcurl's own; one with a line break is refused.
  public var headerLines: [String]
  /// The ranges of CURLOPT_RANGE: "0-", "100-199". Never CURLOPT_RESUME_FROM: with a stale If-Range it ends in error 33.
  public var range: String?
  /// HEAD instead of GET.
  public var isHead: Bool
  /// Another method than the one that follows from the rest: GET or HEAD, PUT with a body, POST with a form.
  public var method: String?
  public var body: CurlBody
  public var options: CurlOptions
  /// Sends `Expect: 100-continue` and waits a second for the answer to it; libcurl would with every body. A 417 ends the
  /// transfer as its answer, and is not followed by a second try without it.
  public var expectsContinue = false
  /// Whether libcurl may send the body again by itself when a connection that served before breaks without an answer. A
  /// server that has the first one already may take both.
  public var isRepeatable = false
  /// Whether heads come with all their `fields`, and informational ones are told.
  public var keepsFields = false
  /// No request at all: the connection is made, and carries what a `CurlSocket` sends.
  var isConnectOnly = false

  public init(
    url: String, headerLines: [String] = [], range: String? = nil, isHead: Bool = false, method: String? = nil,
    body: CurlBody = .none, options: CurlOptions = CurlOptions()
  ) {
    self.url = url
    self.headerLines = headerLines
    self.range = range
    self.isHead = isHead
    self.method = method
    self.body = body
    self.options = options
  }
}
