import Core

/// A gateway as a script: the floor or our extensions, a limit for messages, faults, and what it made of what it read.
///
/// A part's bytes are the version of the source that they were read from.
struct SimulatedGateway {
  enum Message {
    case hello
    case media(MediaFrame, ByteRange, version: Int)
    case status(id: String)
    case ping([UInt8])
  }

  enum Reply {
    case ready(ReadyFrame)
    case pong([UInt8])
    case status(MediaStatusFrame)
    case done(MediaDoneFrame)
    case close(UInt16, String)
    case reset
  }

  private struct Piece { var range: ByteRange, version: Int }
  private struct Holding { var parts: Int, pieces: [Int: Piece] }

  let resumes: Bool
  private let offersPartByteCount: Int?
  private let limit: Int?
  private let resetsOverLimit: Bool
  private let forgetsParts: Bool
  private let answersLastPingOnly: Bool
  private let isSilent: Bool
  private var held: [String: Holding] = [:]

  /// The digests of the files that it made, in order.
  private(set) var files: [String] = []
  /// Numbers of parts that it read, by the number of parts there were.
  private(set) var read: [Int: Set<Int>] = [:]
  /// Why it cannot be; nil when all is well.
  private(set) var fault: String?

  init(_ random: inout SeededRandom) {
    resumes = random.oneIn(2)
    offersPartByteCount = random.oneIn(3) ? random.pick([60_000, 1 << 20, 4 << 20]) : nil
    limit = random.oneIn(3) ? random.pick([60 << 10, 300 << 10, 1 << 20, 3 << 20]) : nil
    resetsOverLimit = random.oneIn(2)
    forgetsParts = random.oneIn(2)
    answersLastPingOnly = random.oneIn(2)
    isSilent = random.oneIn(8)
  }

  mutating func receive(_ message: Message, _ replies: inout [Reply]) {
    switch message {
    case .hello:
      let offer = MediaExtension(partByteCount: offersPartByteCount, maxByteCount: nil, resumes: true)
      replies.append(.ready(ReadyFrame(media: resumes ? offer : nil)))
    case .ping(let payload):
      if answersLastPingOnly { replies.removeAll { if case .pong = $0 { true } else { false } } }
      replies.append(.pong(payload))
    case .status(let id):
      if !resumes { fault = "a gateway of the floor is asked for a status" }
      // Now and then nobody answers at all.
      if isSilent { return }
      if let digest = files.first { return replies.append(done(id, digest)) }
      let holding = held[id]
      let numbers = RangeSet((holding?.pieces.keys.sorted() ?? []).map { ByteRange(Int64($0), Int64($0) + 1) })
      replies.append(.status(MediaStatusFrame(id: id, parts: holding?.parts ?? 0, held: numbers)))
    case .media(let frame, let range, let version): take(frame, range, version, &replies)
    }
  }

  /// What was bound to the connection goes with it.
  mutating func connectionLost(_ random: inout SeededRandom) {
    if !resumes, forgetsParts { held = [:] }
    if resumes, random.oneIn(30) { held = [:] }
  }

  private mutating func take(_ frame: MediaFrame, _ range: ByteRange, _ version: Int, _ replies: inout [Reply]) {
    if !(0..<frame.parts).contains(frame.part) || frame.parts > MediaFrame.maxParts {
      fault = "part \(frame.part) of \(frame.parts)"
    }
    if (frame.part > 0 && frame.part < frame.parts - 1) != (frame.caption == nil) { fault = "a caption in the middle" }
    if frame.part < frame.parts - 1, range.byteCount % 3 != 0 { fault = "padding within the file" }
    let text = frame.shell.messageByteCount(carrying: Int(range.byteCount))
    if let limit, text > limit {
      return replies.append(resetsOverLimit ? .reset : .close(1009, "over \(limit)"))
    }
    read[frame.parts, default: []].insert(frame.part)
    if held[frame.id]?.parts != frame.parts { held[frame.id] = Holding(parts: frame.parts, pieces: [:]) }
    held[frame.id]?.pieces[frame.part] = Piece(range: range, version: version)
    guard let holding = held[frame.id], holding.pieces.count == holding.parts else { return }
    held[frame.id] = nil
    let digest = digest(holding)
    if !resumes || files.first != digest { files.append(digest) }
    if resumes, !isSilent { replies.append(done(frame.id, digest)) }
  }

  private func done(_ id: String, _ digest: String) -> Reply {
    let byteCount = digest.split(separator: ":").last.flatMap { Int64($0) } ?? -1
    return .done(MediaDoneFrame(id: id, byteCount: byteCount, sha256: digest))
  }

  private func digest(_ holding: Holding) -> String {
    var end: Int64 = 0
    var versions: Set<Int> = []
    for part in 0..<holding.parts {
      guard let piece = holding.pieces[part], piece.range.start == end else { return "torn:\(end)" }
      end = piece.range.end
      versions.insert(piece.version)
    }
    return versions.count == 1 ? Self.digest(versions.first ?? 0, end) : "mixed:\(end)"
  }

  /// What stands for the SHA-256 of a version of the source.
  static func digest(_ version: Int, _ byteCount: Int64) -> String { "v\(version):\(byteCount)" }
}
