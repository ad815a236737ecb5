/// What a flag's value must look like.
enum ValueKind: Hashable, Sendable {
  case text
  /// The name of a profile.
  case profile
  case file
  case folder
  case url
  case choice([String])
  case count(Range<Int>)
  /// A count, or a word that leaves it to us.
  case countOr(String, Range<Int>)
  case rate
  case size
  case duration
}

/// What stands behind a flag: its name in the help and the check its text has to pass.
struct FlagArgument: Hashable, Sendable {
  let label: String
  let kind: ValueKind

  init(_ label: String, _ kind: ValueKind) {
    self.label = label
    self.kind = kind
  }
}

/// Flags that exclude each other within one source; a higher source puts the lower one's choice out of force.
enum FlagGroup: Hashable, Sendable {
  case httpVersion, addressFamily, loudness, authorization
}

/// One flag, told once: the parser, the help, the manual and the completions read it from here.
struct Flag: Sendable {
  let name: FlagName
  var short: Character?
  var argument: FlagArgument?
  /// The commands that take it; nil for all of them, and before the command too.
  var commands: [CommandName]?
  var isRepeatable = false
  /// Whether the environment and the configuration file may set it; a target or a checksum belongs to one call.
  var isLasting = true
  /// Whether it says what a profile is, in the profile's section of the configuration file.
  var isOfProfile = false
  var group: FlagGroup?
  /// Beside the flag in the help: 50 columns at most, lower case, no full stop.
  let summary: String
  /// For the manual: whole sentences.
  let details: String

  var long: String { "--" + name.rawValue }

  /// `HERMES_TRANSFER_LIMIT_RATE` for `--limit-rate`, `HERMES_TRANSFER_HTTP1_1` for `--http1.1`.
  var environmentName: String {
    "HERMES_TRANSFER_" + String(name.rawValue.uppercased().map { $0 == "-" || $0 == "." ? "_" : $0 })
  }

  func belongs(to command: CommandName) -> Bool { commands?.contains(command) ?? true }
}
