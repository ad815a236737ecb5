/// Why a connection of a session is over.
public enum SessionEnd: Hashable, Sendable {
  public enum Stage: String, Sendable {
    case connect, upgrade, ready
  }

  /// The user wanted it.
  case asked
  /// The connection could not be made, or broke.
  case lost(TransferFault)
  /// A deadline passed: `timeout-connect`, `timeout-upgrade`, `timeout-ready`.
  case timedOut(Stage, seconds: Double)
  /// The upgrade was answered with another status than 101; `text` is the beginning of what came with it.
  case refused(status: Int, retryAfter: Double?, text: String)
  /// The upgrade was answered with a redirect; the target is shown, never followed.
  case redirected(status: Int, target: String)
  /// A close frame came, or we closed because of what came; 1005 stands for a frame without a code.
  case closed(code: UInt16, reason: String, byPeer: Bool)
  case error(ErrorFrame)
}

/// What follows from an end. One table for statuses and close codes.
public enum SessionVerdict: Hashable, Sendable {
  case reconnect(atLeast: Double?)
  case fail(TransferFailure)

  static let accessCodes: Set<UInt16> = [1008, 4401, 4403]
  static let replacedCode: UInt16 = 4409
  /// The other side, or we, cannot make sense of what is sent.
  static let protocolCodes: Set<UInt16> = [1002, 1003, 1007, 1010]
  public static let tooBigCode: UInt16 = 1009
  static let maxProtocolEnds = 3

  /// - Parameter protocolEnds: how many connections in a row, this one counted, ended by a protocol error.
  public static func judge(_ end: SessionEnd, protocolEnds: Int) -> SessionVerdict {
    switch end {
    case .asked, .timedOut: return .reconnect(atLeast: nil)
    // What nobody foresaw may pass as well.
    case .lost(.permanent(let failure)) where failure.code != .internalError: return .fail(failure)
    case .lost(.busy(_, let retryAfter)): return .reconnect(atLeast: retryAfter)
    case .lost: return .reconnect(atLeast: nil)
    case .refused(let status, let retryAfter, _): return judge(status, retryAfter, end)
    case .redirected, .error: return .fail(end.failure)
    case .closed(let code, _, _):
      let isFatal =
        end.isReplaced || accessCodes.contains(code)
        || (protocolCodes.contains(code) && protocolEnds >= maxProtocolEnds)
      return isFatal ? .fail(end.failure) : .reconnect(atLeast: nil)
    }
  }

  private static func judge(_ status: Int, _ retryAfter: Double?, _ end: SessionEnd) -> SessionVerdict {
    switch status {
    case 401, 403, 404: .fail(end.failure)
    case 429, 503: .reconnect(atLeast: retryAfter)
    default: .reconnect(atLeast: nil)
    }
  }
}

extension SessionEnd {
  /// Whether another connection with our device ID took the place: two would fight for it for ever.
  public var isReplaced: Bool {
    guard case .closed(let code, let reason, _) = self else { return false }
    return code == SessionVerdict.replacedCode || reason.lowercased().contains("replaced")
  }

  var isProtocolError: Bool {
    guard case .closed(let code, _, _) = self else { return false }
    return SessionVerdict.protocolCodes.contains(code)
  }

  /// Why a session waits after it.
  public var waitReason: WaitReason {
    switch self {
    case .refused(status: 429, _, _), .refused(status: 503, _, _), .lost(.busy): .serverBackoff
    default: .network
    }
  }

  /// The end as what a command reports.
  public var failure: TransferFailure {
    switch self {
    case .asked: TransferFailure(.cancelled, "the session was closed")
    case .lost(let fault): fault.failure
    case .timedOut(let stage, let seconds):
      TransferFailure(.timedOut, "timeout-\(stage.rawValue): no \(stage.awaited) within \(Quantity.seconds(seconds))")
    case .refused(let status, _, let text): refusal(status, text)
    case .redirected(let status, let target):
      TransferFailure(
        .redirectRefused, "gateway answered \(status) and points to \(target)",
        hint: "sessions follow no redirect; put the right URL into the profile")
    case .closed(let code, let reason, let byPeer): closing(code, reason, byPeer)
    case .error(let frame):
      TransferFailure(.forbidden, "gateway ended the session: \(Self.joined(frame.code, frame.message))")
    }
  }

  private func refusal(_ status: Int, _ text: String) -> TransferFailure {
    let answer = Self.joined("gateway answered \(status)", text)
    switch status {
    case 401: return TransferFailure(.unauthorized, answer, hint: "is it the right token?")
    case 403: return TransferFailure(.forbidden, answer, hint: "is it the right token for this device?")
    case 404: return TransferFailure(.notFound, answer, hint: "wrong path? a gateway usually listens at /ws")
    default: return TransferFailure(.httpStatus, "\(answer), not with the WebSocket protocol")
    }
  }

  private func closing(_ code: UInt16, _ reason: String, _ byPeer: Bool) -> TransferFailure {
    let text = Self.joined("\(byPeer ? "gateway" : "we") closed the session with \(code)", reason)
    if isReplaced {
      return TransferFailure(.inUse, text, hint: "another client is connected with the same device id")
    }
    switch code {
    case 1008, 4401, 4403: return TransferFailure(.unauthorized, text, hint: "is it the right token for this device?")
    case SessionVerdict.tooBigCode where byPeer:
      return TransferFailure(.protocolViolation, "\(text): a message was over the gateway's limit")
    case SessionVerdict.tooBigCode:
      return TransferFailure(.protocolViolation, "\(text): a message was over our limit")
    case _ where isProtocolError: return TransferFailure(.protocolViolation, text)
    default: return TransferFailure(.connectionFailed, text)
    }
  }

  private static func joined(_ text: String, _ more: String) -> String {
    // From outside, and of any length: one line of it.
    let line = more.prefix { !$0.isNewline }.prefix(200)
    return line.isEmpty ? text : "\(text): \(line)"
  }
}

extension SessionEnd.Stage {
  fileprivate var awaited: String {
    switch self {
    case .connect: "connection"
    case .upgrade: "answer to the upgrade"
    case .ready: "ready"
    }
  }
}
