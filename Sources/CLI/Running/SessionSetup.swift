import Core
import HermesTransfer
import State

/// What every command that talks to a gateway begins with.
@MainActor
struct SessionSetup {
  let context: CommandContext
  let profile: SessionProfile

  /// - Parameter name: the profile where none was asked for.
  init(_ context: CommandContext, profile name: String? = nil) throws(TransferFailure) {
    self.context = context
    profile = try ProfileReader(context).session(context.settings.text(.profile) ?? name)
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
    options.limits = try limits
    return try HermesSession(profile: profile, engine: engine, options: options)
  }

  private var limits: MediaLimits {
    get throws(TransferFailure) {
      let settings = context.settings
      var limits = MediaLimits()
      if let count = settings.byteCount(.maxMessage) {
        guard (64 << 10...1 << 30).contains(count) else {
          throw TransferFailure(.usage, "--max-message cannot be \(count) bytes", hint: "it is 64k to 1G")
        }
        limits.maxMessageByteCount = Int(count)
      }
      limits.maxMediaByteCount = settings.byteCount(.maxMedia) ?? limits.maxMediaByteCount
      limits.maxOpenCount = settings.count(.maxOpenMedia) ?? limits.maxOpenCount
      limits.maxOpenByteCount = settings.byteCount(.maxAssembly) ?? limits.maxOpenByteCount
      return limits
    }
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
