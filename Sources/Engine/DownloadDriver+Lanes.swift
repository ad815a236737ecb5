import Core
import Curl
import Posix

/// The driver's connections: opening them, what they bring, how they end.
extension DownloadDriver {
  func open(_ lane: Int, _ ask: DownloadMachine.Ask) {
    while lane >= lanes.count { lanes.append(nil) }
    if let old = lanes[lane] { detach(old, flushing: true) }
    backToRunning()
    // Extra lanes go where the redirects of the first one led; a first lane asks at the beginning again.
    let source = sources[ask.source]
    let url = machine.activeLanes > 1 && ask.source == 0 ? finalURL ?? source : source
    let connection = LaneConnection(
      lane: lane, transfer: core.takeTransfer(), driver: self, ask: ask, url: url, now: core.now)
    lanes[lane] = connection
    send(connection)
  }

  private func send(_ connection: LaneConnection) {
    connection.head = nil
    connection.redirect = nil
    connection.lastByteAt = core.now
    connection.transfer.prepare(curlRequest(connection))
    core.loop.start(connection.transfer, owner: connection)
  }

  private func curlRequest(_ connection: LaneConnection) -> CurlRequest {
    let ask = connection.ask
    // Credentials and the user's own headers belong to the origin they were given for.
    let isTrusted = connection.url.origin == sources[0].origin
    var headers = ["Accept-Encoding: identity"]
    if let ifRange = ask.ifRange { headers.append("If-Range: \(ifRange)") }
    if let unless = ask.unless {
      if let tag = unless.entityTag {
        headers.append("If-None-Match: \(tag)")
      } else if let date = unless.lastModified {
        headers.append("If-Modified-Since: \(date)")
      }
    }
    if isTrusted { headers += request.network.headers }
    return CurlRequest(
      url: connection.url.text, headerLines: headers, range: ask.rangeText,
      options: core.curlOptions(for: self, trusted: isTrusted, url: connection.url))
  }

  /// Lets go of a connection: nothing more comes from it.
  func detach(_ connection: LaneConnection, flushing: Bool) {
    guard lanes[connection.lane] === connection else { return }
    if flushing { _ = flush(connection) }
    endRun(of: connection)
    lanes[connection.lane] = nil
    core.retire(connection)
  }

  // MARK: Callbacks; libcurl must not be called from here

  func headReceived(_ head: ResponseHead, on connection: LaneConnection) -> BodyVerdict {
    guard lanes[connection.lane] === connection, !isEnded else { return .stop }
    if head.isRedirect { return follow(head, connection) }
    let roundTrip = connection.transfer.roundTripSeconds
    let (verdict, actions) = machine.headReceived(connection.lane, head, roundTripSeconds: roundTrip, now: core.now)
    if verdict != .drop {
      if connection.ask.source == 0 { finalURL = connection.url }
      suggestedName = suggestedName ?? head.contentDisposition.flatMap { ContentDisposition.fileName(in: $0) }
      answer = head
    }
    // The name, the disk and the record come before the first byte; the rest waits until libcurl is done.
    var postponed: [DownloadMachine.Action] = []
    for action in actions {
      switch action {
      case .learned, .restart: perform([action])
      default: postponed.append(action)
      }
    }
    // A part's answer need not repeat what the whole's promised.
    if verdict != .drop { promisedDigest = Checksum(promisedBy: head) ?? promisedDigest }
    postpone(postponed)
    if isEnded { return .stop }
    switch verdict {
    case .take: return .proceed
    case .hold:
      connection.isHeld = true
      return .proceed
    case .drop:
      leave(connection)
      return .stop
    }
  }

  private func follow(_ head: ResponseHead, _ connection: LaneConnection) -> BodyVerdict {
    let rule = RedirectRule.apply(
      from: connection.url, status: head.status, location: head.location ?? "", hops: connection.hops,
      allowsDowngrade: request.network.allowsDowngrade, reach: request.reach)
    switch rule {
    case .follow(let url, _): connection.redirect = url
    case .refuse(let failure):
      leave(connection)
      postpone(machine.laneEnded(connection.lane, .fault(.permanent(failure)), now: core.now))
    }
    return .stop
  }

  /// Forgets a connection from inside its own callback; what it gathered is written.
  private func leave(_ connection: LaneConnection) {
    _ = flush(connection)
    endRun(of: connection)
    if lanes[connection.lane] === connection { lanes[connection.lane] = nil }
    core.retireLater(connection)
  }

  func bodyReceived(_ bytes: UnsafeRawBufferPointer, on connection: LaneConnection) -> BodyVerdict {
    guard lanes[connection.lane] === connection, !isEnded else { return .stop }
    // The body of a redirect or a refusal is never the file.
    guard connection.redirect == nil else { return .stop }
    let verdict = machine.bodyReceived(connection.lane, byteCount: bytes.count)
    if verdict.compare > 0 {
      let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[verdict.skip..<verdict.skip + verdict.compare])
      guard unsafe isHeld(piece, at: verdict.offset) else {
        leave(connection)
        postpone(machine.comparisonFailed(connection.lane))
        return .stop
      }
    }
    if verdict.keep > 0 {
      let start = verdict.skip + verdict.compare
      let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + verdict.keep])
      guard unsafe keep(piece, at: verdict.offset + Int64(verdict.compare), on: connection) else { return .stop }
    }
    return verdict.stops ? .stop : .proceed
  }

  private func isHeld(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    guard let part else { return false }
    do throws(Errno) { return try unsafe part.matches(bytes, at: offset) } catch { return false }
  }

  // MARK: From the loop's turn

  func transferEnded(_ result: CurlResult, on connection: LaneConnection) {
    guard lanes[connection.lane] === connection, !isEnded else { return core.giveBack(connection) }
    if let target = connection.redirect {
      connection.url = target
      connection.hops += 1
      return send(connection)
    }
    if !isSmall, !flush(connection) { return core.giveBack(connection) }
    core.note(attempt: result, of: self, head: connection.head)
    let end: DownloadMachine.LaneEnd
    if let error = result.error, !result.wasStopped {
      end = .fault(error.transferFault(host: connection.url.host))
    } else {
      end = .complete
    }
    // A small file stays in its buffer until it is finished.
    if !isSmall || end != .complete { _ = flush(connection) } else { smallBuffer = connection.takeBuffer() }
    endRun(of: connection)
    lanes[connection.lane] = nil
    core.giveBack(connection)
    perform(machine.laneEnded(connection.lane, end, now: core.now))
  }
}
