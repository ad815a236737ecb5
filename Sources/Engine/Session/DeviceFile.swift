public import Core
import Crypto
import Posix

/// Who this machine is to gateways: an ID that is made once and kept in a file of mode 0600. Gateways bind tokens to it.
public enum DeviceFile {
  /// The identity that stands in `device` in a folder; made, with the folder, when there is none yet.
  public static func identity(inFolder folder: String) throws(TransferFailure) -> DeviceIdentity {
    let path = Paths.join(folder, "device")
    let text: String
    do throws(Errno) { text = try readOrMake(path) } catch {
      throw TransferFailure(
        error.isDiskFull ? .diskFull : .localFile, "cannot keep the ID of this device in \(path): \(error)")
    }
    return try identity(text, path)
  }

  /// The identity that stands there, nil when none does; nothing is made.
  public static func existingIdentity(inFolder folder: String) throws(TransferFailure) -> DeviceIdentity? {
    let path = Paths.join(folder, "device")
    let text: String?
    do throws(Errno) { text = try read(path) } catch {
      throw TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
    return try text.map { text throws(TransferFailure) in try identity(text, path) }
  }

  private static func readOrMake(_ path: String) throws(Errno) -> String {
    if let kept = try read(path) { return kept }
    try Files.makeFolders(Paths.folder(path), mode: 0o700)
    var random = SecureRandom()
    try create(path, random.uuid())
    // Another process may have been faster: what stands there counts.
    guard let made = try read(path) else { throw .notFound }
    return made
  }

  private static func read(_ path: String) throws(Errno) -> String? {
    do throws(Errno) {
      return String(decoding: try Files.readAll(path, maxByteCount: 256), as: UTF8.self)
    } catch .notFound {
      return nil
    }
  }

  private static func identity(_ text: String, _ path: String) throws(TransferFailure) -> DeviceIdentity {
    let id = text.prefix { $0 != "\n" }
    let isID = (8...64).contains(id.utf8.count) && id.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    guard isID else {
      throw TransferFailure(
        .localFile, "there is no ID of a device in \(path)",
        hint: "without the file a new one is made, and a token that is bound to the old one is refused")
    }
    return DeviceIdentity(
      id: String(id), name: Process.hostName, platform: "linux", appVersion: HermesTransferVersion.text)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  /// Whole or not at all, and never in place of one that is there: of two first starts one wins.
  private static func create(_ path: String, _ id: String) throws(Errno) {
    let folder = try Files.openFolder(Paths.folder(path))
    let temporary = ".device.\(id)"
    do throws(Errno) {
      let file = try Files.createExclusively(temporary, in: folder)
      try file.writeAll(Array("\(id)\n".utf8), at: 0)
      try file.sync()
      try Files.renameNoReplace(temporary, to: Paths.lastName(path), in: folder)
      try folder.sync()
    } catch {
      try Files.unlink(temporary, in: folder, ifThere: true)
      guard error == .exists else { throw error }
    }
  }
}
