internal import Posix

/// Where everything of the state stands. Nothing in it is for other users: folders have mode 0700, files 0600.
struct StateFolder {
  let path: String

  var databasePath: String { "\(path)/state.db" }
  var ownersPath: String { "\(path)/owners" }
  var sessionsPath: String { "\(path)/sessions" }
  var secretsPath: String { "\(path)/secrets" }
  var journalPath: String { "\(path)/journal" }

  /// Makes the folder and an empty database, where they are missing.
  func make() throws(StateError) {
    try Self.makeFolder(path)
    guard try !hasDatabase() else { return }
    do throws(Errno) {
      // SQLite gives its -wal and -shm the mode of the database (sqlite.org/src, findCreateFileMode): made here with
      // 0600, all three are private whatever the umask is.
      _ = try Files.createExclusively(databasePath)
      try Files.syncFolder(path)
    } catch .exists {
      return  // another process was faster
    } catch {
      throw StateError(writing: databasePath, error)
    }
  }

  func hasDatabase() throws(StateError) -> Bool {
    do { return try Files.statusIfThere(databasePath) != nil } catch {
      throw .unreadable(path: databasePath, error)
    }
  }

  /// Makes one of the folders, if it is missing, with those above it.
  static func makeFolder(_ path: String) throws(StateError) {
    do { try Files.makeFolders(path, mode: 0o700) } catch {
      throw error.isDiskFull ? .diskFull(path: path) : .unreadable(path: path, error)
    }
  }

  /// Removes a lock file nobody needs; one that cannot be removed is found stale by the next process.
  static func removeUseless(_ path: String) {
    do { try Files.unlink(path) } catch {}
  }

  /// Removes a file that may be gone already.
  static func remove(_ path: String) throws(StateError) {
    do { try Files.unlink(path, ifThere: true) } catch { throw StateError(writing: path, error) }
  }
}
