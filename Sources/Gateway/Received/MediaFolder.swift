import Core
import Crypto
import Posix

/// The folder that received media go into: hidden while they come, under a name that was free when they are complete.
final class MediaFolder: Sendable {
  private let path: String
  private let root: Descriptor

  init(_ path: String) throws(Errno) {
    self.path = path
    root = try Files.openFolder(path)
  }

  /// The ending of hidden files of ours; those of hermes-transfer, which may use the same folder, have another.
  static let partEnding = ".gateway-part"

  /// The name that a medium asks for, made harmless.
  func name(for frame: MediaFrame) -> String {
    let number = sha256Hexadecimal(of: frame.id).prefix(12)
    let ending = MediaNaming.pathExtension(ofType: frame.mime) ?? "bin"
    return SafeFileName(frame.fileName ?? "", fallback: "\(frame.kind.rawValue)-\(number).\(ending)").text
  }

  /// A hidden name that nobody has.
  static func newPartName() -> String {
    var random = SecureRandom()
    return ".\(Hexadecimal.text(of: random.bytes(count: 12)))\(partEnding)"
  }

  /// Makes a part file, locked for as long as it is open.
  func createPart(_ name: String) throws(Errno) -> PartFile {
    try PartFile(locking: Files.createExclusively(name, in: root))
  }

  func remove(_ name: String) throws(Errno) { try Files.unlink(name, in: root, ifThere: true) }

  func replace(_ old: String, by new: String) throws(Errno) { try Files.rename(new, to: old, in: root) }

  /// Gives a part file its name, or a variant of it when that is taken, and makes that last.
  /// - Returns: the name it has.
  func finish(_ part: String, as name: String) throws(Errno) -> String {
    var number = 0
    while true {
      let wanted = number == 0 ? name : SafeFileName.variant(of: name, number)
      do throws(Errno) {
        try Files.renameNoReplace(part, to: wanted, in: root)
        try root.sync()
        return wanted
      } catch .exists {
        number += 1
        guard number <= Self.variantLimit else { throw .exists }
      }
    }
  }

  /// Removes part files that a killed gateway has left. Those of one that runs are locked.
  func removeStale() throws(Errno) {
    for name in try Files.names(in: path) where name.hasPrefix(".") && name.contains(Self.partEnding) {
      removeIfStale(name)
    }
  }

  /// A file that isn't ours to open, lock or remove is left alone.
  private func removeIfStale(_ name: String) {
    do throws(Errno) {
      guard try Files.openExisting(name, in: root, writing: true).lock(.exclusive) else { return }
      try Files.unlink(name, in: root, ifThere: true)
    } catch { return }
  }

  private static let variantLimit = 10_000
}

/// An open part file.
struct PartFile: ~Copyable {
  let descriptor: Descriptor

  /// The lock tells other gateways that it is in use; a file system without locks has only the name for it.
  init(locking descriptor: consuming Descriptor) throws(Errno) {
    do throws(Errno) { _ = try descriptor.lock(.exclusive) } catch {
      guard error == .notSupported || error == .notImplemented || error == .invalid else { throw error }
    }
    self.descriptor = descriptor
  }
}
