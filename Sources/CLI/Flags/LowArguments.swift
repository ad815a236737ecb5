/// Where a flag's value came from; the earlier wins.
enum FlagSource: Hashable, Sendable {
  case commandLine
  case environment
  case profile(String, path: String)
  case configuration(path: String)
}

/// What was typed, as it was typed: flags by name, the command, the rest.
struct LowArguments: Hashable, Sendable {
  var command: CommandName?
  /// The values of each flag in order; a switch holds `true` or `false`.
  var values: [FlagName: [String]] = [:]
  var operands: [String] = []

  /// Whether a switch was typed and not switched off.
  func isOn(_ name: FlagName) -> Bool { values[name]?.last == "true" }
}
