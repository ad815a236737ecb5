/// The exit statuses of the command line; the same numbers stand in `error.exit` and in the manual.
public enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case other = 1
  case usage = 2
  case connection = 3
  case timeout = 4
  case refused = 5
  case notThere = 6
  case http = 7
  case content = 8
  case localFile = 9
  case diskFull = 10
  case tls = 11
  case protocolViolation = 12
  case exhausted = 13
  case inUse = 14
  case uncertain = 15
  case state = 16
  case interrupted = 130
  case terminated = 143
}

extension ExitStatus: Comparable {
  public static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.rawValue < other.rawValue }
}

/// The closed list of what can end a transfer. Raw values are the `code` of JSON and of the database.
public enum FailureCode: String, Sendable, CaseIterable {
  case usage
  case noSuchHost = "no-such-host"
  case connectionFailed = "connection-failed"
  case timedOut = "timed-out"
  case stalled
  case unauthorized, forbidden
  case notFound = "not-found"
  case httpStatus = "http-status"
  case tooManyRedirects = "too-many-redirects"
  case redirectRefused = "redirect-refused"
  case checksumMismatch = "checksum-mismatch"
  case lengthMismatch = "length-mismatch"
  case contentChanged = "content-changed"
  case sourceChanged = "source-changed"
  case unexpectedContent = "unexpected-content"
  case localFile = "local-file"
  case fileExists = "file-exists"
  case diskFull = "disk-full"
  case tls
  case protocolViolation = "protocol-violation"
  case deadlineExceeded = "deadline-exceeded"
  case attemptsExhausted = "attempts-exhausted"
  case inUse = "in-use"
  case uncertain
  case stateUnreadable = "state-unreadable"
  case stateTooNew = "state-too-new"
  case interrupted, cancelled
  case internalError = "internal-error"

  public var exitStatus: ExitStatus {
    switch self {
    case .usage: .usage
    case .noSuchHost, .connectionFailed: .connection
    case .timedOut, .stalled: .timeout
    case .unauthorized, .forbidden: .refused
    case .notFound: .notThere
    case .httpStatus, .tooManyRedirects, .redirectRefused: .http
    case .checksumMismatch, .lengthMismatch, .contentChanged, .sourceChanged, .unexpectedContent: .content
    case .localFile, .fileExists: .localFile
    case .diskFull: .diskFull
    case .tls: .tls
    case .protocolViolation: .protocolViolation
    case .deadlineExceeded, .attemptsExhausted: .exhausted
    case .inUse: .inUse
    case .uncertain: .uncertain
    case .stateUnreadable, .stateTooNew: .state
    case .interrupted: .interrupted
    case .cancelled, .internalError: .other
    }
  }
}

/// Why a transfer, or a command, did not succeed: one line for people, a code for scripts.
public struct TransferFailure: Error, Hashable, Sendable {
  public let code: FailureCode
  /// Lower case, with the numbers, without a full stop and without secrets: `server sent bytes 100-199, asked for 0-99`.
  public let message: String
  /// What the reader can do about it, where something can be done.
  public let hint: String?

  public init(_ code: FailureCode, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  public var exitStatus: ExitStatus { code.exitStatus }
}
