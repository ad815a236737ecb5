import CInih
import Core

/// The defaults of flags from an INI file: one `flag = value` a line, a switch alone on its line; and a section
/// `[profile NAME]` for each gateway.
struct Configuration: Hashable, Sendable {
  let path: String
  private(set) var values: [FlagName: [String]] = [:]
  /// In the order of the file.
  private(set) var profiles: [ConfiguredProfile] = []

  /// A file that is not there.
  init(missing path: String) { self.path = path }

  /// Reads the file's text; unknown keys are errors, since a default that is silently ignored may be one for safety.
  init(text: String, path: String) throws(TransferFailure) {
    self.path = path
    guard !text.utf8.contains(0) else { throw TransferFailure(.usage, "cannot read \(path): it is not a text file") }
    var entries: [Entry] = []
    let badLine = unsafe withUnsafeMutablePointer(to: &entries) { entries in
      unsafe hermes_ini_parse(text, collect, entries)
    }
    guard badLine == 0 else {
      throw TransferFailure(.usage, "cannot read \(path): line \(badLine) is not flag = value")
    }
    // inih tells of sections only where something stands in them.
    profiles = ProfileText.names(in: text).map { ConfiguredProfile(name: $0) }
    for entry in entries { try add(entry) }
  }

  private mutating func add(_ entry: Entry) throws(TransferFailure) {
    if entry.section.isEmpty {
      values[try flag(of: entry) { $0.isLasting }, default: []].append(entry.text)
    } else if let name = ProfileText.name(ofSection: entry.section[...]),
      let index = profiles.firstIndex(where: { $0.name == name })
    {
      let flag = try flag(of: entry) { $0.isLasting || $0.isOfProfile }
      profiles[index].values[flag, default: []].append(entry.text)
    } else {
      throw TransferFailure(.usage, "cannot read \(path): unknown section [\(entry.section)]")
    }
  }

  var decidesAnything: Bool { !values.isEmpty || !profiles.isEmpty }

  private func flag(of entry: Entry, _ canStandThere: (Flag) -> Bool) throws(TransferFailure) -> FlagName {
    let isNever = { (flag: Flag) in flag.name == .config || (flag.name == .profile && !entry.section.isEmpty) }
    if let flag = FlagTable.flag(long: entry.key), canStandThere(flag), !isNever(flag) { return flag.name }
    let known = FlagTable.all.filter { canStandThere($0) && !isNever($0) }.map(\.name.rawValue)
    let isSecret = ["token", "password", "secret"].contains(entry.key.lowercased())
    throw TransferFailure(
      .usage, "cannot read \(path): \(entry.key) is not a flag that can stand there",
      hint: isSecret
        ? "secrets have files of their own: token-file = FILE"
        : NearestWord.find(entry.key, in: known).map { "did you mean \($0)?" })
  }

  /// The profile of a name; without one, the only profile there is, or the one called default.
  func profile(_ name: String?) throws(TransferFailure) -> ConfiguredProfile {
    if let name {
      if let profile = profiles.first(where: { $0.name == name }) { return profile }
      let nearest = NearestWord.find(name, in: profiles.map(\.name)).map { "did you mean \($0)?" }
      throw TransferFailure(.usage, "there is no profile \(name)", hint: nearest ?? Self.additionHint)
    }
    if let profile = defaultProfile { return profile }
    guard !profiles.isEmpty else {
      throw TransferFailure(.usage, "there is no profile of a gateway", hint: Self.additionHint)
    }
    throw TransferFailure(
      .usage, "there are \(profiles.count) profiles and none is called default",
      hint: "--profile NAME chooses one: \(profiles.map(\.name).joined(separator: ", "))")
  }

  private static let additionHint = "hermes-transfer profile add NAME --url wss://host:8787/ws makes one"

  /// The one that is meant where none is named.
  var defaultProfile: ConfiguredProfile? {
    profiles.count == 1 ? profiles.first : profiles.first { $0.name == "default" }
  }
}

/// A section of the file: a gateway, and defaults of flags for the commands that use it.
struct ConfiguredProfile: Hashable, Sendable {
  let name: String
  var values: [FlagName: [String]] = [:]
}

/// One line of the file.
private struct Entry {
  let section: String
  let key: String
  let value: String?

  /// A key alone on its line switches on.
  var text: String { value ?? (FlagTable.flag(long: key)?.argument == nil ? "true" : "") }
}

/// libinih's handler; the names are valid for the call only, so they are copied.
private func collect(
  user: UnsafeMutableRawPointer?, section: UnsafePointer<CChar>?, key: UnsafePointer<CChar>?,
  value: UnsafePointer<CChar>?
) -> CInt {
  guard let user = unsafe user, let section = unsafe section, let key = unsafe key else { return 0 }
  let entry = unsafe Entry(
    section: String(cString: section), key: String(cString: key), value: value.map { unsafe String(cString: $0) })
  unsafe user.assumingMemoryBound(to: [Entry].self).pointee.append(entry)
  return 1
}
