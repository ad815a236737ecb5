/// Which bytes are there: sorted ranges that neither touch nor overlap.
public struct RangeSet: Hashable, Sendable {
  public private(set) var ranges: [ByteRange] = []

  public init() {}
  public init(_ range: ByteRange) { insert(range) }
  public init(_ ranges: some Sequence<ByteRange>) { for range in ranges { insert(range) } }

  public var isEmpty: Bool { ranges.isEmpty }
  public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.byteCount } }
  /// The exclusive end of the last range, 0 when there is none.
  public var end: Int64 { ranges.last?.end ?? 0 }

  /// Adds a range; what touches it is joined.
  public mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    // The usual case by far: a part that grows at its end.
    if let last = ranges.last, last.end <= range.start {
      if last.end == range.start {
        ranges[ranges.count - 1] = ByteRange(last.start, range.end)
      } else {
        ranges.append(range)
      }
      return
    }
    let first = index { $0.end >= range.start }
    let after = index { $0.start > range.end }
    guard first < after else { return ranges.insert(range, at: first) }
    let joined = ByteRange(min(ranges[first].start, range.start), max(ranges[after - 1].end, range.end))
    ranges.replaceSubrange(first..<after, with: CollectionOfOne(joined))
  }

  public mutating func formUnion(_ other: RangeSet) {
    for range in other.ranges { insert(range) }
  }

  public mutating func subtract(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    let first = index { $0.end > range.start }
    let after = index { $0.start >= range.end }
    guard first < after else { return }
    var kept: [ByteRange] = []
    if ranges[first].start < range.start { kept.append(ByteRange(ranges[first].start, range.start)) }
    if ranges[after - 1].end > range.end { kept.append(ByteRange(range.end, ranges[after - 1].end)) }
    ranges.replaceSubrange(first..<after, with: kept)
  }

  public func intersection(_ range: ByteRange) -> RangeSet {
    var result = RangeSet()
    for one in ranges where one.start < range.end && one.end > range.start {
      result.insert(ByteRange(max(one.start, range.start), min(one.end, range.end)))
    }
    return result
  }

  /// What is missing of `whole`, in order.
  public func gaps(in whole: ByteRange) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var position = whole.start
    for range in ranges where range.end > whole.start && range.start < whole.end {
      if range.start > position { gaps.append(ByteRange(position, range.start)) }
      position = max(position, range.end)
    }
    if position < whole.end { gaps.append(ByteRange(position, whole.end)) }
    return gaps
  }

  public func contains(_ range: ByteRange) -> Bool {
    if range.isEmpty { return true }
    let place = index { $0.end > range.start }
    return place < ranges.count && ranges[place].start <= range.start && ranges[place].end >= range.end
  }

  public func contains(_ offset: Int64) -> Bool { contains(ByteRange(offset, offset + 1)) }

  /// The first range for which `test` holds; ranges are sorted, so it holds from there on.
  private func index(where test: (ByteRange) -> Bool) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if test(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// As the state keeps it: half-open ranges in order, `0-1048576,2097152-3145728`; empty text for no byte.
extension RangeSet: LosslessStringConvertible {
  public var description: String {
    ranges.map { "\($0.start)-\($0.end)" }.joined(separator: ",")
  }

  /// Nil when the text is not a well-formed, sorted list: state that was damaged is not guessed at.
  public init?(_ text: String) {
    if text.isEmpty { return }
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = piece.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let start = Int64(ends[0]), let end = Int64(ends[1]),
        start >= self.end, start < end, ranges.isEmpty || start > self.end
      else { return nil }
      ranges.append(ByteRange(start, end))
    }
  }
}
