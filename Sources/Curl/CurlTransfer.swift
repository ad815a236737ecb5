import CCurl
import Core
import Posix

/// One easy handle of libcurl, for any number of requests one after the other. Reuse it: the connections live in the
/// loop, and what two requests have in common is set once. Belongs to the loop's thread while it is started.
@safe public final class CurlTransfer {
  /// What the callbacks do with what comes.
  enum Flow {
    case running
    /// The owner paused in the head; the body waits.
    case held
    /// The owner stopped, and what is left is short enough to read past.
    case draining
    case stopped
  }

  private(set) var easy: OpaquePointer
  let errorBuffer: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var resolveList: UnsafeMutablePointer<curl_slist>?
  private(set) var prepared: CurlRequest?
  /// The form of `prepared`, made for this handle; libcurl keeps pointing to it.
  var form: OpaquePointer?
  /// Whether the handle has the callbacks of a body that goes out.
  var isUploadReady = false
  /// Why `prepare` failed; told when the transfer is started.
  private(set) var refusal: CurlError?

  // While it is started.
  /// The number under which the loop knows it, never used twice; 0 while it rests.
  var token = 0
  var owner: (any CurlTransferOwner)?
  weak var loop: CurlLoop?
  var flow = Flow.running
  var failure: CurlError?
  /// A private address that was not connected to.
  var refusedAddress: String?
  var reader = HeaderReader(now: Clocks.wallClock)
  /// Of the next byte that is wanted for the body that goes out.
  var bodyOffset: Int64 = 0
  /// Whether the owner had nothing for the body when it was last asked.
  var isBodyPaused = false
  /// Whether it ended itself once the answer's head was there.
  var isCutShort = false
  /// The status of the last final head.
  var finalStatus: Int?
  var isHead: Bool { prepared?.isHead ?? false }
  var isConnectOnly: Bool { prepared?.isConnectOnly ?? false }

  /// A fresh handle; like any other allocation it ends the process when there is no memory.
  public init() {
    CurlGlobal.start()
    unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe easy = Self.makeHandle()
  }

  deinit {
    dropForm()
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headerList)
    unsafe curl_slist_free_all(resolveList)
    unsafe errorBuffer.deallocate()
  }

  /// Whether it is started and has not ended.
  public var isRunning: Bool { token != 0 }

  private static func makeHandle() -> OpaquePointer {
    guard let easy = unsafe curl_easy_init() else { preconditionFailure("no memory for a libcurl handle") }
    return unsafe easy
  }

  /// Sets what differs from the request before. What libcurl refuses is told by `transferEnded` after the start.
  public func prepare(_ request: CurlRequest) {
    precondition(!isRunning, "a transfer is prepared while it runs")
    refusal = nil
    do throws(CurlError) {
      try apply(request)
      prepared = request
    } catch {
      refusal = error
      prepared = nil
    }
  }

  private func apply(_ request: CurlRequest) throws(CurlError) {
    if prepared?.options != request.options { try startOver(request.options) }
    let old = prepared
    if old?.url != request.url { try set(CURLOPT_URL, request.url) }
    if old?.range != request.range { try set(CURLOPT_RANGE, request.range) }
    if old?.headerLines != request.headerLines || old?.addedLines != request.addedLines {
      try setHeaders(request.headerLines + request.addedLines)
    }
    if (old?.isConnectOnly ?? false) != request.isConnectOnly {
      try set(CURLOPT_CONNECT_ONLY, request.isConnectOnly ? 1 : 0)
      // A proxy passes a protocol that it does not know through a tunnel only.
      try set(CURLOPT_HTTPPROXYTUNNEL, request.isConnectOnly ? 1 : 0)
    }
    if request.isSpecial || old?.isSpecial == true { return try applyMethod(request) }
    if old?.isHead != request.isHead {
      try set(CURLOPT_NOBODY, request.isHead ? 1 : 0)
      // Setting NOBODY back leaves the method at HEAD (CURLOPT_NOBODY(3)).
      if !request.isHead { try set(CURLOPT_HTTPGET, 1) }
    }
  }

  /// Takes a handle without memory: a setting that is forgotten here would be another host's secret. The connections
  /// stay, they are the loop's. Cookies go along where the jar is the same, so that a redirect to another host and
  /// back keeps its session. (curl_easy_reset would do, but 7.88 leaks the list of cookie files in it.)
  private func startOver(_ options: CurlOptions) throws(CurlError) {
    let old = unsafe easy
    defer { unsafe curl_easy_cleanup(old) }
    dropForm()
    isUploadReady = false
    let jar = prepared?.options.cookieFile
    unsafe easy = Self.makeHandle()
    prepared = nil
    try applyDefaults()
    try apply(options)
    try setResolve(options.resolve)
    if jar != nil, jar == options.cookieFile { try unsafe takeCookies(from: old) }
  }

  private func takeCookies(from old: OpaquePointer) throws(CurlError) {
    var cookies: UnsafeMutablePointer<curl_slist>?
    try check(unsafe hermes_get_list(old, CURLINFO_COOKIELIST, &cookies))
    defer { unsafe curl_slist_free_all(cookies) }
    var cookie = unsafe cookies
    while let line = unsafe cookie?.pointee {
      try check(unsafe hermes_set_text(easy, CURLOPT_COOKIELIST, line.data))
      unsafe cookie = line.next
    }
  }

  private func setHeaders(_ lines: [String]) throws(CurlError) {
    for line in lines where line.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
      throw CurlError(CURLE_BAD_FUNCTION_ARGUMENT, .other, "a header line has a line break in it")
    }
    let list = unsafe try Self.list(lines)
    let code = unsafe hermes_set_list(easy, CURLOPT_HTTPHEADER, list)
    unsafe curl_slist_free_all(headerList)
    unsafe headerList = list
    try check(code)
  }

  private func setResolve(_ entries: [String]) throws(CurlError) {
    let list = unsafe try Self.list(entries)
    let code = unsafe hermes_set_list(easy, CURLOPT_RESOLVE, list)
    unsafe curl_slist_free_all(resolveList)
    unsafe resolveList = list
    try check(code)
  }

  /// libcurl keeps pointing to a list; whoever sets it frees it after the next one is set.
  private static func list(_ lines: [String]) throws(CurlError) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = unsafe curl_slist_append(list, line) else {
        unsafe curl_slist_free_all(list)
        throw CurlError(CURLE_OUT_OF_MEMORY, .outOfMemory, "no memory for a request's lines")
      }
      unsafe list = longer
    }
    return unsafe list
  }

  // MARK: For the loop

  func begin(token: Int, owner: any CurlTransferOwner, loop: CurlLoop) {
    self.token = token
    self.loop = loop
    self.owner = owner
    flow = .running
    failure = refusal
    refusedAddress = nil
    reader = HeaderReader(now: Clocks.wallClock)
    reader.keepsFields = prepared?.keepsFields ?? false
    bodyOffset = 0
    isBodyPaused = false
    isCutShort = false
    finalStatus = nil
    unsafe errorBuffer[0] = 0
    // An integer, never an address: a message about a handle that is gone finds nothing.
    unsafe hermes_set_pointer(easy, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: token))
  }

  /// The token of a handle that libcurl tells about.
  static func token(of easy: OpaquePointer?) -> Int {
    var value: UnsafePointer<CChar>?
    unsafe hermes_get_text(easy, CURLINFO_PRIVATE, &value)
    return Int(bitPattern: value)
  }

  // MARK: Setters by kind of argument

  func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
    try check(unsafe hermes_set_long(easy, option, value))
  }

  /// libcurl copies the text; nil takes the option back.
  func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
    try check(unsafe hermes_set_text(easy, option, value))
  }

  func check(_ code: CURLcode) throws(CurlError) {
    if code != CURLE_OK { throw CurlError(code, detail: unsafe String(cString: errorBuffer)) }
  }
}
