import Core
import HermesTransfer

/// One profile of `profile list` and `profile show`; the token by its last four characters.
struct ProfileObject: Encodable {
  private let name: String
  private let isDefault: Bool
  private let entry: ProfileEntry?
  private let token: Secret?
  private let device: String?
  /// Why the profile can't be used.
  let failure: TransferFailure?

  @MainActor
  init(_ profile: ConfiguredProfile, _ reader: ProfileReader) {
    name = profile.name
    isDefault = reader.configuration.defaultProfile == profile
    var (entry, token, device, failure): (ProfileEntry?, Secret?, String?, TransferFailure?)
    do throws(TransferFailure) {
      let read = try reader.entry(profile)
      entry = read
      token = try reader.token(of: read)
      device = try DeviceFile.existingIdentity(inFolder: reader.folder)?.id
    } catch {
      failure = error
    }
    (self.entry, self.token, self.device, self.failure) = (entry, token, device, failure)
  }

  private enum Key: String, CodingKey {
    case name, url, auth, token, device, error
    case mediaFolder = "media_dir"
    case allowsPlaintext = "allow_plaintext"
    case isDefault = "default"
    case tokenSource = "token_source"
    case tokenPath = "token_file"
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(name, forKey: .name)
    try object.encode(isDefault, forKey: .isDefault)
    try object.encode(entry?.url.key, forKey: .url)
    try object.encode(entry?.authorization.rawValue, forKey: .auth)
    try object.encode(entry?.mediaFolder, forKey: .mediaFolder)
    try object.encode(entry?.allowsPlaintext, forKey: .allowsPlaintext)
    try object.encode(token?.shown, forKey: .token)
    try object.encode(entry?.tokenSource.word, forKey: .tokenSource)
    try object.encode(entry?.tokenSource.path, forKey: .tokenPath)
    try object.encode(device, forKey: .device)
    try object.encode(failure.map(ErrorObject.init), forKey: .error)
  }

  /// One line for `doctor`.
  var finding: String {
    guard let entry, failure == nil else { return failure?.message ?? "" }
    return "\(entry.shownURL), \(tokenText)"
  }

  /// `profile show` for people.
  var facts: [String] {
    guard let entry else { return [] }
    let facts: [(String, String?)] = [
      ("name", name), ("url", entry.shownURL), ("auth", entry.authorization.rawValue), ("token", tokenText),
      ("device", device),
      ("media-dir", entry.mediaFolder), ("default", isDefault ? "yes" : "no"),
      ("plaintext", entry.allowsPlaintext ? "allowed to any host" : nil),
    ]
    let shown = facts.compactMap { name, value in value.map { (name, $0) } }
    let width = shown.map(\.0.count).max() ?? 0
    return shown.map { DisplayWidth.pad($0.0, to: width) + "  " + DisplayWidth.printable($0.1) }
  }

  private var tokenText: String {
    guard let entry, let token else { return "no token" }
    switch entry.tokenSource {
    case .environment: return "token \(token.shown) from \(ProfileEntry.tokenVariable)"
    case .file(let path), .stored(let path): return "token \(token.shown) from \(path)"
    case .none: return "no token"
    }
  }

  /// `profile list` for people: the default one has a star.
  static func table(_ objects: [ProfileObject]) -> [String] {
    guard !objects.isEmpty else { return [] }
    let rows =
      [["", "NAME", "URL", "AUTH", "TOKEN"]]
      + objects.map { object in
        [
          object.isDefault ? "*" : "", object.name, object.entry?.shownURL ?? "-",
          object.entry?.authorization.rawValue ?? "-",
          object.failure.map { DisplayWidth.printable("unusable: \($0.message)") } ?? object.token?.shown ?? "none",
        ]
      }
    let widths = (0..<4).map { column in rows.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
    return rows.map { row in
      (0..<4).map { DisplayWidth.pad(row[$0], to: widths[$0]) }.joined(separator: "  ") + "  " + row[4]
    }
  }
}

extension ProfileEntry {
  /// Without its query, which may be a secret, but saying that there is one.
  fileprivate var shownURL: String { url.key + (url.web.query == nil ? "" : "?…") }
}

extension ProfileEntry.TokenSource {
  fileprivate var word: String {
    switch self {
    case .environment: "environment"
    case .file: "file"
    case .stored: "stored"
    case .none: "none"
    }
  }

  fileprivate var path: String? {
    switch self {
    case .file(let path), .stored(let path): path
    case .environment, .none: nil
    }
  }
}
