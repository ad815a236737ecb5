import Core
import HermesTransfer
import Posix

/// The profiles of the configuration, as commands use them.
@MainActor
struct ProfileReader {
  let configuration: Configuration
  let surroundings: Surroundings

  init(_ context: CommandContext) {
    configuration = context.configuration
    surroundings = context.surroundings
  }

  /// The folder that the configuration, the tokens and the device's ID are in.
  var folder: String { Paths.folder(configuration.path) }

  func entry(_ profile: ConfiguredProfile) throws(TransferFailure) -> ProfileEntry {
    try ProfileEntry(profile, folder: folder, surroundings: surroundings)
  }

  /// The token of a profile, nil when it has none; what is no token, or may be read by others, is an error.
  func token(of entry: ProfileEntry) throws(TransferFailure) -> Secret? {
    switch entry.tokenSource {
    case .environment:
      let name = ProfileEntry.tokenVariable
      return try surroundings.variable(name).map { text throws(TransferFailure) in
        try TokenFile.token(in: Array(text.utf8), from: name)
      }
    case .file(let path), .stored(let path): return try TokenFile.read(path)
    case .none: return nil
    }
  }

  /// All that a session needs: the profile of a name, or the one that is meant without, with its token and this device's
  /// identity, which is made the first time.
  func session(_ name: String?) throws(TransferFailure) -> SessionProfile {
    let entry = try entry(configuration.profile(name))
    var profile = SessionProfile(
      name: entry.name, url: entry.url, token: try token(of: entry),
      device: try DeviceFile.identity(inFolder: folder))
    profile.authorization = entry.authorization
    profile.mediaFolder = entry.mediaFolder
    profile.allowsPlaintext = entry.allowsPlaintext
    return profile
  }
}
