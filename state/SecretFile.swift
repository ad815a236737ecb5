public import Core
internal import Posix

/// The secrets of one transfer, such as a password or the query of its URL: bytes in `secrets/ID`, mode 0600 in a folder
/// of mode 0700. They never stand in the database, which people copy and attach to reports.
public enum SecretFile {
  /// More than this is not a secret of ours.
  static let maxByteCount = 1 << 20

  /// Writes the secrets of a transfer in place of older ones; when this returns they survive a power cut.
  public static func write(_ bytes: [UInt8], folder: String, id: TransferID) throws(StateError) {
    try write(bytes, folder: folder, name: id.text)
  }

  /// The secrets of a transfer; nil when there are none.
  public static func read(folder: String, id: TransferID) throws(StateError) -> [UInt8]? {
    try read(folder: folder, name: id.text)
  }

  static func write(_ bytes: [UInt8], folder: String, name: String) throws(StateError) {
    let secrets = StateFolder(path: folder).secretsPath
    try StateFolder.makeFolder(secrets)
    let path = "\(secrets)/\(name)"
    do { try Files.writeAtomically(bytes, to: path) } catch { throw StateError(writing: path, error) }
  }

  static func read(folder: String, name: String) throws(StateError) -> [UInt8]? {
    let path = "\(StateFolder(path: folder).secretsPath)/\(name)"
    do throws(Errno) {
      return try Files.readAll(path, maxByteCount: maxByteCount)
    } catch .notFound {
      return nil
    } catch {
      throw .unreadable(path: path, error)
    }
  }

  /// Removes the secrets of a transfer, if there are any, and what a crash in `write` may have left of them.
  public static func remove(folder: String, id: TransferID) throws(StateError) {
    let secrets = StateFolder(path: folder).secretsPath
    let names: [String]
    do throws(Errno) { names = try Files.names(in: secrets) } catch .notFound { return } catch {
      throw .unreadable(path: secrets, error)
    }
    for name in names where name.contains(id.text) { try StateFolder.remove("\(secrets)/\(name)") }
  }
}
