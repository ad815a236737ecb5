/// For fish's folder of completions: `completions/hermes-transfer.fish`.
enum FishCompletion {
  static func script() -> String {
    let words = CommandTable.all.map(\.name.rawValue).joined(separator: " ")
    var lines = [
      "# fish completion for hermes-transfer; made by `hermes-transfer completion fish`",
      "function __hermes_transfer_ids",
      "    \(Completion.listOfIDs)",
      "end",
      "function __hermes_transfer_profiles",
      "    \(Completion.listOfProfiles)",
      "end",
      "",
      "complete -c hermes-transfer -f",
    ]
    for command in CommandTable.all {
      lines.append(
        "complete -c hermes-transfer -n 'not __fish_seen_subcommand_from \(words)' -a \(command.name.rawValue) "
          + "-d '\(quoted(command.summary))'")
    }
    for flag in FlagTable.all { lines.append(line(flag)) }
    let ids = Completion.takingIDs.map(\.rawValue).joined(separator: " ")
    lines += [
      "complete -c hermes-transfer -n '__fish_seen_subcommand_from \(ids)' -a '(__hermes_transfer_ids)'",
      "complete -c hermes-transfer -n '__fish_seen_subcommand_from profile' "
        + "-a 'add list show remove (__hermes_transfer_profiles)'",
      "complete -c hermes-transfer -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'",
      "complete -c hermes-transfer -n '__fish_seen_subcommand_from help' -a '\(words)'",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ flag: Flag) -> String {
    var text = "complete -c hermes-transfer"
    if let commands = flag.commands {
      text += " -n '__fish_seen_subcommand_from \(commands.map(\.rawValue).joined(separator: " "))'"
    }
    if let short = flag.short { text += " -s \(short)" }
    text += " -l \(flag.name.rawValue)"
    if let argument = flag.argument { text += " -r" + values(argument.kind) }
    return text + " -d '\(quoted(flag.summary))'"
  }

  private static func values(_ kind: ValueKind) -> String {
    switch kind {
    case .choice(let words): " -f -a '\(words.joined(separator: " "))'"
    case .countOr(let word, _): " -f -a \(word)"
    case .file: " -F"
    case .folder: " -f -a '(__fish_complete_directories)'"
    case .profile: " -f -a '(__hermes_transfer_profiles)'"
    case .text, .url, .count, .rate, .size, .duration: " -f"
    }
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
