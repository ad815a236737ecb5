import Core

/// An answer as decided: everything but the bytes of a file and what the HTTP library adds
/// (Date, Content-Length, Connection).
struct ResponsePlan: Equatable, Sendable {
  let status: Int
  var fields: [HeaderField]
  let body: Body
  var delivery = Delivery()

  enum Body: Equatable, Sendable {
    /// No bytes, but the length that the whole would have: all that a 304 may say of it (RFC 9110 §8.6).
    case nothing(insteadOfByteCount: Int64)
    /// One line for people, with its line end.
    case text(String)
    case file(ByteRange)
    /// The connection changes hands: a session begins behind this head.
    case session(Admission)
  }

  /// A refusal or a note, as one plain line.
  static func line(_ status: Int, _ text: String, _ fields: [HeaderField] = []) -> ResponsePlan {
    let type = HeaderField("Content-Type", "text/plain; charset=utf-8")
    return ResponsePlan(status: status, fields: [type] + fields, body: .text(text + "\n"))
  }

  /// How many bytes of body a GET gets when nothing goes wrong.
  var byteCount: Int64 {
    switch body {
    case .nothing, .session: 0
    case .text(let text): Int64(text.utf8.count)
    case .file(let range): range.byteCount
    }
  }
}

/// How the body of a file goes out.
struct Delivery: Equatable, Sendable {
  /// The connection is closed after so many bytes of body.
  var cutAfter: Int64?
  /// After so many bytes of body nothing more comes, and the connection stays open.
  var stallAfter: Int64?
  /// Without a stated length the body is chunked.
  var statesLength = true
  /// Other bytes of the same count in place of the file's.
  var isAltered = false
}
