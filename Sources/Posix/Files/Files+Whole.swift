/// Small files as a whole.
extension Files {
  /// All bytes of a small file of ours; `.fileTooLarge` when there are more than `maxByteCount`.
  public static func readAll(_ path: String, maxByteCount: Int) throws(Errno) -> [UInt8] {
    try openExisting(path).readAll(maxByteCount: maxByteCount)
  }

  /// Puts a file of mode 0600 in place of the one that was there: whatever crash comes, there is the old content or the
  /// new one, and after this returns the new one.
  public static func writeAtomically(_ bytes: [UInt8], to path: String) throws(Errno) {
    let folder = try openFolder(Paths.folder(path))
    let name = Paths.lastName(path)
    let temporary = ".\(name).\(UInt64.random(in: 0...(.max)))"
    do throws(Errno) {
      try write(bytes, toNew: temporary, in: folder)
      try rename(temporary, to: name, in: folder)
    } catch {
      // The first error is the one to tell; a file that stays has a name that nobody reads.
      do { try unlink(temporary, in: folder, ifThere: true) } catch {}
      throw error
    }
    try folder.sync()
  }

  private static func write(
    _ bytes: [UInt8], toNew name: String, in folder: borrowing Descriptor
  ) throws(Errno) {
    let file = try createExclusively(name, in: folder)
    try file.writeAll(bytes, at: 0)
    try file.sync()
    try file.close()
  }
}
