import Posix

/// What the gateway answers, whatever carries the requests.
final class GatewayService: Sendable {
  let bytesPerSecond: Int64?
  private let media: MediaTree
  private let token: BearerToken?
  private let digests: DigestCache?
  private let log: AccessLog?
  private let files: Guarded<FileServer>

  init(_ options: GatewayOptions) throws(GatewayError) {
    do { media = try MediaTree(options.mediaFolder) } catch {
      throw .mediaFolder(options.mediaFolder, cause: error.description)
    }
    token = try options.tokenFile.map(BearerToken.init(file:))
    files = Guarded(FileServer(faults: FaultPlan(options.faults)))
    bytesPerSecond = options.bytesPerSecond
    digests = options.sendsDigest ? DigestCache() : nil
    log = options.isQuiet ? nil : AccessLog()
  }

  /// The answer to a request, with the open file that its body comes from.
  func answer(to head: RequestHead) -> GatewayAnswer {
    if let token, !token.admits(head.value("authorization")) { return GatewayAnswer(.unauthorized) }
    switch Route(head.path) {
    case .welcome where head.isRead: return GatewayAnswer(.line(200, "hermes-gateway: files are under /media/"))
    case .welcome: return GatewayAnswer(.methodNotAllowed)
    case .malformed: return GatewayAnswer(.line(400, "not a path"))
    case .unknown: return GatewayAnswer(.line(404, "nothing here"))
    case .media(let names): return mediaAnswer(to: head, names)
    }
  }

  /// Called when the last byte of an answer is out, or never will be.
  func completed(_ exchange: Exchange, isWhole: Bool) {
    log?.write(exchange, isWhole: isWhole)
  }

  private func mediaAnswer(to head: RequestHead, _ names: [String]) -> GatewayAnswer {
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
