/// For a folder of `fpath`: `completions/_hermes-transfer`.
enum ZshCompletion {
  static func script() -> String {
    """
    #compdef hermes-transfer
    # zsh completion for hermes-transfer; made by `hermes-transfer completion zsh`
    _hermes_transfer_ids() {
      local -a ids
      ids=(${(f)"$(\(Completion.listOfIDs))"})
      compadd -a ids
    }

    _hermes_transfer_profiles() {
      local -a names
      names=(${(f)"$(\(Completion.listOfProfiles))"})
      compadd -a names
    }

    _hermes_transfer_commands() {
      local -a commands
      commands=(
    \(CommandTable.all.map { "    '\($0.name.rawValue):\(quoted($0.summary))'" }.joined(separator: "\n"))
      )
      _describe command commands
    }

    _hermes_transfer() {
      local curcontext=$curcontext state line
      local -A opt_args
      local -a global
      global=(
    \(specifications(FlagTable.global))
      )
      _arguments -C -s $global '1:command:_hermes_transfer_commands' '*::argument:->argument' && return
      case $line[1] in
    \(cases())
      esac
    }

    _hermes_transfer "$@"

    """
  }

  private static func cases() -> String {
    CommandTable.all.map { command in
      let own = FlagTable.all.filter { $0.commands?.contains(command.name) ?? false }
      let flags = own.isEmpty ? "" : "\n\(specifications(own)) \\\n     "
      return
        "    \(command.name.rawValue)) _arguments -s $global\(flags.isEmpty ? "" : " \\")\(flags) \(operands(command.name)) ;;"
    }.joined(separator: "\n")
  }

  private static func operands(_ name: CommandName) -> String {
    switch name {
    case .download: "'*:URL:_urls'"
    case .profile: "'1:verb:(add list show remove)' '2:profile:_hermes_transfer_profiles'"
    case .completion: "'1:shell:(bash zsh fish)'"
    case .help: "'1:command:_hermes_transfer_commands'"
    case _ where Completion.takingIDs.contains(name): "'*:ID:_hermes_transfer_ids'"
    default: ""
    }
  }

  private static func specifications(_ flags: [Flag]) -> String {
    flags.map { "    \(specification($0))" }.joined(separator: flags.first?.commands == nil ? "\n" : " \\\n")
  }

  private static func specification(_ flag: Flag) -> String {
    let repeats = flag.isRepeatable ? "*" : ""
    let summary = "[\(quoted(flag.summary))]"
    let action = flag.argument.map { ":\($0.label.replacing(":", with: "\\:")):\(Self.action($0.kind))" } ?? ""
    guard let short = flag.short else { return "'\(repeats)\(flag.long)\(summary)\(action)'" }
    let exclusion = flag.isRepeatable ? "'*'" : "'(-\(short) \(flag.long))'"
    return "\(exclusion){-\(short),\(flag.long)}'\(summary)\(action)'"
  }

  private static func action(_ kind: ValueKind) -> String {
    switch kind {
    case .choice(let words): "(\(words.joined(separator: " ")))"
    case .countOr(let word, _): "(\(word))"
    case .file: "_files"
    case .folder: "_files -/"
    case .url: "_urls"
    case .profile: "_hermes_transfer_profiles"
    case .text, .count, .rate, .size, .duration: " "
    }
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(
      ":", with: "\\:")
  }
}
