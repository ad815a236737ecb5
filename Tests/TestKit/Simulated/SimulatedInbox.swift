import Core

/// A whole life of media that come in parts, under one seed: the assembler, a disk with a page cache, a store with
/// synced and unsynced commits, a gateway that shuffles, repeats, omits and changes parts, a clock; cuts, kills and power
/// cuts between any two steps. No port, no sleep.
///
/// A part's bytes are a text that says which version of which media they are of.
public struct SimulatedInbox {
  /// Why the invariants do not hold; nil when they do.
  public private(set) var fault: String?
  /// Media that were saved, were incomplete in the end, and were refused.
  public private(set) var saved = 0
  public private(set) var incomplete = 0
  public private(set) var rejected = 0
  public private(set) var duplicates = 0
  public private(set) var lives = 1
  public private(set) var events = 0
  public private(set) var story: [String] = []
  private let isTold: Bool

  /// What the gateway has to say.
  private struct Source {
    let id: String
    var version = 0
    var parts: Int
    var isOver = false
    /// Never sent: the media cannot become whole.
    var omitted: Int?
  }

  private let deathRarity: Int
  private let cutRarity: Int
  private let isHostile: Bool
  private var random: SeededRandom
  private let limits: MediaLimits
  private var sources: [Source] = []
  /// What the gateway will send on this connection.
  private var onTheWay: [(frame: MediaFrame, version: Int)] = []
  private var rounds = 0
  /// Every whole content that an ID ever had.
  private var contents: [String: Set<String>] = [:]
  private var assembler: MediaAssembler
  private var disk: SimulatedFolder
  private var now = Instant.zero
  private var epoch = 1_000_000.0

  public init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = SeededRandom(seed: seed)
    deathRarity = random.pick([15, 60, 1_000])
    cutRarity = random.pick([10, 40, 400])
    isHostile = random.oneIn(2)
    var limits = MediaLimits()
    limits.maxOpenCount = random.pick([2, 16])
    if random.oneIn(4) { limits.maxMediaByteCount = 300 }
    if random.oneIn(4) { limits.maxOpenByteCount = 500 }
    self.limits = limits
    assembler = MediaAssembler(limits)
    disk = SimulatedFolder(limits)
    for number in 0..<Int.random(in: 1...4, using: &random) {
      var source = Source(id: "m\(number)", parts: Int.random(in: 1...7, using: &random))
      if random.oneIn(5) { source.omitted = Int.random(in: 0..<source.parts, using: &random) }
      sources.append(source)
      remember(source)
    }
  }

  public mutating func run(maxEvents: Int = 3_000) {
    connect()
    while fault == nil, events < maxEvents, rounds < 30 || !onTheWay.isEmpty || !disk.jobs.isEmpty {
      events += 1
      step()
      if fault == nil { fault = disk.fault ?? check() }
    }
    settle()
  }

  // MARK: Events

  private mutating func step() {
    pass(Double.random(in: 0...0.5, using: &random))
    if random.oneIn(deathRarity) { return die(losingPageCache: random.oneIn(2)) }
    if random.oneIn(cutRarity) {
      tell("cut")
      return connect()
    }
    if random.oneIn(150) {
      pass(limits.idleSeconds + 1)
      return perform(assembler.timerFired(now: now))
    }
    if !disk.jobs.isEmpty, onTheWay.isEmpty || random.oneIn(2) { return work() }
    guard !onTheWay.isEmpty else { return connect() }
    let (frame, version) = onTheWay.removeFirst()
    let text = Self.bytes(frame, version)
    tell("part \(frame.part) of \(frame.parts) of \(frame.id), version \(version)")
    perform(assembler.partReceived(frame, byteCount: Int64(text.utf8.count), tag: text, now: now))
  }

  /// A new connection: the gateway sends again what it does not know to have arrived.
  private mutating func connect() {
    rounds += 1
    assembler.connected()
    onTheWay = []
    for index in sources.indices {
      if isHostile, random.oneIn(6) {
        sources[index].version += 1
        if random.oneIn(3) { sources[index].parts = Int.random(in: 1...7, using: &random) }
        remember(sources[index])
      }
      guard !sources[index].isOver || random.oneIn(4) else { continue }
      let source = sources[index]
      var parts = Array(0..<source.parts).filter { $0 != source.omitted }
      if random.oneIn(2) { parts.shuffle(using: &random) }
      if random.oneIn(3), let again = parts.randomElement(using: &random) { parts.append(again) }
      var sent = parts.map { (frame: frame(source, $0), version: source.version) }
      if isHostile, random.oneIn(5), let index = sent.indices.randomElement(using: &random) {
        // One part of another version or of another count among them.
        if random.oneIn(2) { sent[index].version += 100 } else { sent[index].frame.parts += 1 }
      }
      onTheWay += sent
    }
    if random.oneIn(2) { onTheWay.shuffle(using: &random) }
  }

  private func frame(_ source: Source, _ part: Int) -> MediaFrame {
    MediaFrame(id: source.id, kind: .document, mime: "text/plain", part: part, parts: source.parts)
  }

  private static func bytes(_ frame: MediaFrame, _ version: Int) -> String {
    "<\(frame.id) \(version) \(frame.part)/\(frame.parts)\(String(repeating: ".", count: (frame.part * 37 + version) % 60))>"
  }

  private mutating func remember(_ source: Source) {
    contents[source.id, default: []].insert(
      (0..<source.parts).map { Self.bytes(frame(source, $0), source.version) }.joined())
  }

  private mutating func work() {
    guard let done = disk.work(&random, epoch: epoch) else { return }
    tell("  disk: \(done)")
    switch done {
    case .recorded(let number, let part): perform(assembler.partRecorded(number, part: part, now: now))
    case .finished(let number, let finish): perform(assembler.finished(number, finish))
    }
  }

  /// The process is gone; with the power, what was not synced is gone too.
  private mutating func die(losingPageCache: Bool) {
    lives += 1
    tell(losingPageCache ? "power cut" : "kill -9")
    disk.die(losingPageCache: losingPageCache)
    assembler = MediaAssembler(limits)
    for row in disk.rows.sorted(by: { $0.number < $1.number }) {
      let state = MediaAssembler.Saved(head: row.head, parts: row.parts, idleSeconds: epoch - row.updatedAt)
      guard disk.canGoOn(row), let (number, actions) = assembler.restore(state, now: now) else {
        disk.remove(row)
        continue
      }
      disk.adopt(row, as: number)
      perform(actions)
    }
    connect()
  }

  private mutating func pass(_ seconds: Double) {
    now = now + seconds
    epoch += seconds
  }

  private mutating func perform(_ actions: [MediaAssembler.Action]) {
    for action in actions {
      tell("  \(action)")
      guard case .event(let event) = action else {
        disk.jobs.append(action)
        continue
      }
      switch event {
      case .finished(let head, .saved(_, _, let sha256)):
        saved += 1
        finished(head, sha256)
      case .finished(let head, .duplicate(_, _, let sha256)):
        duplicates += 1
        finished(head, sha256)
      case .finished(_, .failed(let failure)): fault = failure.message
      case .rejected: rejected += 1
      case .incomplete(_, let missing):
        incomplete += 1
        if missing.isEmpty { fault = "incomplete, and nothing is missing" }
      case .restarted: break
      }
    }
  }

  /// Announced is only what is there for good, and the gateway hears of it.
  private mutating func finished(_ head: MediaFrame, _ sha256: String) {
    if !disk.hasReceipt(head.id, sha256) { fault = "announced without a durable receipt" }
    for index in sources.indices where sources[index].id == head.id { sources[index].isOver = true }
  }

  // MARK: Truth

  private func check() -> String? {
    if assembler.openCount > limits.maxOpenCount { return "\(assembler.openCount) are open" }
    if assembler.byteCount > limits.maxOpenByteCount { return "\(assembler.byteCount) bytes are held" }
    if assembler.byteCount < 0 || (assembler.openCount == 0 && disk.jobs.isEmpty && assembler.byteCount != 0) {
      return "counts \(assembler.byteCount) bytes"
    }
    return nil
  }

  /// At the end: whole files of what there was, no two alike of one ID, and nothing left of what is not open.
  private mutating func settle() {
    while fault == nil, !disk.jobs.isEmpty { work() }
    fault = fault ?? disk.fault
    guard fault == nil else { return }
    for (id, files) in disk.files {
      let known = contents[id] ?? []
      for text in files where !known.contains(text) && !(isHostile && Self.isWhole(text, id)) {
        fault = "a torn file of \(id): \(text)"
      }
      if Set(files).count < files.count { fault = "two files of \(id) are the same" }
    }
    if fault == nil, disk.rows.count != assembler.openCount {
      fault = "\(disk.rows.count) rows, \(assembler.openCount) open"
    }
    pass(limits.idleSeconds + 1)
    perform(assembler.timerFired(now: now))
    while fault == nil, !disk.jobs.isEmpty { work() }
    if fault == nil, !disk.isEmpty { fault = "something is left of media that are given up" }
  }

  /// A hostile gateway mixes versions under one ID, and nothing in the protocol can tell; but each part is there, once.
  private static func isWhole(_ text: String, _ id: String) -> Bool {
    let parts = text.split(separator: ">").map { $0.dropFirst().prefix { $0 != "." }.split(separator: " ") }
    return parts.enumerated().allSatisfy { index, words in
      words.count == 3 && words[0] == id && words[2] == "\(index)/\(parts.count)"
    }
  }

  private mutating func tell(_ line: @autoclosure () -> String) { if isTold { story.append(line()) } }
}
