/// The head of a request as it came, parsed as far as a test's server needs.
public struct RequestHead: Sendable {
  public let method: String
  /// Path and query.
  public let target: String
  public let version: String
  /// In order of arrival, names as sent.
  public let headers: [(name: String, value: String)]

  /// The path without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The value of the first header of that name, in any case.
  public subscript(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  init?(_ text: String) {
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
    guard !lines.isEmpty else { return nil }
    let words = lines.removeFirst().split(separator: " ")
    guard words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    version = String(words[2])
    headers = lines.compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...]
      return (String(line[..<colon]), String(value.drop { $0 == " " }))
    }
  }

  /// The one byte range asked for: first offset, and the offset after the last where one is given.
  public var range: AskedRange? { self["range"].flatMap(AskedRange.init) }
}

/// A Range header's single range; ends are exclusive here.
public enum AskedRange: Sendable, Hashable {
  case from(Int64, upTo: Int64?)
  case last(Int64)

  init?(_ header: String) {
    guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
    let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (Int64(ends[0]), Int64(ends[1])) {
    case (let first?, let last?) where first <= last: self = .from(first, upTo: last + 1)
    case (let first?, nil) where ends[1].isEmpty: self = .from(first, upTo: nil)
    case (nil, let count?) where ends[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// The part of a whole of that length; nil when it has none of it.
  func part(ofTotal total: Int64) -> Range<Int64>? {
    switch self {
    case .from(let first, let end): first < total ? first..<min(end ?? total, total) : nil
    case .last(let count): count > 0 && total > 0 ? max(0, total - count)..<total : nil
    }
  }

  /// Whether it does not start at 0 and holds the offset.
  func isPart(holding offset: Int64) -> Bool {
    guard case .from(let first, let end) = self else { return false }
    return first > 0 && first <= offset && offset < end ?? .max
  }
}

/// A request, and what was answered to it so far.
public struct RecordedRequest: Sendable {
  /// Counted from 1 within its path.
  public let number: Int
  public let head: RequestHead
  /// Connections are counted from 1.
  public let connection: Int
  public internal(set) var status = 0
  /// Body bytes handed to the socket, without framing.
  public internal(set) var bodyByteCount: Int64 = 0
  public internal(set) var isFinished = false
  /// What of its body came.
  public internal(set) var body: [UInt8] = []
  public internal(set) var isBodyWhole = false

  public var method: String { head.method }
  public var path: String { head.path }
  /// The Range header as sent.
  public var range: String? { head["range"] }
  public subscript(_ name: String) -> String? { head[name] }
}
