internal import CSQLite
public import Core
public import Posix

/// Why the state could not be read or written.
public enum StateError: Error, Hashable, Sendable {
  /// What stands there was not written by this program, or not like this.
  case corrupt(path: String, detail: String)
  /// Another version of the program, a newer one, has made it.
  case newer(path: String, found: Int, known: Int)
  case diskFull(path: String)
  /// Another process has been writing for longer than `Database.busyMilliseconds`.
  case busy(path: String)
  /// A file or folder of the state cannot be opened or read.
  case unreadable(path: String, Errno)
  /// A file of the state cannot be written or removed.
  case unwritable(path: String, Errno)
  /// Anything else that SQLite refused.
  case database(path: String, DatabaseError)

  init(_ error: DatabaseError, path: String) {
    let errno = Errno(rawValue: error.systemErrno)
    switch error.primaryCode {
    case SQLITE_FULL: self = .diskFull(path: path)
    case SQLITE_IOERR where errno.isDiskFull: self = .diskFull(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(path: path, detail: error.message)
    case SQLITE_BUSY: self = .busy(path: path)
    case SQLITE_CANTOPEN where error.systemErrno != 0: self = .unreadable(path: path, errno)
    default: self = .database(path: path, error)
    }
  }

  /// The failure of a write to a file of the state.
  init(writing path: String, _ errno: Errno) {
    self = errno.isDiskFull ? .diskFull(path: path) : .unwritable(path: path, errno)
  }
}

extension StateError {
  /// The same for a user: a code with its exit status, one line, and what can be done.
  public var failure: TransferFailure {
    switch self {
    case .corrupt(let path, let detail):
      TransferFailure(
        .stateUnreadable, "the state in \(path) is damaged: \(detail)",
        hint: "move it away to start with a new one; files and their partials stay where they are")
    case .newer(let path, let found, let known):
      TransferFailure(
        .stateTooNew, "the state in \(path) has version \(found), this program knows up to \(known)",
        hint: "use the newer hermes-transfer that made it, or another --state-dir")
    case .diskFull(let path):
      TransferFailure(.diskFull, "no space left to write the state in \(path)")
    case .busy(let path):
      TransferFailure(
        .stateUnreadable,
        "the state in \(path) was locked by another process for \(Database.busyMilliseconds / 1_000) s")
    case .unreadable(let path, let errno):
      TransferFailure(.stateUnreadable, "cannot open the state in \(path): \(errno)")
    case .unwritable(let path, let errno):
      TransferFailure(.localFile, "cannot write \(path): \(errno)")
    case .database(let path, let error):
      TransferFailure(
        error.primaryCode == SQLITE_READONLY ? .localFile : .stateUnreadable, "the state in \(path): \(error)")
    }
  }
}
