import Glibc

/// A response read from a socket byte by byte, as it came: no library in between.
public struct RawResponse: Sendable {
  public enum Ending: Sendable { case complete, closed, reset, timedOut }
  public let status: Int
  /// Names in lower case.
  public let headers: [String: String]
  public let body: [UInt8]
  public let ending: Ending

  public subscript(_ name: String) -> String? { headers[name.lowercased()] }
}

/// The smallest HTTP client: one request on one connection to 127.0.0.1.
public enum RawClient {
  /// Sends a request and reads as many body bytes as Content-Length says, or until the end; chunks stay as they are.
  public static func send(
    _ target: String, method: String = "GET", port: UInt16, headers: [String] = [], body: [UInt8]? = nil,
    seconds: Int = 60
  ) async -> RawResponse {
    await onThread {
      guard let descriptor = LoopbackSocket.connected(port: port) else {
        return RawResponse(status: 0, headers: [:], body: [], ending: .reset)
      }
      defer { close(descriptor) }
      var limit = timeval(tv_sec: seconds, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
      if let body, !headers.contains(where: { $0.hasPrefix("Content-Length:") }) {
        lines.append("Content-Length: \(body.count)")
      }
      let text = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
      _ = Glibc.send(descriptor, text, text.count, Int32(MSG_NOSIGNAL))
      return receive(descriptor, hasBody: method != "HEAD")
    }
  }

  private static func receive(_ descriptor: Int32, hasBody: Bool) -> RawResponse {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var head: (status: Int, headers: [String: String], end: Int)?
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 { bytes += chunk[..<count] }
      if head == nil { head = parseHead(bytes) }
      let wanted = head.flatMap { head in
        hasBody && head.status != 304 && head.status != 204 ? head.headers["content-length"].flatMap(Int.init) : 0
      }
      let isComplete = head.map { head in wanted.map { bytes.count >= head.end + $0 } ?? false } ?? false
      if count > 0 && !isComplete { continue }
      let ending: RawResponse.Ending =
        isComplete ? .complete : count == 0 ? .closed : errno == EAGAIN ? .timedOut : .reset
      let body = head.map { Array(bytes[$0.end...]) } ?? bytes
      return RawResponse(status: head?.status ?? 0, headers: head?.headers ?? [:], body: body, ending: ending)
    }
  }

  private static func parseHead(_ bytes: [UInt8]) -> (status: Int, headers: [String: String], end: Int)? {
    guard bytes.count >= 4,
      let end = (4...bytes.count).first(where: { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) })
    else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines[0].split(separator: " ")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0, headers, end)
  }
}
