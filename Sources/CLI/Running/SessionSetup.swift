import Core
import HermesTransfer
import State

/// What every command that talks to a gateway begins with.
@MainActor
struct SessionSetup {
  let context: CommandContext
  let profile: SessionProfile

  init(_ context: CommandContext) throws(TransferFailure) {
    self.context = context
    profile = try context.sessionProfile()
  }

  /// Where files go that come: what was said, else what the profile says, else a folder of ours. Every session takes
  /// them: the gateway holds what we have read for delivered.
  var mediaFolder: String {
    get throws(TransferFailure) {
      if let folder = context.settings.text(.mediaDir) ?? profile.mediaFolder {
        return context.surroundings.absolute(folder)
      }
      return try context.surroundings.folder(variable: "XDG_DATA_HOME", below: ".local/share")
        + "/hermes-transfer/media"
    }
  }

  func session(_ engine: TransferEngine, resumesDownloads: Bool = false) throws(TransferFailure) -> HermesSession {
    var options = SessionOptions()
    options.network = try RequestTemplate.network(context, .none)
    options.downloads = try RequestTemplate.limits(context.settings)
    options.mediaFolder = try mediaFolder
    options.resumesDownloads = resumesDownloads
    return try HermesSession(profile: profile, engine: engine, options: options)
  }

  /// Says what comes while something else is done.
  func tellAll(_ session: HermesSession) async {
    while let events = await session.nextEvents() { for event in events { tell(event) } }
  }

  func tell(_ event: SessionEvent) {
    switch SessionLine(event, gateway: profile.url.key, now: context.surroundings.now().wall) {
    case .result(let text): context.console.note(text)
    case .note(let text), .detail(let text): context.console.detail(text)
    case .nothing: break
    }
  }

  /// Whether a living process has the session.
  var isHeld: Bool {
    get throws(TransferFailure) {
      let folder = try context.stateFolder
      do throws(StateError) {
        return try SessionLock.isHeld(folder: folder, session: profile.key)
      } catch {
        throw error.failure
      }
    }
  }

  /// Whether another process has the session, which then sends what is left to it.
  static func isElsewhere(_ failure: TransferFailure) -> Bool { failure.code == .inUse }
}
