extension FlagTable {
  /// What every command takes, before or behind its name.
  static let global: [Flag] = [
    Flag(
      name: .stateDir, argument: FlagArgument("DIR", .folder),
      summary: "keep the state in DIR",
      details: """
        Keep the state in DIR instead of $XDG_STATE_HOME/hermes-transfer or ~/.local/state/hermes-transfer. \
        It is made with mode 0700 when it is not there.
        """),
    Flag(
      name: .config, argument: FlagArgument("FILE", .file),
      summary: "read the defaults of flags from FILE",
      details: """
        Read defaults from FILE instead of $XDG_CONFIG_HOME/hermes-transfer/config or \
        ~/.config/hermes-transfer/config. A file named here must exist.
        """),
    Flag(
      name: .profile, argument: FlagArgument("NAME", .profile),
      summary: "use the gateway and the defaults of a profile",
      details: """
        Use the profile NAME: its gateway, and the defaults of flags that stand in its section of the configuration. \
        Without this flag a command that needs a gateway uses the only profile there is, or the one called default.
        """),
    Flag(
      name: .json,
      summary: "print results as JSON",
      details: """
        Print results as JSON on standard output. With a command that transfers, this is --progress json unless \
        another progress is asked for.
        """),
    Flag(
      name: .quiet, short: "q", group: .loudness,
      summary: "print results and errors only",
      details: "Print results and errors only: no progress and no notes."),
    Flag(
      name: .verbose, short: "v", group: .loudness,
      summary: "say more about what happens",
      details: "Tell on standard error of every transfer that is taken up, waits or starts again."),
    Flag(
      name: .color, argument: FlagArgument("WHEN", .choice(["auto", "always", "never"])),
      summary: "use colour: auto, always or never",
      details: """
        Use colour on standard error and in tables. With auto, the default, colour is used on a terminal, unless \
        NO_COLOR is set or TERM is dumb.
        """),
    Flag(
      name: .progress, argument: FlagArgument("KIND", .choice(["auto", "bar", "line", "json", "none"])),
      summary: "show auto, bar, line, json or none",
      details: """
        How progress is shown. With bar, one line a transfer is redrawn in place on standard error. With line, one \
        line is printed every ten seconds and at the end. With json, one JSON object a line goes to standard output. \
        With auto, the default, it is bar on a terminal and line elsewhere, on a dumb terminal and where CI is set.
        """),
    Flag(
      name: .help, short: "h", isLasting: false,
      summary: "show help, of one command behind its name",
      details: "Show help and exit. Behind a command it is the help of that command."),
    Flag(
      name: .version, short: "V", isLasting: false,
      summary: "show the version",
      details: "Show the version and exit."),
  ]
}
