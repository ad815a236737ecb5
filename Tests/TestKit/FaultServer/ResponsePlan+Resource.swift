extension ResponsePlan {
  /// The answer of an honest server, bent by the faults.
  init(_ request: RequestHead, resource: Resource, faults: [Fault], activeCount: Int) {
    var resource = resource
    for fault in faults { resource.apply(fault) }
    set("Date", HTTPDate.text(secondsFromNow: 0))
    describe(resource)
    select(from: resource, for: request, faults: faults)
    for fault in faults { applyHead(fault, to: request, activeCount: activeCount) }
    for fault in faults { applyLine(fault) }
    if request.method == "HEAD" || status == 304 { hasBody = false }
    if status == 304 { framing = .untilClose }
    if framing == .untilClose && status != 304 || version == "HTTP/1.0" || extraByteCount != 0 {
      keepsConnection = false
    }
    if request["connection"]?.lowercased() == "close" { keepsConnection = false }
  }

  private mutating func describe(_ resource: Resource) {
    set("Content-Type", resource.mediaType)
    set("Accept-Ranges", "bytes")
    set("ETag", resource.tag)
    set("Last-Modified", resource.age.map { HTTPDate.text(at: resource.born - $0) })
  }

  /// Preconditions first, then the range: RFC 9110 §13.2.2.
  private mutating func select(from resource: Resource, for request: RequestHead, faults: [Fault]) {
    let total = resource.content.byteCount
    if let wanted = request["if-match"], wanted != "*", wanted != resource.tag {
      return replace(status: 412, text: "another version\n")
    }
    if let known = request["if-none-match"], known == resource.tag {
      status = 304
      return
    }
    body = [.content(resource.content, 0..<total)]
    guard let asked = request.range, honours(request["if-range"], of: resource, faults) else { return }
    guard !faults.contains(where: { $0.ignoresRanges }) else { return }
    guard let part = asked.part(ofTotal: total) else {
      replace(status: 416, text: Self.notSatisfiablePage, mediaType: "text/html")
      return set("Content-Range", "bytes */\(total)")
    }
    answer(part, of: resource, faults)
  }

  private func honours(_ ifRange: String?, of resource: Resource, _ faults: [Fault]) -> Bool {
    guard let ifRange else { return true }
    if faults.contains(where: { if case .ignoreIfRange = $0 { true } else { false } }) { return true }
    if ifRange == resource.tag, !ifRange.hasPrefix("W/") { return true }
    return resource.age != nil && headers.contains { $0.name == "Last-Modified" && $0.value == ifRange }
  }

  private mutating func answer(_ asked: Range<Int64>, of resource: Resource, _ faults: [Fault]) {
    var part = asked
    var total = resource.content.byteCount
    for fault in faults {
      if case .shiftRange(let count) = fault {
        let first = min(max(0, part.lowerBound + count), resource.content.byteCount - 1)
        part = first..<max(part.upperBound, first + 1)
      }
      if case .otherTotal(let other) = fault { total = other }
    }
    status = 206
    body = [.content(resource.content, part)]
    set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(total)")
    for fault in faults { applyRange(fault) }
  }

  private mutating func applyRange(_ fault: Fault) {
    switch fault {
    case .rangeWithStatus200: status = 200
    case .noContentRange: set("Content-Range", nil)
    case .multipart: wrapAsMultipart()
    default: break
    }
  }

  private mutating func wrapAsMultipart() {
    let range = headers.first { $0.name == "Content-Range" }?.value ?? ""
    set("Content-Range", nil)
    set("Content-Type", "multipart/byteranges; boundary=seam")
    let opening = "--seam\r\nContent-Type: application/octet-stream\r\nContent-Range: \(range)\r\n\r\n"
    body = [.literal(Array(opening.utf8))] + body + [.literal(Array("\r\n--seam--\r\n".utf8))]
  }

  /// As long as the page that once ended up in a user's file.
  static let notSatisfiablePage = "<html>" + String(repeating: "416 ", count: 52) + "</html>\n"
}

extension Fault {
  fileprivate var ignoresRanges: Bool {
    switch self {
    case .ignoreRange, .http10: true
    default: false
    }
  }
}

extension Resource {
  fileprivate mutating func apply(_ fault: Fault) {
    switch fault {
    case .changed(let other): self = other
    case .newTag(let text): tag = text
    case .weakTag: tag = tag.map { "W/\($0)" }
    case .lastModified(let seconds): age = seconds
    case .noValidator:
      tag = nil
      age = nil
    default: break
    }
  }
}
