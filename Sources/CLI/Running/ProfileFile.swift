import Core
import Posix

/// The configuration's file as `profile add` and `profile remove` change it: whole or not at all, by one process at a
/// time, and nothing in it but the one section.
struct ProfileFile {
  let path: String

  /// Puts changed text in place of the file's, with mode 0600; where the file is a link, in place of what it leads to.
  func edit(
    _ surroundings: Surroundings, _ change: (String) throws(TransferFailure) -> String
  ) throws(TransferFailure) {
    let place = try place()
    let lock = try lockedFolder(of: place)
    let text = try change(try surroundings.text(ofFile: place) ?? "")
    do throws(Errno) { try Files.writeAtomically(Array(text.utf8), to: place) } catch { throw failure(error) }
    do throws(Errno) { try lock.close() } catch { throw failure(error) }
  }

  private func place() throws(TransferFailure) -> String {
    do throws(Errno) {
      try Files.makeFolders(Paths.folder(path), mode: 0o700)
      return try Files.withoutLinks(path)
    } catch {
      throw failure(error)
    }
  }

  /// The folder, not the file: that is another one after each change.
  private func lockedFolder(of place: String) throws(TransferFailure) -> Descriptor {
    do throws(Errno) {
      let folder = try Files.openFolder(Paths.folder(place))
      if try folder.lock(.exclusive) { return folder }
    } catch {
      throw failure(error)
    }
    throw TransferFailure(.inUse, "another process is changing \(path)")
  }

  /// Adds a profile; `keepToken` runs when nothing stands against it, before the file is changed.
  func add(
    _ profile: ConfiguredProfile, _ entries: [(flag: FlagName, value: String?)], _ surroundings: Surroundings,
    keepToken: () throws(TransferFailure) -> Void
  ) throws(TransferFailure) {
    try edit(surroundings) { text throws(TransferFailure) in
      let old = try Configuration(text: text, path: path)
      guard !old.profiles.contains(where: { $0.name == profile.name }) else { throw Self.exists(profile.name) }
      let changed = ProfileText.adding(profile.name, entries, to: text)
      try check(changed, old, old.profiles + [profile])
      try keepToken()
      return changed
    }
  }

  /// The file without a profile.
  func remove(_ name: String, _ surroundings: Surroundings) throws(TransferFailure) {
    try edit(surroundings) { text throws(TransferFailure) in
      let old = try Configuration(text: text, path: path)
      _ = try old.profile(name)
      let changed = ProfileText.removing(name, from: text)
      try check(changed, old, old.profiles.filter { $0.name != name })
      return changed
    }
  }

  static func exists(_ name: String) -> TransferFailure {
    TransferFailure(
      .usage, "there is a profile \(name) already", hint: "hermes-transfer profile remove \(name) takes it away")
  }

  /// What was written must mean what was meant, and all else what it meant before.
  private func check(
    _ text: String, _ old: Configuration, _ profiles: [ConfiguredProfile]
  ) throws(TransferFailure) {
    let new = try Configuration(text: text, path: path)
    guard new.values == old.values, new.profiles == profiles else {
      throw TransferFailure(.usage, "a value of the profile cannot stand in \(path)")
    }
  }

  private func failure(_ error: Errno) -> TransferFailure {
    TransferFailure(error.isDiskFull ? .diskFull : .localFile, "cannot write \(path): \(error)")
  }
}
