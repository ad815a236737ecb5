import CCurl
public import Core

/// Reads the lines that libcurl hands to its header callback into one `ResponseHead`: the first that is final.
/// What comes after it (trailers) is passed over.
struct HeaderReader {
  enum Verdict: Equatable {
    case more
    /// A head below 200, where fields are kept.
    case informational(ResponseHead)
    case final(ResponseHead)
    /// What is wrong with the head; such an answer is dropped.
    case refused(String)
  }

  /// All heads of one transfer together; libcurl 7.88 itself limits only the single line.
  static let maxByteCount = 256 << 10

  private var byteCount = 0
  /// Whether heads come with all their fields, and informational ones are told.
  var keepsFields = false
  /// Of the block that is being read; status 0 before its first line.
  private var head = ResponseHead(status: 0)
  /// The field whose line is complete only when the next one doesn't continue it.
  private var pending: (field: HeaderField, value: String)?
  private var isChunked = false
  private var complaint: String?
  private(set) var isDone = false
  /// Seconds since 1970, for a Retry-After that names a date.
  private let now: () -> Double

  init(now: @escaping () -> Double) { self.now = now }

  mutating func line(_ bytes: UnsafeRawBufferPointer) -> Verdict {
    if isDone { return .more }
    byteCount += bytes.count
    guard byteCount <= Self.maxByteCount else {
      return .refused("the response's header is over \(Self.maxByteCount) bytes")
    }
    let line = unsafe HeaderLine.withoutLineEnd(bytes)
    if line.count == 0 { return endOfBlock() }
    if let status = unsafe HeaderLine.statusLine(line) {
      beginBlock(status)
    } else {
      unsafe field(line)
    }
    return .more
  }

  private mutating func beginBlock(_ status: (code: Int, isMultiplexed: Bool)) {
    head = ResponseHead(status: status.code)
    head.isMultiplexed = status.isMultiplexed
    pending = nil
    isChunked = false
    complaint = nil
  }

  private mutating func field(_ line: UnsafeRawBufferPointer) {
    if keepsFields { unsafe HeaderLine.add(line, to: &head.fields) }
    // A line that begins with a space continues the one before (RFC 9112 section 5.2).
    if unsafe HeaderLine.isSpace(line[0]) {
      if let value = pending?.value { unsafe pending?.value = value + " " + HeaderLine.text(HeaderLine.trimmed(line)) }
      return
    }
    commit()
    guard let (field, value) = unsafe HeaderLine.knownField(line) else { return }
    unsafe pending = (field, HeaderLine.text(value))
  }

  private mutating func endOfBlock() -> Verdict {
    commit()
    if head.status < 200 { return endOfInformational() }
    isDone = true
    if let complaint { return .refused(complaint) }
    // The framing of chunks counts, not the length beside it (RFC 9112 section 6.3).
    if isChunked { head.contentLength = nil }
    return .final(head)
  }

  /// An upload may be told of its progress for hours: such heads don't add up.
  private mutating func endOfInformational() -> Verdict {
    guard keepsFields else { return .more }
    byteCount = 0
    return .informational(head)
  }

  private mutating func commit() {
    guard let (field, value) = pending else { return }
    pending = nil
    switch field {
    case .transferEncoding: isChunked = true
    case .contentLength: contentLength(value)
    case .contentRange: contentRange(value)
    case .date: if head.date == nil { head.date = Self.date(value) }
    case .lastModified: lastModified(value)
    case .retryAfter: if head.retryAfterSeconds == nil { head.retryAfterSeconds = seconds(toRetryAfter: value) }
    default: text(field, value)
    }
  }

  /// Lists go on in a second line, of everything else the first counts (RFC 9110 section 5.3).
  private mutating func text(_ field: HeaderField, _ value: String) {
    guard let path = field.path else { return }
    guard let old = head[keyPath: path] else {
      head[keyPath: path] = value
      return
    }
    if field.isList { head[keyPath: path] = old + ", " + value }
  }

  private mutating func contentLength(_ value: String) {
    guard let length = HeaderLine.number(value) else { return }
    if let old = head.contentLength, old != length {
      complaint = "the response has two lengths, \(old) and \(length) bytes"
    }
    head.contentLength = length
  }

  private mutating func contentRange(_ value: String) {
    if let old = head.contentRange, old != value {
      complaint = "the response has two ranges, \(old) and \(value)"
    }
    head.contentRange = value
  }

  private mutating func lastModified(_ value: String) {
    guard head.lastModified == nil else { return }
    head.lastModified = value
    head.lastModifiedTime = Self.date(value)
  }

  private func seconds(toRetryAfter value: String) -> Double? { RetryAfter(value)?.seconds(now: now()) }

  static func date(_ value: String) -> Int64? {
    let time = unsafe curl_getdate(value, nil)
    return time == -1 ? nil : Int64(time)
  }
}

extension RetryAfter {
  /// Seconds from `now`, which is in seconds since 1970; nil for what turns out to be no date.
  public func seconds(now: Double) -> Double? {
    switch self {
    case .seconds(let seconds): seconds
    case .dateText(let text): HeaderReader.date(text).map { max(Double($0) - now, 0) }
    }
  }
}
