import Core
import HermesTransfer
import Posix

/// `profile add|list|show|remove`.
@MainActor
struct ProfileCommand {
  private enum Verb: String, CaseIterable { case add, list, show, remove }

  private let context: CommandContext
  private let reader: ProfileReader

  static func run(_ context: CommandContext) throws(TransferFailure) -> ExitStatus {
    let operands = context.settings.operands
    guard let verb = Verb(rawValue: operands[0]) else {
      throw TransferFailure(.usage, "profile cannot \(operands[0])", hint: "it can add, list, show and remove")
    }
    let command = ProfileCommand(context: context, reader: ProfileReader(context))
    if verb != .add { try command.checkFlags(verb) }
    guard verb != .list else {
      guard operands.count == 1 else { throw TransferFailure(.usage, "profile list takes no name") }
      return try command.list()
    }
    guard operands.count == 2 else {
      throw TransferFailure(
        .usage, "the name of a profile is missing", hint: "hermes-transfer profile \(verb.rawValue) NAME")
    }
    switch verb {
    case .add: try command.add(operands[1])
    case .list: break
    case .show: try command.show(operands[1])
    case .remove: try command.remove(operands[1])
    }
    return .success
  }

  private func checkFlags(_ verb: Verb) throws(TransferFailure) {
    for flag in FlagTable.session where context.settings.isTyped(flag.name) {
      throw TransferFailure(
        .usage, "profile \(verb.rawValue) has no flag \(flag.long)", hint: "it belongs to profile add")
    }
  }

  private func list() throws(TransferFailure) -> ExitStatus {
    let objects = context.configuration.profiles.map { ProfileObject($0, reader) }
    if context.settings.isOn(.json) {
      try context.printJSON(objects)
    } else {
      context.console.results(ProfileObject.table(objects))
    }
    return .success
  }

  private func show(_ name: String) throws(TransferFailure) {
    let object = ProfileObject(try context.configuration.profile(name), reader)
    if let failure = object.failure { throw failure }
    if context.settings.isOn(.json) { try context.printJSON(object) } else { context.console.results(object.facts) }
  }

  private func remove(_ name: String) throws(TransferFailure) {
    try ProfileFile(path: context.configuration.path).remove(name, context.surroundings)
    try TokenFile.remove(ProfileEntry.storedTokenPath(name, folder: reader.folder))
  }
}

/// `profile add`.
extension ProfileCommand {
  private func add(_ name: String) throws(TransferFailure) {
    guard ProfileText.isName(name) else {
      throw TransferFailure(
        .usage, "a profile cannot be called \"\(DisplayWidth.fit(name, into: 40))\"",
        hint: "it takes up to \(ProfileText.maxNameByteCount) letters, digits, dots, underscores and hyphens")
    }
    guard !context.configuration.profiles.contains(where: { $0.name == name }) else { throw ProfileFile.exists(name) }
    let settings = context.settings
    guard let url = settings.text(.url) else {
      throw TransferFailure(.usage, "profile add needs --url", hint: "--url wss://host:8787/ws")
    }
    _ = try ProfileEntry.gateway(url, of: "the profile", allowsPlaintext: settings.isOn(.allowPlaintext))
    let entries = entries(url)
    let token = try newToken(name)
    if let token, url.contains(token.exposed) {
      throw TransferFailure(.usage, "the URL of the profile has the token in it", hint: "leave it out of the URL")
    }
    // Gateways can bind a token to a device: its ID is wanted now, not with the first session.
    _ = try DeviceFile.identity(inFolder: reader.folder)
    try store(token, name, entries)
    tell(name, token)
  }

  private func entries(_ url: String) -> [(flag: FlagName, value: String?)] {
    let (settings, surroundings) = (context.settings, context.surroundings)
    var entries: [(flag: FlagName, value: String?)] = [(.url, url)]
    if let how = settings.text(.auth) { entries.append((.auth, how)) }
    if let path = settings.text(.tokenFile) { entries.append((.tokenFile, surroundings.absolute(path))) }
    if let path = settings.text(.mediaDir) { entries.append((.mediaDir, surroundings.absolute(path))) }
    if settings.isOn(.allowPlaintext) { entries.append((.allowPlaintext, nil)) }
    return entries
  }

  /// The token to be kept, nil when it is in a file of the user's, or there is none.
  private func newToken(_ name: String) throws(TransferFailure) -> Secret? {
    let (settings, surroundings) = (context.settings, context.surroundings)
    if let path = settings.text(.tokenFile) {
      guard !settings.isOn(.tokenStdin) else {
        throw TransferFailure(.usage, "--token-file and --token-stdin exclude each other")
      }
      _ = try TokenFile.read(surroundings.absolute(path))
      return nil
    }
    let isAsked = surroundings.isInputTerminal && surroundings.variable(ProfileEntry.tokenVariable) == nil
    guard settings.isOn(.tokenStdin) || isAsked else { return nil }
    guard !surroundings.isInputTerminal else {
      // A token that is typed need not be seen.
      let answer = try surroundings.askPassword("Token of \(name): ")
      return answer.isEmpty ? nil : try TokenFile.token(in: Array(answer.utf8), from: "the answer")
    }
    return try TokenFile.token(in: surroundings.firstLineOfInput(), from: "standard input")
  }

  /// The token first: a profile without its token would be worse than a token without its profile.
  private func store(
    _ token: Secret?, _ name: String, _ entries: [(flag: FlagName, value: String?)]
  ) throws(TransferFailure) {
    let path = ProfileEntry.storedTokenPath(name, folder: reader.folder)
    let values = Dictionary(uniqueKeysWithValues: entries.map { ($0.flag, [$0.value ?? "true"]) })
    var isKept = false
    do throws(TransferFailure) {
      try ProfileFile(path: context.configuration.path).add(
        ConfiguredProfile(name: name, values: values), entries, context.surroundings
      ) { () throws(TransferFailure) in
        // An earlier profile of the name may have left one.
        if let token { try TokenFile.write(token, to: path) } else { try TokenFile.remove(path) }
        isKept = true
      }
    } catch {
      if isKept { try TokenFile.remove(path) }
      throw error
    }
  }

  private func tell(_ name: String, _ token: Secret?) {
    let console = context.console
    if let token {
      console.note("profile \(name) is set up, with the token \(token.shown)")
    } else if let path = context.settings.text(.tokenFile) {
      console.note("profile \(name) is set up, with the token in \(path)")
    } else {
      console.note("profile \(name) is set up without a token; \(ProfileEntry.tokenVariable) can give one")
    }
  }
}
