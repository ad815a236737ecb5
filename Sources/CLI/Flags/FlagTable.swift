/// The one table of flags, in the order of the manual.
enum FlagTable {
  static let all: [Flag] = global + target + network + limits + session + media + mediaLimits + selection

  static let byName: [FlagName: Flag] = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// The flags that a command takes, global ones last.
  static func flags(of command: CommandName) -> [Flag] {
    all.filter { $0.commands?.contains(command) ?? false } + global
  }

  static func flag(long: String) -> Flag? { FlagName(rawValue: long).flatMap { byName[$0] } }

  static func flag(short: Character, of command: CommandName?) -> Flag? {
    all.first { $0.short == short && (command.map($0.belongs(to:)) ?? true) }
  }
}
