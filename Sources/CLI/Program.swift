import Core
import HermesTransfer
import Posix

/// The program: reads what was typed and what else decides, runs the command, answers the exit status.
public enum Program {
  @MainActor
  public static func run(_ arguments: [String], _ interruption: Interruption) async -> Int32 {
    let console = Console(output: StandardSink(.output), error: StandardSink(.error))
    do throws(TransferFailure) {
      let status = try await run(arguments, console, Surroundings(), interruption)
      guard let failure = console.outputFailure else { return status.rawValue }
      console.fail(ErrorLine(failure))
      return max(status, failure.exitStatus).rawValue
    } catch {
      console.fail(ErrorLine(error))
      return error.exitStatus.rawValue
    }
  }

  @MainActor
  private static func run(
    _ arguments: [String], _ console: Console, _ surroundings: Surroundings, _ interruption: Interruption
  ) async throws(TransferFailure) -> ExitStatus {
    let typed = try ArgumentParser.parse(arguments)
    if typed.isOn(.version) {
      console.results(["hermes-transfer \(HermesTransferVersion.text)"])
      return .success
    }
    guard let command = typed.command, !typed.isOn(.help) else {
      guard typed.isOn(.help) else {
        throw TransferFailure(.usage, "a command is missing", hint: "hermes-transfer --help lists them")
      }
      console.write(typed.command.map(HelpText.page) ?? HelpText.overview())
      return .success
    }
    try checkOperands(of: command, typed)
    switch command {
    case .help: return try help(typed.operands, console)
    case .completion, .generate: return try document(command, typed.operands, console)
    default: break
    }
    let configuration = try configuration(typed, surroundings)
    let settings = try settings(typed, command, configuration, surroundings)
    tell(settings, console, surroundings)
    let context = CommandContext(
      settings: settings, configuration: configuration, console: console, surroundings: surroundings,
      interruption: interruption)
    warnOfOthers(context)
    return try await run(command, context)
  }

  @MainActor
  private static func run(_ command: CommandName, _ context: CommandContext) async throws(TransferFailure) -> ExitStatus
  {
    switch command {
    case .download: try await DownloadCommand.run(context)
    case .upload: try await UploadCommand.run(context)
    case .listen: try await ListenCommand.run(context)
    case .send: try await SendCommand.send(context)
    case .answer: try await SendCommand.answer(context)
    case .chat: try await ChatCommand.run(context)
    case .list: try ListCommand.run(context)
    case .show: try ShowCommand.run(context)
    case .watch: try await WatchCommand.run(context)
    case .wait: try await WaitCommand.run(context)
    case .resume: try await ResumeCommand.run(context, anew: false)
    case .retry: try await ResumeCommand.run(context, anew: true)
    case .relink: try await RelinkCommand.run(context)
    case .cancel: try await CancelCommand.run(context)
    case .remove: try await RemoveCommand.run(context)
    case .profile: try ProfileCommand.run(context)
    case .doctor: try DoctorCommand.run(context)
    case .completion, .help, .generate: .success
    }
  }

  private static func checkOperands(of command: CommandName, _ typed: LowArguments) throws(TransferFailure) {
    let description = CommandTable.command(command)
    guard description.operandCount.contains(typed.operands.count) else {
      let problem = typed.operands.count < description.operandCount.lowerBound ? "too few" : "too many"
      throw TransferFailure(
        .usage, "\(problem) arguments for \(command.rawValue)",
        hint: "hermes-transfer \(command.rawValue) \(description.operands)")
    }
  }

  @MainActor
  private static func help(_ operands: [String], _ console: Console) throws(TransferFailure) -> ExitStatus {
    guard let word = operands.first else {
      console.write(HelpText.overview())
      return .success
    }
    guard let command = CommandName(rawValue: word) else {
      let nearest = NearestWord.find(word, in: CommandTable.all.map(\.name.rawValue))
      throw TransferFailure(.usage, "unknown command \(word)", hint: nearest.map { "did you mean \($0)?" })
    }
    console.write(HelpText.page(of: command))
    return .success
  }

  @MainActor
  private static func document(
    _ command: CommandName, _ operands: [String], _ console: Console
  ) throws(TransferFailure) -> ExitStatus {
    let word = operands.first ?? ""
    if command == .generate, word == "man" {
      console.write(Manual.page())
      return .success
    }
    guard let shell = Completion.Shell(rawValue: word) else {
      throw TransferFailure(.usage, "no completion for \(word)", hint: "there are bash, zsh and fish")
    }
    console.write(Completion.script(for: shell))
    return .success
  }

  /// The configuration's file, which may be missing where it was not asked for.
  private static func configuration(
    _ typed: LowArguments, _ surroundings: Surroundings
  ) throws(TransferFailure) -> Configuration {
    let chosen = typed.values[.config]?.last ?? surroundings.variable("HERMES_TRANSFER_CONFIG")
    let path: String
    if let chosen {
      path = surroundings.absolute(chosen)
    } else {
      path = try surroundings.folder(variable: "XDG_CONFIG_HOME", below: ".config") + "/hermes-transfer/config"
    }
    if let text = try surroundings.text(ofFile: path) { return try Configuration(text: text, path: path) }
    // The file that is to be made is missing, of course.
    guard chosen == nil || typed.command == .profile else {
      throw TransferFailure(.usage, "cannot read \(path): there is no such file")
    }
    return Configuration(missing: path)
  }

  /// Flags from all sources.
  private static func settings(
    _ typed: LowArguments, _ command: CommandName, _ configuration: Configuration, _ surroundings: Surroundings
  ) throws(TransferFailure) -> Settings {
    var profile: ConfiguredProfile?
    // What sets profiles up is not told by them.
    if command != .profile {
      let chosen =
        typed.values[.profile]?.last ?? surroundings.variable("HERMES_TRANSFER_PROFILE")
        ?? configuration.values[.profile]?.last
      profile = try chosen.map { name throws(TransferFailure) in try configuration.profile(name) }
    }
    return try Settings(
      typed: typed, command: command, environment: surroundings.variable, profile: profile,
      configuration: configuration)
  }

  @MainActor
  private static func warnOfOthers(_ context: CommandContext) {
    let path = context.configuration.path
    guard context.configuration.decidesAnything, context.surroundings.isWritableByOthers(path) else { return }
    context.console.note(
      "other users may write \(path), and so decide what is sent where: chmod go-w \(path)")
  }

  /// What of the flags concerns the console.
  @MainActor
  private static func tell(
    _ settings: Settings, _ console: Console, _ surroundings: Surroundings
  ) {
    console.isQuiet = settings.isOn(.quiet)
    console.isVerbose = settings.isOn(.verbose)
    let colours = settings.text(.color) ?? "auto"
    let isPlain = surroundings.variable("NO_COLOR") != nil || surroundings.variable("TERM") == "dumb"
    console.colours = colours == "always" || (colours == "auto" && !isPlain && surroundings.isErrorTerminal)
    console.coloursOutput = colours == "always" || (colours == "auto" && !isPlain && surroundings.isOutputTerminal)
  }
}
