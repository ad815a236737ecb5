import Core

/// hermes-transfer(1): prose from here, everything that the code knows from its tables.
enum Manual {
  static func page() -> String {
    [
      ManualProse.head, commands(), options(), ManualProse.output, environment(), ManualProse.files, exitStatus(),
      ManualProse.tail,
    ].joined(separator: "\n") + "\n"
  }

  private static func commands() -> String {
    var lines = [".Sh COMMANDS", ".Bl -tag -width Ds"]
    for command in CommandTable.all {
      let operands = command.operands.isEmpty ? "" : " Ar " + Roff.argument(command.operands)
      lines.append(".It Cm \(command.name.rawValue)\(operands)")
      lines.append(Roff.text(command.details))
    }
    return (lines + [".El"]).joined(separator: "\n")
  }

  private static func options() -> String {
    var lines = [
      ".Sh OPTIONS", "Global flags stand before or behind the command:", list(FlagTable.global),
      ".Pp", "The flags of", ".Cm download :", list(FlagTable.all.filter { $0.commands?.contains(.download) ?? false }),
    ]
    for command in CommandTable.all where command.name != .download {
      let own = FlagTable.all.filter { $0.commands?.contains(command.name) ?? false }
      guard !own.isEmpty else { continue }
      lines += [".Pp", "The flags of", ".Cm \(command.name.rawValue) :", ".Bl -tag -width Ds"]
      for flag in own {
        lines.append(item(flag))
        let isToldAbove = flag.commands?.contains(.download) ?? false
        lines += isToldAbove ? ["As for", ".Cm download ."] : [Roff.text(flag.details)]
      }
      lines.append(".El")
    }
    return lines.joined(separator: "\n")
  }

  private static func list(_ flags: [Flag]) -> String {
    let items = flags.flatMap { [item($0), Roff.text($0.details)] }
    return ([".Bl -tag -width Ds"] + items + [".El"]).joined(separator: "\n")
  }

  private static func item(_ flag: Flag) -> String {
    let short = flag.short.map { "Fl \($0) , " } ?? ""
    let argument = flag.argument.map { " Ar " + Roff.argument($0.label) } ?? ""
    return ".It \(short)Fl \(Roff.escape("-" + flag.name.rawValue))\(argument)"
  }

  private static func environment() -> String {
    ([".Sh ENVIRONMENT", Roff.text(ManualProse.environmentRule), ".Bl -tag -width Ds"]
      + ManualProse.variables.flatMap { [".It Ev \($0.name)", Roff.text($0.meaning)] } + [".El"])
      .joined(separator: "\n")
  }

  private static func exitStatus() -> String {
    var lines = [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for status in ExitStatus.allCases {
      lines += [".It \(status.rawValue)", Roff.text(status.meaning + ".")]
    }
    lines += [".El", ".Pp", "Of several transfers the highest status of any is the command's."]
    return lines.joined(separator: "\n")
  }
}

extension ExitStatus {
  /// What the status tells, for the manual.
  var meaning: String {
    switch self {
    case .success: "All was done"
    case .other: "Another failure, or the transfer was cancelled"
    case .usage: "The command line, a variable or the configuration is wrong"
    case .connection: "The name was not found, or no connection came about"
    case .timeout: "Timed out, or stalled"
    case .refused: "Refused: authentication or permission"
    case .notThere: "Not there (HTTP 404, 410)"
    case .http: "Another refusal by HTTP"
    case .content: "The content is not what was promised: checksum, length, or it changed"
    case .localFile: "A local file: missing, there already, not permitted, changed"
    case .diskFull: "The disk is full"
    case .tls: "TLS failed"
    case .protocolViolation: "The server broke its protocol"
    case .exhausted: "The deadline or the attempts are used up"
    case .inUse: "Another process works on it"
    case .uncertain: "The outcome is uncertain"
    case .state: "The state is unreadable, or of a newer version"
    case .interrupted: "Interrupted by SIGINT, that is Ctrl-C, or by SIGHUP; what was received is kept"
    case .terminated: "Ended by SIGTERM; what was received is kept"
    }
  }
}
