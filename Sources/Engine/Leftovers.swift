public import Core
import Posix
public import State

/// What a transfer leaves beside its row: the partial, the journal, the secrets.
public enum Leftovers {
  /// Removes them all; what is gone already is no error. A cancelled transfer keeps its secrets, to be tried again.
  /// - Parameter formerPartName: an earlier partial that the record does not name any more.
  public static func remove(
    of record: TransferRecord, stateFolder: String, keepsSecrets: Bool = false, formerPartName: String? = nil
  ) throws(TransferFailure) {
    do throws(StateError) {
      try WriteJournal.remove(folder: stateFolder, id: record.id)
      if record.hasSecrets, !keepsSecrets { try SecretFile.remove(folder: stateFolder, id: record.id) }
    } catch {
      throw error.failure
    }
    for name in Set([record.partName, formerPartName].compactMap { $0 }) { try removePart(name, of: record) }
  }

  private static func removePart(_ name: String, of record: TransferRecord) throws(TransferFailure) {
    do throws(Errno) {
      try Files.unlink(name, in: Files.openFolder(record.folder), ifThere: true)
    } catch {
      // A folder that is gone took the partial with it.
      guard error == .notFound || error == .notFolder else {
        throw TransferFailure(.localFile, "cannot remove \(Paths.join(record.folder, name)): \(error)")
      }
    }
  }
}
