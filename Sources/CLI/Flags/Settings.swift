import Core

/// What was meant: each flag's checked value, from the highest source that sets it.
struct Settings: Sendable {
  let command: CommandName
  let operands: [String]
  private let values: [FlagName: [FlagValue]]
  private let typedFlags: Set<FlagName>

  /// Merges the sources for one command; `configuration` holds the texts by flag and its path is named in errors.
  init(
    typed: LowArguments, command: CommandName, environment: (String) -> String?, profile: ConfiguredProfile? = nil,
    configuration: Configuration
  ) throws(TransferFailure) {
    self.command = command
    operands = typed.operands
    typedFlags = Set(typed.values.keys)
    var values: [FlagName: [FlagValue]] = [:]
    var groups: [FlagGroup: FlagSource] = [:]
    let flags = FlagTable.flags(of: command)
    for source in Self.sources(profile, configuration) {
      for flag in flags where values[flag.name] == nil {
        let texts: [String]? =
          switch source {
          case .commandLine: typed.values[flag.name]
          case .environment: Self.texts(of: flag, in: environment)
          case .profile: profile?.values[flag.name]
          case .configuration: configuration.values[flag.name]
          }
        guard let texts else { continue }
        if let group = flag.group, let earlier = groups[group], earlier != source { continue }
        let read = try Self.read(texts, of: flag, from: source)
        values[flag.name] = read
        if let group = flag.group, read.last != .isOn(false) { groups[group] = source }
      }
    }
    self.values = values
    try checkGroups()
  }

  private static func sources(_ profile: ConfiguredProfile?, _ configuration: Configuration) -> [FlagSource] {
    [.commandLine, .environment] + (profile.map { [.profile($0.name, path: configuration.path)] } ?? [])
      + [.configuration(path: configuration.path)]
  }

  func isOn(_ name: FlagName) -> Bool { values[name]?.last == .isOn(true) }

  /// Whether it stands on the command line.
  func isTyped(_ name: FlagName) -> Bool { typedFlags.contains(name) }

  func text(_ name: FlagName) -> String? { texts(name).last }

  func texts(_ name: FlagName) -> [String] {
    (values[name] ?? []).compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  func count(_ name: FlagName) -> Int? {
    if case .count(let count)? = values[name]?.last { count } else { nil }
  }

  func bytesPerSecond(_ name: FlagName) -> Int64? {
    if case .bytesPerSecond(let rate)? = values[name]?.last { rate } else { nil }
  }

  func byteCount(_ name: FlagName) -> Int64? {
    if case .bytes(let count)? = values[name]?.last { count } else { nil }
  }

  func seconds(_ name: FlagName) -> Double? {
    if case .seconds(let seconds)? = values[name]?.last { seconds } else { nil }
  }

  /// An empty variable counts as unset, so that one can be switched off for a call.
  private static func texts(of flag: Flag, in environment: (String) -> String?) -> [String]? {
    guard flag.name != .help, flag.name != .version, let text = environment(flag.environmentName), !text.isEmpty
    else { return nil }
    return flag.isRepeatable ? text.split(separator: "\n").map(String.init) : [text]
  }

  private static func read(
    _ texts: [String], of flag: Flag, from source: FlagSource
  ) throws(TransferFailure) -> [FlagValue] {
    var values: [FlagValue] = []
    for text in texts {
      guard let value = flag.value(of: text) else {
        throw TransferFailure(
          .usage, "\(source.name(of: flag)) cannot be \"\(text)\"", hint: "it takes \(flag.expectation)")
      }
      values.append(value)
    }
    return values
  }

  private func checkGroups() throws(TransferFailure) {
    var chosen: [FlagGroup: Flag] = [:]
    for flag in FlagTable.flags(of: command) {
      guard let group = flag.group, let last = values[flag.name]?.last, last != .isOn(false) else { continue }
      if let other = chosen[group] {
        throw TransferFailure(.usage, "\(other.long) and \(flag.long) exclude each other")
      }
      chosen[group] = flag
    }
  }
}

extension FlagSource {
  /// The flag as its source spells it.
  func name(of flag: Flag) -> String {
    switch self {
    case .commandLine: flag.long
    case .environment: flag.environmentName
    case .profile(let name, let path): "\(flag.name.rawValue) of profile \(name) in \(path)"
    case .configuration(let path): "\(flag.name.rawValue) in \(path)"
    }
  }
}
