/// The heart of resume: what an answer to a request for bytes means (RFC 9110 §13–15).
public enum ResponseCheck {
  /// What was asked and what is known already.
  public struct Question: Sendable, Hashable {
    /// The asked bytes; an end of nil means to the end of the file.
    public var start: Int64
    public var end: Int64?
    /// Whether a Range header was sent at all.
    public var hasRange = true
    public var total: Int64?
    public var validator: Validator
    /// Bytes held from this file, in all.
    public var byteCountHeld: Int64
    /// Whether other connections fetch other parts of it right now.
    public var isOneOfMany = false
    /// Whether a range of this file, whose length nobody told, ended where this question starts.
    public var isBehindRange = false

    public init(
      start: Int64, end: Int64?, total: Int64? = nil, validator: Validator = Validator(), byteCountHeld: Int64 = 0
    ) {
      self.start = start
      self.end = end
      self.total = total
      self.validator = validator
      self.byteCountHeld = byteCountHeld
    }
  }

  /// Where the body belongs.
  public struct Body: Sendable, Hashable {
    /// The offset of the body's first byte.
    public var start: Int64
    /// The exclusive offset of its end, when the head tells.
    public var end: Int64?
    public var total: Int64?
    /// Whether the answer proved that the server serves ranges.
    public var isRange: Bool
  }

  public enum Verdict: Sendable, Hashable {
    case accept(Body)
    /// It is the whole file from byte 0 although a part was asked for: what is held goes.
    case restart(Body, because: RestartCause)
    /// The file is another one now; ask anew from the start.
    case askAnew(because: RestartCause)
    /// Nothing in it can be used, but the same question may be answered better.
    case askAgain(String)
    /// All bytes are held: go and verify.
    case complete(total: Int64)
    /// The answer to a conditional request: the file we have is the file there is.
    case notModified
    /// Another connection's answer that is no data: go on with fewer.
    case refuseExtra(retryAfter: Double?)
    case retry(after: Double?, TransferFailure)
    case fail(TransferFailure)
  }

  public enum RestartCause: String, Sendable, Hashable {
    case contentChanged = "the remote file changed"
    case rangeIgnored = "the server ignores ranges"
    case notSatisfiable = "the server has fewer bytes than are held"
    case comparisonFailed = "the bytes held differ from the server's"
  }

  /// 64 PiB, more than any file has: sums of a few lengths stay far from what Int64 holds.
  public static let largestByteCount: Int64 = 1 << 56

  public static func check(_ head: ResponseHead, against question: Question) -> Verdict {
    if let failure = lengthFailure(head) { return .fail(failure) }
    return switch head.status {
    case 200, 203: whole(head, question)
    case 206: part(head, question)
    case 304: .notModified
    case 412: .askAnew(because: .contentChanged)
    case 416: unsatisfiable(head, question)
    default: refusal(head, question)
    }
  }

  // MARK: 200

  private static func whole(_ head: ResponseHead, _ question: Question) -> Verdict {
    if let failure = encodingFailure(head) { return .fail(failure) }
    // Some servers send the right bytes and Content-Range under the wrong status.
    if head.contentRange != nil { return part(head, question) }
    let body = Body(start: 0, end: head.contentLength, total: head.contentLength, isRange: false)
    let comparison = question.validator.compare(with: head)
    if question.start == 0, question.byteCountHeld == 0 {
      return comparison == .changed ? .restart(body, because: .contentChanged) : .accept(body)
    }
    if question.isOneOfMany { return .refuseExtra(retryAfter: nil) }
    if comparison == .changed { return .restart(body, because: .contentChanged) }
    if comparison == .unknown, let total = question.total, head.contentLength != total {
      if isForeignPage(head) {
        return .fail(
          TransferFailure(
            .unexpectedContent,
            "server sent \(size(head.contentLength)) of \(head.contentType ?? "something else") in place of the file's \(total) bytes",
            hint: "a login page or portal may be in the way; the partial is kept"))
      }
      return .restart(body, because: .contentChanged)
    }
    return .restart(body, because: .rangeIgnored)
  }

  /// A page in place of a file: HTML that carries nothing to tell its version by.
  private static func isForeignPage(_ head: ResponseHead) -> Bool {
    head.entityTag == nil && head.lastModified == nil
      && (head.contentType?.lowercased().hasPrefix("text/html") ?? false)
  }

  // MARK: 206

  private static func part(_ head: ResponseHead, _ question: Question) -> Verdict {
    if let failure = encodingFailure(head) { return .fail(failure) }
    if head.contentType?.lowercased().hasPrefix("multipart/") == true, head.contentRange == nil {
      return .fail(TransferFailure(.protocolViolation, "server sent several ranges, asked for one"))
    }
    guard let text = head.contentRange else {
      return .fail(TransferFailure(.protocolViolation, "server sent a part without saying which (no Content-Range)"))
    }
    guard case .bytes(let range, let total) = ContentRange(text) else {
      return .askAgain("server sent Content-Range '\(printable(text))', asked for bytes from \(question.start)")
    }
    if question.validator.compare(with: head) == .changed { return .askAnew(because: .contentChanged) }
    if let known = question.total, let total, total != known { return .askAnew(because: .contentChanged) }
    if let length = head.contentLength, length != range.byteCount {
      return .fail(
        TransferFailure(.protocolViolation, "server sent Content-Length \(length) with bytes \(range) of one part"))
    }
    if range.start > question.start || range.end <= question.start {
      return .askAgain("server sent bytes \(range), asked for \(asked(question))")
    }
    return .accept(Body(start: range.start, end: range.end, total: total ?? question.total, isRange: true))
  }

  // MARK: 416 and the rest

  private static func unsatisfiable(_ head: ResponseHead, _ question: Question) -> Verdict {
    guard question.hasRange else {
      return .fail(TransferFailure(.protocolViolation, "server answered 416 although no range was asked for"))
    }
    if let text = head.contentRange, case .unsatisfied(let total) = ContentRange(text) {
      let changed = question.validator.compare(with: head) == .changed
      let isOther = question.total.map { $0 != total } ?? false
      if total == question.byteCountHeld, !changed, !isOther { return .complete(total: total) }
    } else if question.isBehindRange, question.validator.compare(with: head) != .changed {
      return .complete(total: question.start)
    }
    return .askAnew(because: .notSatisfiable)
  }

  private static func refusal(_ head: ResponseHead, _ question: Question) -> Verdict {
    switch head.status {
    case 429, 503:
      if question.isOneOfMany { return .refuseExtra(retryAfter: head.retryAfterSeconds) }
      return .retry(after: head.retryAfterSeconds, statusFailure(head, .httpStatus))
    case 408, 425, 500, 502, 504:
      return .retry(after: head.retryAfterSeconds, statusFailure(head, .httpStatus))
    case 401:
      return .fail(
        TransferFailure(
          .unauthorized, "server answered 401 Unauthorized",
          hint: "give credentials with --user, --bearer-file, --netrc or --header"))
    case 403: return .fail(statusFailure(head, .forbidden))
    case 407:
      return .fail(TransferFailure(.unauthorized, "proxy answered 407", hint: "give its user and password in --proxy"))
    case 404, 410: return .fail(statusFailure(head, .notFound))
    default: return .fail(statusFailure(head, .httpStatus))
    }
  }

  public static func statusFailure(_ head: ResponseHead, _ code: FailureCode) -> TransferFailure {
    let phrase = StatusPhrase.text(of: head.status).map { " \($0)" } ?? ""
    return TransferFailure(code, "server answered \(head.status)\(phrase)")
  }

  private static func encodingFailure(_ head: ResponseHead) -> TransferFailure? {
    guard let encoding = head.contentEncoding, !encoding.isEmpty, encoding.lowercased() != "identity" else {
      return nil
    }
    return TransferFailure(
      .protocolViolation, "server sent Content-Encoding '\(printable(encoding))', asked for identity",
      hint: "encoded bytes have no place in a file that can be resumed")
  }

  private static func lengthFailure(_ head: ResponseHead) -> TransferFailure? {
    var lengths = [head.contentLength].compactMap { $0 }
    switch head.contentRange.map({ ContentRange($0) }) {
    case .bytes(let range, let total): lengths += [range.end, total ?? 0]
    case .unsatisfied(let total): lengths.append(total)
    case .otherUnit, .malformed, nil: break
    }
    guard let length = lengths.first(where: { $0 > largestByteCount }) else { return nil }
    return TransferFailure(.protocolViolation, "server tells of \(length) bytes, more than any file has")
  }

  private static func asked(_ question: Question) -> String {
    question.end.map { "\(question.start)-\($0 - 1)" } ?? "\(question.start)-"
  }

  private static func size(_ byteCount: Int64?) -> String { byteCount.map { "\($0) bytes" } ?? "an unknown length" }

  /// Header text in a message: no controls, not endless.
  static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(80).map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
  }
}

/// The reason phrases people know (RFC 9110 §15); HTTP/2 does not carry any.
enum StatusPhrase {
  static func text(of status: Int) -> String? {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 402: "Payment Required"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 425: "Too Early"
    case 429: "Too Many Requests"
    case 451: "Unavailable For Legal Reasons"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: nil
    }
  }
}
