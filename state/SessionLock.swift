public import Core
internal import Crypto
internal import Posix

/// Says that this process has the session of one device at one gateway: a file `sessions/DIGEST`, locked for as long as
/// the object is. A gateway answers who is connected under a device's ID, so two processes with one ID would take the
/// connection from each other for ever.
///
/// The kernel lets go of a flock when its process ends (flock(2)). The file stays, with the pid of who had it last: to
/// remove it while another process opens it would give two of them a lock each.
public final class SessionLock: Sendable {
  private let descriptor: Descriptor

  /// Why the session could not be had.
  public enum Refusal: Error, Hashable, Sendable {
    /// Another has it; its pid, where it could be read.
    case held(SessionKey, by: Int32?)
    case state(StateError)

    /// The same for a user.
    public var failure: TransferFailure {
      switch self {
      case .state(let error): error.failure
      case .held(let session, let pid):
        TransferFailure(
          .inUse,
          "the session of device \(session.device) at \(session.gateway) is held by "
            + (pid.map { $0 == Process.id ? "this process" : "process \($0)" } ?? "another process"))
      }
    }
  }

  /// Takes the session; it is let go with the object.
  public init(folder: String, session: SessionKey) throws(Refusal) {
    let path = Self.path(folder, session)
    do throws(StateError) { try StateFolder.makeFolder(Paths.folder(path)) } catch { throw .state(error) }
    let isTaken: Bool
    do throws(Errno) {
      descriptor = try Self.open(path)
      isTaken = try descriptor.lock(.exclusive)
      if isTaken {
        try descriptor.truncate(byteCount: 0)
        try descriptor.writeAll(Array("\(Process.id)\n".utf8), at: 0)
      }
    } catch {
      throw .state(StateError(writing: path, error))
    }
    guard isTaken else { throw .held(session, by: Self.pid(in: path)) }
  }

  /// Whether a living process has the session.
  public static func isHeld(folder: String, session: SessionKey) throws(StateError) -> Bool {
    let path = path(folder, session)
    do throws(Errno) {
      guard try Files.statusIfThere(path) != nil else { return false }
      return try !Files.openExisting(path).lock(.shared)
    } catch {
      throw StateError(writing: path, error)
    }
  }

  /// Half a digest is a name long enough that no two sessions share it.
  private static func path(_ folder: String, _ session: SessionKey) -> String {
    let digest = sha256Hexadecimal(of: "\(session.gateway)\n\(session.device)")
    return "\(StateFolder(path: folder).sessionsPath)/\(digest.prefix(32))"
  }

  private static func open(_ path: String) throws(Errno) -> Descriptor {
    do throws(Errno) { return try Files.createExclusively(path) } catch .exists {
      return try Files.openExisting(path, writing: true)
    }
  }

  private static func pid(in path: String) -> Int32? {
    do throws(Errno) {
      let bytes = try Files.readAll(path, maxByteCount: 32)
      return Int32(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
    } catch {
      return nil
    }
  }
}
