/// Completion scripts, made from the tables.
enum Completion {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletion.script()
    case .zsh: ZshCompletion.script()
    case .fish: FishCompletion.script()
    }
  }

  /// The commands whose operands are IDs.
  static let takingIDs: [CommandName] = [.list, .show, .watch, .wait, .resume, .retry, .relink, .cancel, .remove]

  /// Prints the names of the profiles, one a line, for the shells.
  static let listOfProfiles =
    "hermes-transfer profile list --json 2>/dev/null | sed -n 's/.*\"name\" *: *\"\\([^\"]*\\)\".*/\\1/p'"

  /// Prints the IDs of the state, one a line, for the shells.
  static let listOfIDs = "hermes-transfer list --json 2>/dev/null | sed -n 's/.*\"id\" *: *\"\\([0-9a-z]*\\)\".*/\\1/p'"
}
