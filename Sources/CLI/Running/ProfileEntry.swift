import Core
import HermesTransfer
import Posix

/// A profile whose section was read and checked; its token stands elsewhere.
struct ProfileEntry: Hashable, Sendable {
  /// Where the token comes from.
  enum TokenSource: Hashable, Sendable {
    case environment
    /// A file that the user keeps.
    case file(String)
    /// The file that `profile add` made.
    case stored(String)
    case none
  }

  static let tokenVariable = "HERMES_TRANSFER_TOKEN"

  let name: String
  let url: GatewayURL
  let authorization: SessionProfile.Authorization
  let mediaFolder: String?
  let allowsPlaintext: Bool
  let tokenSource: TokenSource

  /// Checks what a section says.
  /// - Parameter folder: of the configuration: relative paths start there, and tokens are kept below it.
  @MainActor
  init(
    _ profile: ConfiguredProfile, folder: String, surroundings: Surroundings
  ) throws(TransferFailure) {
    let values = try Self.checked(profile)
    name = profile.name
    guard let url = values.text(.url) else {
      throw TransferFailure(.usage, "profile \(profile.name) has no url")
    }
    allowsPlaintext = values.isOn(.allowPlaintext)
    self.url = try Self.gateway(url, of: "profile \(profile.name)", allowsPlaintext: allowsPlaintext)
    authorization = values.text(.auth).flatMap(SessionProfile.Authorization.init) ?? .queryAndHello
    let path = { (text: String) in surroundings.absolute(surroundings.expanded(text), from: folder) }
    mediaFolder = values.text(.mediaDir).map(path)
    let stored = Self.storedTokenPath(profile.name, folder: folder)
    if surroundings.variable(Self.tokenVariable) != nil {
      tokenSource = .environment
    } else if let file = values.text(.tokenFile) {
      tokenSource = .file(path(file))
    } else {
      tokenSource = Files.isThere(stored) ? .stored(stored) : .none
    }
  }

  static func storedTokenPath(_ name: String, folder: String) -> String { "\(folder)/tokens/\(name)" }

  /// The section's values by the same checks that flags have.
  private static func checked(_ profile: ConfiguredProfile) throws(TransferFailure) -> Settings {
    let own = profile.values.filter { FlagTable.byName[$0.key]?.isOfProfile ?? false }
    return try Settings(
      typed: LowArguments(), command: .profile, environment: { _ in nil },
      profile: ConfiguredProfile(name: profile.name, values: own), configuration: Configuration(missing: ""))
  }

  /// A gateway's URL, without any secret in it. No error shows more of it than its scheme and host.
  static func gateway(
    _ text: String, of subject: String, allowsPlaintext: Bool
  ) throws(TransferFailure) -> GatewayURL {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    if scheme == "http" || scheme == "https" {
      throw TransferFailure(
        .usage, "the URL of \(subject) is \(scheme), a gateway's is ws or wss",
        hint: "\(scheme == "http" ? "ws" : "wss")://, and the rest as it is")
    }
    let url: GatewayURL
    do throws(WebURL.Invalid) { url = try GatewayURL(text) } catch {
      throw TransferFailure(.usage, "the URL of \(subject) is none of a gateway: \(error.gatewayMessage)")
    }
    guard url.web.userInfo == nil, url.web.fragment == nil else {
      throw TransferFailure(
        .usage, "the URL of \(subject) has a user, a password or a fragment, which no gateway knows")
    }
    if let item = url.secretItemName {
      throw TransferFailure(
        .usage, "the URL of \(subject) has a secret in its query, under \(item)",
        hint: "leave it out of the URL: --token-file FILE or --token-stdin takes a token")
    }
    if let refusal = url.plaintextRefusal(isAllowed: allowsPlaintext) { throw refusal }
    return url
  }
}

extension WebURL.Invalid {
  /// As for any URL, but for the schemes.
  fileprivate var gatewayMessage: String {
    switch self {
    case .notURL: "an absolute ws or wss URL is needed"
    case .unsupportedScheme(let name): "the scheme \(name) is not supported, only ws and wss are"
    default: message
    }
  }
}
