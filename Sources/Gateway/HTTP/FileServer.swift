import Core

/// Answers requests for files: request and file in, plan out (RFC 9110 §13–15).
struct FileServer: Sendable {
  /// What goes wrong on purpose; it counts the answers, so every plan goes through one server.
  var faults: FaultPlan

  /// The answer to a request for a media path.
  /// - Parameters:
  ///   - file: nil when there is no such file.
  ///   - now: seconds since 1970.
  mutating func plan(_ head: RequestHead, for file: FileEntity?, now: Int64) -> ResponsePlan {
    guard head.isRead else { return .methodNotAllowed }
    if let refusal = faults.nextRefusal() { return refusal }
    guard let file else { return .line(404, "no such file") }
    let answer = FileAnswer(head: head, file: file, distortion: faults.distortion, now: now)
    var plan = answer.plan
    if head.isGET, case .file(let range) = plan.body {
      faults.spoil(&plan.delivery, ofBodyWith: range.byteCount)
    }
    return plan
  }
}

extension ResponsePlan {
  /// Files are only read.
  static var methodNotAllowed: ResponsePlan {
    .line(405, "only GET and HEAD are served here", [HeaderField("Allow", "GET, HEAD")])
  }
}

/// One answer about one file that is there.
private struct FileAnswer {
  let head: RequestHead
  let file: FileEntity
  let distortion: Distortion
  let now: Int64

  var plan: ResponsePlan {
    let validators = self.validators
    switch validators.verdict(on: head, now: now) {
    case .failed: return .line(412, "the file is not what the request expects", fields(of: validators))
    case .notModified:
      return ResponsePlan(
        status: 304, fields: fields(of: validators), body: .nothing(insteadOfByteCount: file.byteCount))
    case .holds: break
    }
    switch range(allowedBy: validators) {
    case .whole: return representation(200, ByteRange(0, file.byteCount), validators)
    case .part(let range): return representation(206, shifted(range), validators)
    case .unsatisfiable: return unsatisfiable
    }
  }

  private var validators: FileValidators {
    guard !distortion.hidesValidators else { return FileValidators() }
    let quoted = "\"\(file.tagText)\(distortion.isAltered ? "-altered" : "")\""
    // A date ahead of the message's own would be no use to a cache (RFC 9110 §8.8.2.1).
    let modified = HTTPDate(secondsSince1970: min(file.modifiedSeconds, now))
    return FileValidators(tag: distortion.weakensTag ? "W/" + quoted : quoted, modified: modified)
  }

  private func fields(of validators: FileValidators) -> [HeaderField] {
    [
      validators.tag.map { HeaderField("ETag", $0) },
      validators.modified.map { HeaderField("Last-Modified", $0.text) },
    ].compactMap(\.self)
  }

  /// Range is defined for GET only (RFC 9110 §14.2).
  private func range(allowedBy validators: FileValidators) -> RangeRequest {
    guard head.isGET, !distortion.ignoresRange, validators.allowsRange(head, now: now) else { return .whole }
    return RangeRequest(head.value("range"), of: file.byteCount)
  }

  private func shifted(_ range: ByteRange) -> ByteRange {
    ByteRange(min(max(0, range.start - distortion.shift), range.end - 1), range.end)
  }

  private func representation(_ status: Int, _ range: ByteRange, _ validators: FileValidators) -> ResponsePlan {
    var fields = [
      HeaderField("Content-Type", MediaNaming.contentType(file.name)),
      HeaderField("Content-Disposition", MediaNaming.contentDisposition(file.name)),
    ]
    if !distortion.ignoresRange { fields.append(HeaderField("Accept-Ranges", "bytes")) }
    if status == 206 { fields.append(HeaderField("Content-Range", "bytes \(range)/\(file.byteCount)")) }
    if let coding = distortion.contentCoding { fields.append(HeaderField("Content-Encoding", coding)) }
    let delivery = Delivery(statesLength: !distortion.hidesLength, isAltered: distortion.isAltered)
    return ResponsePlan(
      status: status, fields: fields + self.fields(of: validators), body: .file(range), delivery: delivery)
  }

  private var unsatisfiable: ResponsePlan {
    .line(416, "the file has \(file.byteCount) bytes", [HeaderField("Content-Range", "bytes */\(file.byteCount)")])
  }
}
