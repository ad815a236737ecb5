/// Takes a request's body out of what a connection receives.
struct RequestBody {
  private enum Framing {
    case length(left: Int64)
    /// Bytes left of the chunk; nil before its length was read.
    case chunked(left: Int64?)
    case ended
  }
  enum Piece { case bytes([UInt8]), end, broken }
  private var framing: Framing

  init(_ head: RequestHead) {
    if head["transfer-encoding"]?.lowercased() == "chunked" {
      framing = .chunked(left: nil)
    } else {
      framing = head["content-length"].flatMap { Int64($0) }.map { .length(left: $0) } ?? .ended
    }
  }

  /// The next bytes, at most so many; `refill` adds to what was received, and answers false when nothing more comes.
  mutating func next(upTo limit: Int64, from pending: inout [UInt8], refill: (inout [UInt8]) -> Bool) -> Piece {
    while true {
      switch framing {
      case .ended, .length(left: 0): return .end
      case .length(let left):
        guard let bytes = Self.take(min(left, limit), from: &pending, refill: refill) else { return .broken }
        framing = .length(left: left - Int64(bytes.count))
        return .bytes(bytes)
      case .chunked(nil):
        guard let line = Self.line(from: &pending, refill: refill), let count = Int64(line, radix: 16) else {
          return .broken
        }
        framing = .chunked(left: count)
      case .chunked(.some(0)):
        // The line end after a chunk, or after the last.
        guard Self.line(from: &pending, refill: refill) != nil else { return .broken }
        framing = .ended
      case .chunked(.some(let left)):
        guard let bytes = Self.take(min(left, limit), from: &pending, refill: refill) else { return .broken }
        if left == Int64(bytes.count) {
          guard Self.line(from: &pending, refill: refill) != nil else { return .broken }
          framing = .chunked(left: nil)
        } else {
          framing = .chunked(left: left - Int64(bytes.count))
        }
        return .bytes(bytes)
      }
    }
  }

  private static func take(
    _ limit: Int64, from pending: inout [UInt8], refill: (inout [UInt8]) -> Bool
  ) -> [UInt8]? {
    if pending.isEmpty, !refill(&pending) { return nil }
    let bytes = Array(pending.prefix(Int(limit)))
    pending.removeFirst(bytes.count)
    return bytes
  }

  /// Up to the line's end, which is taken too.
  private static func line(from pending: inout [UInt8], refill: (inout [UInt8]) -> Bool) -> String? {
    while true {
      if let end = pending.firstIndex(of: 10) {
        let line = String(decoding: pending[..<end].filter { $0 != 13 }, as: UTF8.self)
        pending.removeFirst(end + 1)
        return line
      }
      guard refill(&pending) else { return nil }
    }
  }
}
