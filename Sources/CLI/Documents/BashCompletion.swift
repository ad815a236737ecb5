/// For bash-completion's folder: `completions/hermes-transfer.bash`.
enum BashCompletion {
  static func script() -> String {
    """
    # bash completion for hermes-transfer; made by `hermes-transfer completion bash`
    _hermes_transfer_ids() {
      \(Completion.listOfIDs)
    }

    _hermes_transfer_profiles() {
      \(Completion.listOfProfiles)
    }

    _hermes_transfer() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word flags
      # `--flag=value` comes as three words.
      if [[ $current == = ]]; then
        current=''
      elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
    \(indented(commandWords(), 6))) command=$word && break ;;
        esac
      done
      case $previous in
    \(arguments())
      esac
      if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W '\(commands()) \(longs(FlagTable.global))' -- "$current")
        return
      fi
      case $command in
    \(flagsByCommand())
        *) flags='\(longs(FlagTable.global))' ;;
      esac
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
        return
      fi
      case $command in
        \(Completion.takingIDs.map(\.rawValue).joined(separator: " | ")))
          mapfile -t COMPREPLY < <(compgen -W "$(_hermes_transfer_ids)" -- "$current") ;;
        profile) mapfile -t COMPREPLY < <(compgen -W 'add list show remove'" $(_hermes_transfer_profiles)" -- "$current") ;;
        completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$current") ;;
        help) mapfile -t COMPREPLY < <(compgen -W '\(commands())' -- "$current") ;;
      esac
    } && complete -F _hermes_transfer hermes-transfer

    """
  }

  private static func commands() -> String { CommandTable.all.map(\.name.rawValue).joined(separator: " ") }

  private static func commandWords() -> String { CommandTable.all.map(\.name.rawValue).joined(separator: " | ") }

  private static func longs(_ flags: [Flag]) -> String { flags.map(\.long).joined(separator: " ") }

  private static func indented(_ text: String, _ count: Int) -> String { String(repeating: " ", count: count) + text }

  private static func flagsByCommand() -> String {
    CommandTable.all.filter { command in FlagTable.all.contains { $0.commands?.contains(command.name) ?? false } }
      .map { "    \($0.name.rawValue)) flags='\(longs(FlagTable.flags(of: $0.name)))' ;;" }.joined(separator: "\n")
  }

  /// What may follow a flag that takes a value.
  private static func arguments() -> String {
    FlagTable.all.compactMap { flag in
      guard let argument = flag.argument else { return nil }
      let names = ([flag.short.map { "-\($0)" }, flag.long].compactMap(\.self)).joined(separator: " | ")
      let action =
        switch argument.kind {
        case .choice(let words):
          "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\")"
        case .countOr(let word, _): "mapfile -t COMPREPLY < <(compgen -W '\(word)' -- \"$current\")"
        case .file: "compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .folder: "compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .profile: "mapfile -t COMPREPLY < <(compgen -W \"$(_hermes_transfer_profiles)\" -- \"$current\")"
        case .text, .url, .count, .rate, .size, .duration: "COMPREPLY=()"
        }
      return "    \(names)) \(action); return ;;"
    }.joined(separator: "\n")
  }
}
