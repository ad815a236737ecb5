/// What goes out for one request: decided at once, without a socket.
struct ResponsePlan: Sendable {
  enum Piece: Sendable {
    case content(Content, Range<Int64>)
    case literal([UInt8])
  }
  enum Framing: Sendable, Equatable { case length, chunked(terminated: Bool), untilClose }
  enum Ending: Sendable, Equatable {
    case complete, cut(after: Int64), reset(after: Int64), stall(after: Int64), silence, refuse
  }

  var version = "HTTP/1.1"
  var status = 200
  var headers: [(name: String, value: String)] = []
  var body: [Piece] = []
  var framing = Framing.length
  /// Bytes that Content-Length promises less than are sent.
  var extraByteCount: Int64 = 0
  var ending = Ending.complete
  var bytesPerSecond: Int?
  var flippedOffsets: [Int64] = []
  var keepsConnection = true
  var hasBody = true
  var isStatusLineBroken = false

  var bodyByteCount: Int64 {
    body.reduce(0) { sum, piece in
      switch piece {
      case .content(_, let range): sum + range.upperBound - range.lowerBound
      case .literal(let bytes): sum + Int64(bytes.count)
      }
    }
  }

  var headText: String {
    var lines = [isStatusLineBroken ? "HTTP/banana" : "\(version) \(status) \(Self.reason(status))"]
    lines += headers.map { "\($0.name): \($0.value)" }
    switch framing {
    case .length: lines.append("Content-Length: \(bodyByteCount - extraByteCount)")
    case .chunked: lines.append("Transfer-Encoding: chunked")
    case .untilClose: break
    }
    if !keepsConnection { lines.append("Connection: close") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  mutating func set(_ name: String, _ value: String?) {
    headers.removeAll { $0.name.lowercased() == name.lowercased() }
    if let value { headers.append((name, value)) }
  }

  /// An answer that is not the resource: its own status and text, no validators.
  mutating func replace(status: Int, text: String, mediaType: String = "text/plain") {
    self.status = status
    headers = headers.filter { $0.name == "Date" }
    set("Content-Type", mediaType)
    body = [.literal(Array(text.utf8))]
  }

  static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 304: "Not Modified"
    case 412: "Precondition Failed"
    case 416: "Range Not Satisfiable"
    default: status < 300 ? "Fine" : status < 400 ? "Elsewhere" : "Refused"
    }
  }
}
