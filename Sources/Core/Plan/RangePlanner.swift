/// Who fetches what: every connection (a lane, by number) owns a territory of the file and asks for it in bounded
/// pieces, so that a territory can shrink without losing the connection.
///
/// An idle lane takes free bytes first, then the far half of the territory with the longest *time* to go: a static
/// split under loss can be slower than one stream (measured).
public struct RangePlanner: Sendable {
  struct Territory: Sendable {
    /// The next byte to come.
    var position: Int64
    /// Exclusive; `unbounded` while the length is unknown.
    var end: Int64
    /// The exclusive end of what the running request asked for.
    var askedEnd: Int64
    var bytesPerSecond: Double = 0
    var remaining: Int64 { end - position }
  }

  public static let unbounded = Int64.max
  /// No lane takes less than this from another.
  public var smallestShare: Int64 = 64 << 10
  /// What a running request asked for is taken only from a lane that needs longer than this: taking it costs the
  /// victim's connection and what is on its way there.
  public var cutSeconds = 1.0
  /// Whether one lane is all there will be; then it asks for everything at once.
  public var isAlone = true
  /// A request asks for about this many seconds of its lane's rate.
  static let askSeconds = 8.0
  /// And for no less than this, before anything was measured too: between two requests a line stands idle for a round
  /// trip, so that far away they are larger.
  public var smallestAsk: Int64 = nearAsk
  static let nearAsk: Int64 = 1 << 20
  static let farAsk: Int64 = 8 << 20
  static let largestAsk: Int64 = 64 << 20

  /// What a first lane is taken for: a large file is shared before anything was measured, a small one is not.
  static let guessedBytesPerSecond = 8e6

  private var territories: [Territory?]
  private(set) var free: [ByteRange] = []

  public init(laneCount: Int) { territories = Array(repeating: nil, count: laneCount) }

  /// Forgets all lanes; `gaps` wait to be fetched.
  public mutating func reset(gaps: [ByteRange]) {
    territories = Array(repeating: nil, count: territories.count)
    free = gaps
  }

  /// One lane more, numbered on.
  public mutating func addLane() { territories.append(nil) }

  public var activeCount: Int { territories.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }
  public func isActive(_ lane: Int) -> Bool { territories[lane] != nil }
  public var idleLane: Int? { territories.firstIndex { $0 == nil } }
  public func position(of lane: Int) -> Int64 { territories[lane]?.position ?? 0 }
  public func end(of lane: Int) -> Int64 { territories[lane]?.end ?? 0 }
  /// Whether every byte was handed out and came.
  public var isDone: Bool { free.isEmpty && territories.allSatisfy { $0.map { $0.remaining <= 0 } ?? true } }
  public var remaining: Int64 {
    territories.reduce(free.reduce(0) { $0 + $1.byteCount }) { $0 + max($1?.remaining ?? 0, 0) }
  }

  /// The lane fetches everything from `start` on, in one open-ended request.
  public mutating func openAll(_ lane: Int, from start: Int64, to end: Int64?) {
    territories[lane] = Territory(position: start, end: end ?? Self.unbounded, askedEnd: end ?? Self.unbounded)
  }

  /// The length became known, or the body turned out to end earlier than asked.
  public mutating func bound(_ lane: Int, end: Int64) {
    guard var territory = territories[lane] else { return }
    territory.end = min(territory.end, end)
    territory.askedEnd = min(territory.askedEnd, end)
    territories[lane] = territory
  }

  /// Moves the lane to where its answer really starts.
  public mutating func advance(_ lane: Int, to position: Int64) {
    territories[lane]?.position = position
  }

  public mutating func measured(_ lane: Int, bytesPerSecond: Double) {
    territories[lane]?.bytesPerSecond = bytesPerSecond
  }

  /// The lane is gone; what it had not fetched is free again.
  public mutating func drop(_ lane: Int) {
    guard let territory = territories[lane] else { return }
    territories[lane] = nil
    guard territory.remaining > 0, territory.end != Self.unbounded else { return }
    free.append(ByteRange(territory.position, territory.end))
    free.sort()
  }

  /// The next request of a lane: from its own territory, from what is free, or taken from the slowest to finish.
  /// Nil when there is nothing worth a request; the lane is idle then.
  public mutating func nextAsk(_ lane: Int) -> ByteRange? {
    if let own = territories[lane], own.remaining > 0 { return ask(lane) }
    let rate = territories[lane]?.bytesPerSecond ?? 0
    territories[lane] = nil
    guard let range = takeFree() ?? steal(for: lane, bytesPerSecond: rate) else { return nil }
    territories[lane] = Territory(
      position: range.start, end: range.end, askedEnd: range.start, bytesPerSecond: rate)
    return ask(lane)
  }

  private mutating func ask(_ lane: Int) -> ByteRange? {
    guard var territory = territories[lane] else { return nil }
    let wanted = Int64(territory.bytesPerSecond * Self.askSeconds)
    let size = min(max(wanted, smallestAsk), Self.largestAsk)
    // A rest that is hardly worth another round trip goes along; alone, nobody wants a share.
    let rest = isAlone ? 0 : territory.remaining
    let end = rest <= size + size / 2 ? territory.end : territory.position + size
    territory.askedEnd = end
    territories[lane] = territory
    return ByteRange(territory.position, end)
  }

  private mutating func takeFree() -> ByteRange? {
    guard !free.isEmpty else { return nil }
    let first = free.removeFirst()
    let idle = max(territories.count - activeCount, 1)
    // Several lanes may come for one large gap: leave them their halves to steal, but not a tiny first piece.
    guard idle > 1, first.byteCount > 2 * Self.largestAsk else { return first }
    let middle = first.start + first.byteCount / 2
    free.insert(ByteRange(middle, first.end), at: 0)
    return ByteRange(first.start, middle)
  }

  private mutating func steal(for lane: Int, bytesPerSecond: Double) -> ByteRange? {
    let known = territories.compactMap { $0?.bytesPerSecond }.filter { $0 > 0 }
    let usual = known.isEmpty ? Self.guessedBytesPerSecond : known.reduce(0, +) / Double(known.count)
    // A lane that was not measured yet is taken for a usual one, a slow one for no slower than a sixteenth of that.
    let rate = { (territory: Territory) in
      territory.bytesPerSecond > 0 ? max(territory.bytesPerSecond, usual / 16, 1) : usual
    }
    var victim: (lane: Int, seconds: Double)?
    for (number, territory) in territories.enumerated() {
      guard let territory, number != lane, territory.end != Self.unbounded else { continue }
      guard territory.remaining >= 2 * smallestShare else { continue }
      let seconds = Double(territory.remaining) / rate(territory)
      if seconds > victim?.seconds ?? 0 { victim = (number, seconds) }
    }
    guard let victim, var territory = territories[victim.lane] else { return nil }
    let own = bytesPerSecond > 0 ? bytesPerSecond : usual
    let share = own / (own + rate(territory))
    let taken = min(max(Int64(Double(territory.remaining) * share), smallestShare), territory.remaining - smallestShare)
    var middle = territory.end - taken
    // Bytes already asked for are taken only when what is not asked for is too little to share.
    if middle < territory.askedEnd, territory.end - territory.askedEnd >= max(taken / 2, smallestShare) {
      middle = territory.askedEnd
    }
    guard middle >= territory.askedEnd || victim.seconds > cutSeconds else { return nil }
    let range = ByteRange(middle, territory.end)
    territory.end = middle
    territory.askedEnd = min(territory.askedEnd, middle)
    territories[victim.lane] = territory
    return range
  }
}
