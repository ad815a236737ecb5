/// A tus 1.0 server in this process, on a `FaultServer`: it keeps what it takes in memory, and breaks the rules it is
/// told to. Faults of the line come by the script of the server, quirks of the protocol from here.
public final class FaultTus: Sendable {
  public enum Quirk: Sendable, Hashable {
    /// Nothing of a body that was cut is kept.
    case dropsCutBodies
    /// So many questions after a cut are answered with the offset before it.
    case lags(Int)
    /// So many requests after a cut are answered with 423.
    case locks(Int)
    /// A cut body counts with its announced length.
    case countsAnnounced
    /// A body is appended whatever offset it is for.
    case ignoresOffsets
    /// An upload is gone as soon as it is complete.
    case vanishesWhenComplete
    /// An upload is gone, 410, once it has so many bytes.
    case expiresAt(Int64)
    /// A longer body of a PATCH is refused with 413.
    case limitsBodies(Int64)
    /// A PATCH is answered without Upload-Offset.
    case hidesOffsets
    /// Every POST names the same upload.
    case reusesUploads
    /// The Location of an upload begins with this, and not with its path.
    case location(String)
    /// 405 for OPTIONS.
    case refusesOptions
  }

  /// An upload as it stands.
  public struct Upload: Sendable {
    public let length: Int64
    public let metadata: String?
    public internal(set) var bytes: [UInt8] = []
    /// What it says it has, where that is not what it has.
    var claimed: Int64?
    var lag = 0
    var lagged: Int64 = 0
    var lock = 0
    public internal(set) var isGone = false

    var offset: Int64 { claimed ?? Int64(bytes.count) }
    public var isComplete: Bool { offset >= length }
  }

  private let quirks: Set<Quirk>
  private let state = Guarded<[Upload]>([])
  /// Where uploads are made.
  public let path: String

  /// Serves `path` for creation, and what is below it for uploads, with faults at the requests for those.
  public init(on server: FaultServer, path: String = "/files", _ quirks: Quirk..., script: [Scripted] = []) {
    self.quirks = Set(quirks)
    self.path = path
    server.take(path) { [self] in create($0) }
    server.take("\(path)/*", script) { [self] in answer($0) }
  }

  /// Every upload that was made, in order; gone ones too.
  public var uploads: [Upload] { state.withLock { $0 } }

  private func create(_ request: RecordedRequest) -> UploadReply {
    switch request.method {
    case "OPTIONS":
      if quirks.contains(.refusesOptions) { return UploadReply(405) }
      return reply(204, [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,termination")])
    case "POST":
      guard let length = request["upload-length"].flatMap({ Int64($0) }) else { return reply(400) }
      return reply(201, [("Location", location(made(length, request["upload-metadata"])))])
    default: return reply(405)
    }
  }

  private func made(_ length: Int64, _ metadata: String?) -> Int {
    state.withLock { uploads in
      if quirks.contains(.reusesUploads), !uploads.isEmpty { return 1 }
      uploads.append(Upload(length: length, metadata: metadata))
      return uploads.count
    }
  }

  private func location(_ number: Int) -> String {
    for case .location(let prefix) in quirks { return "\(prefix)/\(number)" }
    return "\(path)/\(number)"
  }

  private func answer(_ request: RecordedRequest) -> UploadReply {
    state.withLock { uploads in
      let number = Int(request.path.dropFirst(path.count + 1)) ?? 0
      guard uploads.indices.contains(number - 1) else { return reply(404) }
      if uploads[number - 1].isGone { return reply(410) }
      if uploads[number - 1].lock > 0 {
        uploads[number - 1].lock -= 1
        return reply(423)
      }
      switch request.method {
      case "HEAD": return head(&uploads[number - 1])
      case "PATCH": return patch(&uploads[number - 1], request)
      case "DELETE":
        uploads[number - 1].isGone = true
        return reply(204)
      default: return reply(405)
      }
    }
  }

  private func head(_ upload: inout Upload) -> UploadReply {
    var offset = upload.offset
    if upload.lag > 0 {
      upload.lag -= 1
      offset = upload.lagged
    }
    return reply(
      200, [("Upload-Offset", "\(offset)"), ("Upload-Length", "\(upload.length)"), ("Cache-Control", "no-store")])
  }

  private func patch(_ upload: inout Upload, _ request: RecordedRequest) -> UploadReply {
    guard request["content-type"] == "application/offset+octet-stream" else { return reply(415) }
    let announced = request["content-length"].flatMap { Int64($0) }
    for case .limitsBodies(let most) in quirks where announced ?? Int64(request.body.count) > most { return reply(413) }
    guard quirks.contains(.ignoresOffsets) || request["upload-offset"] == "\(upload.offset)" else {
      return reply(409)
    }
    let before = upload.offset
    if request.isBodyWhole || !quirks.contains(.dropsCutBodies) { upload.bytes += request.body }
    if !request.isBodyWhole { cut(&upload, before, announced) }
    for case .expiresAt(let count) in quirks where upload.offset >= count { upload.isGone = true }
    if quirks.contains(.vanishesWhenComplete), upload.isComplete { upload.isGone = true }
    return reply(204, quirks.contains(.hidesOffsets) ? [] : [("Upload-Offset", "\(upload.offset)")])
  }

  private func cut(_ upload: inout Upload, _ before: Int64, _ announced: Int64?) {
    for quirk in quirks {
      switch quirk {
      case .lags(let count): (upload.lag, upload.lagged) = (count, before)
      case .locks(let count): upload.lock = count
      case .countsAnnounced: upload.claimed = announced.map { before + $0 }
      default: break
      }
    }
  }

  private func reply(_ status: Int, _ headers: [(String, String)] = []) -> UploadReply {
    UploadReply(status, [("Tus-Resumable", "1.0.0")] + headers)
  }
}
