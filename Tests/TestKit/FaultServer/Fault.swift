/// One way in which an answer goes wrong, or is merely unusual. Counts are of body bytes of that answer.
public enum Fault: Sendable {
  // The line.
  /// The connection ends in order after so many bytes.
  case cut(after: Int64)
  /// The connection is reset (RST) after so many bytes, which arrive first.
  case reset(after: Int64)
  /// Nothing more comes after so many bytes, and the connection stays.
  case stall(after: Int64)
  /// The request is read and nothing is answered.
  case silence
  /// The request is read, and the connection reset without an answer.
  case refuse
  case drip(bytesPerSecond: Int)

  // Ranges.
  /// The whole with status 200, whatever was asked.
  case ignoreRange
  /// The range that was asked, with its Content-Range, but status 200.
  case rangeWithStatus200
  /// An honest 206 that starts so much later; earlier when negative.
  case shiftRange(by: Int64)
  /// The range with status 206, whose Content-Range tells another total.
  case otherTotal(Int64)
  case noContentRange
  /// A 206 whose one range comes as multipart/byteranges.
  case multipart
  /// The range is served although If-Range names another version.
  case ignoreIfRange
  /// No Accept-Ranges header.
  case noAcceptRanges

  // Content and validators.
  /// Another version of the same path.
  case changed(Resource)
  case newTag(String)
  /// The tag as `W/"…"`.
  case weakTag
  case noValidator
  case lastModified(age: Int)
  /// The byte at this offset of the whole is wrong.
  case flip(at: Int64)

  // The head.
  case status(Int, retryAfter: String? = nil, body: String = "")
  case redirect(to: String, status: Int = 302)
  /// A Content-Encoding header; the bytes stay.
  case encoding(String)
  /// A login page: 200, 29 bytes of text/html, no validator.
  case html200
  case header(String, String)
  case disposition(String)
  /// 401, unless the request has exactly this Authorization header.
  case auth401(unless: String? = nil)
  /// This status when more requests than that are being answered at once.
  case refuseAbove(Int, status: Int)
  /// 403 for HEAD.
  case headRefused
  case brokenStatusLine

  // Framing.
  case chunked(terminated: Bool = true)
  /// HTTP/1.0 without ranges and without keep-alive.
  case http10
  /// No length: the end of the connection is the end of the body.
  case noLength
  /// More bytes than Content-Length says.
  case longBody(extra: Int64)

  // Uploads: counts are of body bytes of the request, which are read first. Where one is cut, its sink is told of what
  // came.
  case cutUpload(after: Int64)
  case resetUpload(after: Int64)
  /// Nothing more is read, and the connection stays.
  case stallUpload(after: Int64)
  case slowUpload(bytesPerSecond: Int)
  /// The answer comes before the rest of the body, which is then read past, or, with a reset, is not.
  case early(after: Int64, isReset: Bool = false)
  /// A head below 200.
  case informational(Int, [(String, String)], after: Int64 = 0)
  /// The whole body is taken, and the connection reset without an answer.
  case loseAnswer
  /// No 100 for who expects it.
  case noContinue
}

/// Faults and the requests of one path that they belong to.
public struct Scripted: Sendable {
  enum Condition: Sendable {
    /// Numbers of requests of the path, from 1.
    case numbers(ClosedRange<Int>)
    /// Requests for a part that holds this offset and does not start at 0, the first `times` of them.
    case part(holding: Int64, times: Int)
  }
  let condition: Condition
  let faults: [Fault]

  public static func always(_ faults: Fault...) -> Scripted {
    Scripted(condition: .numbers(1...Int.max), faults: faults)
  }
  public static func all(_ faults: [Fault]) -> Scripted { Scripted(condition: .numbers(1...Int.max), faults: faults) }
  public static func on(_ number: Int, _ faults: Fault...) -> Scripted {
    Scripted(condition: .numbers(number...number), faults: faults)
  }
  public static func from(_ number: Int, _ faults: Fault...) -> Scripted {
    Scripted(condition: .numbers(number...Int.max), faults: faults)
  }
  public static func upTo(_ number: Int, _ faults: Fault...) -> Scripted {
    Scripted(condition: .numbers(1...number), faults: faults)
  }
  /// For segments, whose order nobody knows: the requests, not from 0, whose range holds the offset.
  public static func part(holding offset: Int64, times: Int = .max, _ faults: Fault...) -> Scripted {
    Scripted(condition: .part(holding: offset, times: times), faults: faults)
  }
}
