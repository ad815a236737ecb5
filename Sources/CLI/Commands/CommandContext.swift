import Core

/// What a command works with: what was asked, where it speaks, what surrounds it.
@MainActor
struct CommandContext {
  let settings: Settings
  let configuration: Configuration
  let console: Console
  let surroundings: Surroundings
  let interruption: Interruption

  /// Absolute.
  var stateFolder: String {
    get throws(TransferFailure) {
      if let folder = settings.text(.stateDir) { return surroundings.absolute(folder) }
      return try surroundings.folder(variable: "XDG_STATE_HOME", below: ".local/state") + "/hermes-transfer"
    }
  }

  /// Prints values as JSON, pretty on a terminal.
  func printJSON(_ value: some Encodable) throws(TransferFailure) {
    console.write(try JSONText.of(value, isPretty: true) + "\n")
  }

  func progressView() -> any ProgressView {
    switch progressKind {
    case .bar:
      let surroundings = surroundings
      return BarView(console: console) { surroundings.errorWindow() }
    case .line: return LineView(console: console)
    case .json: return JSONView(console: console)
    case .none: return SilentView()
    }
  }

  var progressKind: ProgressKind {
    if let kind = settings.text(.progress).flatMap(ProgressKind.init) { return kind }
    return .automatic(
      isTerminal: surroundings.isErrorTerminal, terminalName: surroundings.variable("TERM"),
      isCI: surroundings.variable("CI") != nil, isJSON: settings.isOn(.json), isQuiet: settings.isOn(.quiet))
  }
}
