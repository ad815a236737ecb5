/// What a server answers to a request with a body.
public struct UploadReply: Sendable {
  public var status: Int
  public var headers: [(String, String)]
  public var text: String

  public init(_ status: Int, _ headers: [(String, String)] = [], text: String = "") {
    self.status = status
    self.headers = headers
    self.text = text
  }
}

/// Decides about a request whose body came, whole or in part; what it says about a part reaches nobody.
public typealias UploadSink = @Sendable (RecordedRequest) -> UploadReply

/// A request as it was let in.
struct Admission: Sendable {
  let record: Int
  var plan: ResponsePlan?
  var faults: [Fault] = []
  var sink: UploadSink?
}

extension FaultServer {
  func took(_ bytes: [UInt8], record: Int) { state.withLock { $0.requests[record].body += bytes } }

  /// The answer to a request of which no more is read.
  func plan(_ admission: Admission, isBodyWhole: Bool) -> ResponsePlan {
    let (request, activeCount) = state.withLock { state in
      state.requests[admission.record].isBodyWhole = isBodyWhole
      return (state.requests[admission.record], state.activeRequestCount)
    }
    guard let sink = admission.sink else { return admission.plan ?? ResponsePlan() }
    let plan = ResponsePlan(request.head, reply: sink(request), faults: admission.faults, activeCount: activeCount)
    state.withLock { $0.requests[admission.record].status = plan.status }
    return plan
  }
}

extension ResponsePlan {
  fileprivate init(_ request: RequestHead, reply: UploadReply, faults: [Fault], activeCount: Int) {
    status = reply.status
    headers = reply.headers.map { (name: $0.0, value: $0.1) }
    body = [.literal(Array(reply.text.utf8))]
    for fault in faults { applyHead(fault, to: request, activeCount: activeCount) }
    for fault in faults { applyLine(fault) }
    if request.method == "HEAD" || status == 204 { hasBody = false }
    if status == 204 { framing = .untilClose }
    if request["connection"]?.lowercased() == "close" || version == "HTTP/1.0" { keepsConnection = false }
  }
}
