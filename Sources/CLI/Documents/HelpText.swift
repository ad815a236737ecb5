/// The help pages, made from the tables.
enum HelpText {
  static let usage = "hermes-transfer [GLOBAL FLAGS] COMMAND [FLAGS] [ARGUMENTS]"

  /// `hermes-transfer --help`.
  static func overview() -> String {
    let commands = CommandTable.all.map { command in
      (label: "\(command.name.rawValue) \(command.operands)", summary: command.summary)
    }
    return """
      Usage: \(usage)

      Fetches files over HTTP and keeps what it has, whatever happens in between.

      Commands:
      \(rows(commands, indent: 2))

      Global flags:
      \(rows(FlagTable.global.map(row), indent: 2))

      `hermes-transfer COMMAND --help` tells of one command, `man hermes-transfer`
      of everything.

      """
  }

  /// `hermes-transfer COMMAND --help`.
  static func page(of name: CommandName) -> String {
    let command = CommandTable.command(name)
    let own = FlagTable.all.filter { $0.commands?.contains(name) ?? false }
    let operands = command.operands.isEmpty ? "" : " " + command.operands
    var text = """
      Usage: hermes-transfer \(name.rawValue)\(own.isEmpty ? "" : " [FLAGS]")\(operands)

      \(TextWrap.lines(of: command.details, width: 78).joined(separator: "\n"))

      """
    if !own.isEmpty { text += "\nFlags:\n\(rows(own.map(row), indent: 2))\n" }
    text += "\nGlobal flags:\n\(rows(FlagTable.global.map(row), indent: 2))\n"
    return text
  }

  static func row(_ flag: Flag) -> (label: String, summary: String) {
    let short = flag.short.map { "-\($0), " } ?? "    "
    let argument = flag.argument.map { " " + $0.label } ?? ""
    return ("\(short)\(flag.long)\(argument)", flag.summary)
  }

  /// Two columns; the summary starts in the same place on every line.
  static func rows(_ rows: [(label: String, summary: String)], indent: Int) -> String {
    let widest = rows.map(\.label.count).max() ?? 0
    return rows.map { row in
      let gap = String(repeating: " ", count: widest - row.label.count + 2)
      return String(repeating: " ", count: indent) + row.label + gap + row.summary
    }.joined(separator: "\n")
  }
}
