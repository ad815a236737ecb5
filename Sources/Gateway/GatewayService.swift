import Posix
import WebSocket

/// What the gateway answers, whatever carries the requests.
final class GatewayService: Sendable {
  let bytesPerSecond: Int64?
  private let media: MediaTree
  private let tokens: TokenBook
  private let hall: SessionHall
  private let digests: DigestCache?
  private let log: AccessLog?
  private let files: Guarded<FileServer>

  init(_ options: GatewayOptions) throws(GatewayError) {
    tokens = try TokenBook(options)
    do {
      media = try MediaTree(options.mediaFolder)
      hall = try SessionHall(options, tokens: tokens, tree: media)
    } catch {
      throw .mediaFolder(options.mediaFolder, cause: error.description)
    }
    files = Guarded(FileServer(faults: FaultPlan(options.faults)))
    bytesPerSecond = options.bytesPerSecond
    digests = options.sendsDigest ? DigestCache() : nil
    log = options.isQuiet ? nil : AccessLog()
  }

  /// The answer to a request, with the open file that its body comes from.
  func answer(to head: RequestHead) -> GatewayAnswer {
    let route = Route(head.path)
    if route == .session { return GatewayAnswer(sessionAnswer(to: head)) }
    guard tokens.admits(head) else { return GatewayAnswer(.unauthorized) }
    switch route {
    case .welcome where head.isRead:
      return GatewayAnswer(.line(200, "hermes-gateway: sessions are at /ws, files under /media/"))
    case .welcome: return GatewayAnswer(.methodNotAllowed)
    case .malformed: return GatewayAnswer(.line(400, "not a path"))
    case .unknown, .session: return GatewayAnswer(.line(404, "nothing here"))
    case .media(let names): return mediaAnswer(to: head, names)
    }
  }

  /// Takes a connection over whose request was answered with a session.
  func open(_ connection: UpgradedConnection, _ admission: Admission) { hall.open(connection, admission) }

  /// Ends all sessions and their threads.
  func stop() { hall.stop() }

  /// Whether the connection becomes a session (RFC 6455 §4.2).
  private func sessionAnswer(to head: RequestHead) -> ResponsePlan {
    guard hall.hasRoom else {
      return .line(503, "there are as many sessions as there may be", [HeaderField("Retry-After", "5")])
    }
    if let refusal = hall.faults.withLock({ $0.nextRefusal() }) { return refusal }
    let shown = head.shownTokens
    let isRefused = !tokens.isOpen && !shown.allSatisfy(tokens.knows)
    if isRefused, let status = hall.faults.withLock({ $0.tokenStatus }) {
      return .line(status, "the token is not right")
    }
    switch ServerHandshake.answer(method: head.method, field: head.value) {
    case .refuse(let status, let fields, let message): return .line(status, message, Self.ownFields(fields))
    case .accept(let fields, _):
      let admission = Admission(shownTokens: shown, isRefused: isRefused)
      return ResponsePlan(status: 101, fields: Self.ownFields(fields), body: .session(admission))
    }
  }

  /// Connection is the library's to write.
  private static func ownFields(_ fields: [(String, String)]) -> [HeaderField] {
    fields.filter { $0.0 != "Connection" }.map { HeaderField($0.0, $0.1) }
  }

  /// Called when the last byte of an answer is out, or never will be.
  func completed(_ exchange: Exchange, isWhole: Bool) {
    log?.write(exchange, isWhole: isWhole)
  }

  private func mediaAnswer(to head: RequestHead, _ names: [String]) -> GatewayAnswer {
    if let link = head.queryItem("link"), !hall.permits(link: link) {
      return GatewayAnswer(.line(403, "this link has expired"))
    }
    do {
      let file = try media.open(names)
      let entity: FileEntity? =
        switch file {
        case .some(let file): file.entity
        case .none: nil
        }
      var plan = files.withLock { $0.plan(head, for: entity, now: Int64(Clocks.wallClock())) }
      plan.fields += try digestFields(of: file, for: plan)
      return GatewayAnswer(plan, file)
    } catch {
      return GatewayAnswer(.line(500, "cannot read the file: \(error)"))
    }
  }

  private func digestFields(of file: borrowing OpenFile?, for plan: ResponsePlan) throws(Errno) -> [HeaderField] {
    guard let digests, case .file = plan.body else { return [] }
    switch file {
    case .some(let file): return [try digests.field(of: file, isAltered: plan.delivery.isAltered)]
    case .none: return []
    }
  }
}

/// A plan and the open file that its body comes from.
struct GatewayAnswer: ~Copyable {
  let plan: ResponsePlan
  var file: OpenFile?

  init(_ plan: ResponsePlan, _ file: consuming OpenFile? = nil) {
    self.plan = plan
    self.file = file
  }
}
