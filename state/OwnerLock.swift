internal import Posix

/// The file of one process, locked as long as the descriptor is open.
private struct LockFile: ~Copyable, Sendable {
  let token: OwnerToken
  let path: String
  let descriptor: Descriptor
}

/// Says to other processes that this one lives: a file `owners/PID-RANDOM`, locked for as long as the object is.
///
/// The kernel lets go of a flock when its process ends, in whatever way (flock(2)); so the lock decides who lives, and
/// it doesn't matter that a pid is given to another process later, or that the file of a killed process stays.
public final class OwnerLock: Sendable {
  private let file: LockFile

  public var token: OwnerToken { file.token }

  /// Makes the lock of this process, and removes the files of processes that are gone.
  public init(folder: String) throws(StateError) {
    let owners = StateFolder(path: folder).ownersPath
    try StateFolder.makeFolder(owners)
    file = try Self.locked(in: owners)
    try Self.removeStale(in: owners)
  }

  deinit { StateFolder.removeUseless(file.path) }

  /// Whether the process lives that made this token. The file of one that doesn't is removed.
  public static func isAlive(_ token: OwnerToken, folder: String) throws(StateError) -> Bool {
    try isLocked("\(StateFolder(path: folder).ownersPath)/\(token.text)")
  }

  /// A new file, locked. Between its creation and the lock another process may take it for a stale one and look into it
  /// or remove it: then it is given up for one of another name.
  private static func locked(in owners: String) throws(StateError) -> LockFile {
    while true {
      let token = OwnerToken(processID: Process.id, number: UInt64.random(in: 0...UInt64.max))
      let path = "\(owners)/\(token.text)"
      do throws(Errno) {
        let descriptor = try Files.createExclusively(path)
        if try descriptor.lock(.exclusive), try descriptor.status().linkCount > 0 {
          return LockFile(token: token, path: path, descriptor: descriptor)
        }
        StateFolder.removeUseless(path)
      } catch {
        throw StateError(writing: path, error)
      }
    }
  }

  private static func removeStale(in owners: String) throws(StateError) {
    let names: [String]
    do { names = try Files.names(in: owners) } catch { throw .unreadable(path: owners, error) }
    for name in names where OwnerToken(name) != nil { _ = try isLocked("\(owners)/\(name)") }
  }

  /// Looks with a shared lock: two processes that look at the same time don't take each other for the owner.
  private static func isLocked(_ path: String) throws(StateError) -> Bool {
    do throws(Errno) {
      let descriptor = try Files.openToRead(path)
      guard try descriptor.lock(.shared) else { return true }
      try Files.unlink(path)
      return false
    } catch .notFound {
      return false
    } catch {
      throw .unreadable(path: path, error)
    }
  }
}
