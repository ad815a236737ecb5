import Core

/// What the peer sends: a head, and bytes `start..<end` of a version.
struct SimulatedAnswer {
  var head: ResponseHead
  var version: Int
  var start: Int64
  var end: Int64
}

/// A server that holds changing versions of one file and is honest to a degree that the seed decides.
struct SimulatedPeer {
  enum Tags: CaseIterable { case strong, weak, none, oldDate, youngDate }

  private var byteCounts: [Int64] = []
  private let tags: Tags
  private let ignoresRanges: Bool
  private let ignoresIfRange: Bool
  private let isFaulty: Bool
  /// `bytes 0-9/*`: parts of a file whose length it does not tell.
  private let hidesLength: Bool

  init(_ random: inout SeededRandom) {
    tags = Tags.allCases.randomElement(using: &random) ?? .strong
    ignoresRanges = random.oneIn(6)
    // A server without versions to compare has nothing to ignore.
    ignoresIfRange = random.oneIn(6)
    isFaulty = random.oneIn(2)
    hidesLength = random.oneIn(8)
    byteCounts.append(Self.size(&random))
  }

  private static func size(_ random: inout SeededRandom) -> Int64 {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: Int64.random(in: 0...3, using: &random)
    case 1: Int64.random(in: 1...200_000, using: &random)
    default: Int64.random(in: (1 << 20)...(60 << 20), using: &random)
    }
  }

  func byteCount(of version: Int) -> Int64 { byteCounts[version] }

  /// Every byte of a new version differs from the old one's; its length may be the same.
  mutating func change(_ random: inout SeededRandom) {
    byteCounts.append(random.oneIn(2) ? byteCounts[byteCounts.count - 1] : Self.size(&random))
  }

  mutating func answer(_ ask: DownloadMachine.Ask, _ random: inout SeededRandom) -> SimulatedAnswer {
    if isFaulty, random.oneIn(12) { return refusal(&random) }
    let version = byteCounts.count - 1
    let total = byteCounts[version]
    var head = ResponseHead(status: 200)
    tag(&head, version)
    let isCurrent = ask.ifRange.map { $0 == head.entityTag || $0 == head.lastModified } ?? true
    guard let start = ask.start, !ignoresRanges, isCurrent || ignoresIfRange else {
      head.contentLength = random.oneIn(5) ? nil : total
      return SimulatedAnswer(head: head, version: version, start: 0, end: total)
    }
    guard start < total else {
      head.status = 416
      head.contentRange = hidesLength || random.oneIn(4) ? nil : "bytes */\(total)"
      return SimulatedAnswer(head: head, version: version, start: 0, end: 0)
    }
    var from = start
    if isFaulty, random.oneIn(10) { from = max(0, start - Int64.random(in: 1...100_000, using: &random)) }
    if isFaulty, random.oneIn(20) { from = min(total - 1, start + 1) }
    var end = min(ask.end ?? total, total)
    if isFaulty, random.oneIn(10) { end = Int64.random(in: (from + 1)...total, using: &random) }
    end = max(end, from + 1)
    head.status = isFaulty && random.oneIn(15) ? 200 : 206
    head.contentRange = "bytes \(from)-\(end - 1)/\(hidesLength ? "*" : String(total))"
    head.contentLength = end - from
    return SimulatedAnswer(head: head, version: version, start: from, end: end)
  }

  private func tag(_ head: inout ResponseHead, _ version: Int) {
    switch tags {
    case .strong: head.entityTag = "\"E\(version)\""
    case .weak: head.entityTag = "W/\"E\(version)\""
    case .none: break
    case .oldDate, .youngDate:
      head.lastModified = "date \(version)"
      head.lastModifiedTime = Int64(version)
      head.date = tags == .oldDate ? 100_000 : Int64(version) + 1
    }
  }

  private func refusal(_ random: inout SeededRandom) -> SimulatedAnswer {
    var head = ResponseHead(status: [408, 429, 500, 502, 503, 504].randomElement(using: &random) ?? 503)
    if random.oneIn(2) { head.retryAfterSeconds = Double.random(in: 0...5, using: &random) }
    // Its page must never become part of the file.
    return SimulatedAnswer(head: head, version: byteCounts.count - 1, start: 0, end: 222)
  }
}

/// A file's bytes as versions, in the page cache and on the platter.
struct SimulatedDisk {
  private var cached: [(range: ByteRange, version: Int)] = []
  private var synced: [(range: ByteRange, version: Int)] = []

  mutating func write(_ range: ByteRange, version: Int) {
    var kept: [(range: ByteRange, version: Int)] = []
    for piece in cached {
      for left in RangeSet(piece.range).minus(range).ranges { kept.append((left, piece.version)) }
    }
    kept.append((range, version))
    kept.sort { $0.range < $1.range }
    // Neighbours of one version are one piece, or long lives would grow without end.
    cached = kept.reduce(into: []) { pieces, piece in
      if let last = pieces.last, last.version == piece.version, last.range.end == piece.range.start {
        pieces[pieces.count - 1].range = ByteRange(last.range.start, piece.range.end)
      } else {
        pieces.append(piece)
      }
    }
  }

  mutating func sync() { synced = cached }
  mutating func loseUnsynced() { cached = synced }

  func holds(_ range: ByteRange, of version: Int) -> Bool {
    RangeSet(cached.filter { $0.version == version }.map(\.range)).contains(range)
  }

  /// The one version that all bytes of the range are of.
  func version(of range: ByteRange) -> (single: Int?, isMixed: Bool) {
    guard !range.isEmpty else { return (nil, false) }
    for version in Set(cached.map(\.version)) where holds(range, of: version) { return (version, false) }
    return (nil, true)
  }
}

extension RangeSet {
  fileprivate func minus(_ range: ByteRange) -> RangeSet {
    var result = self
    result.subtract(range)
    return result
  }
}
