import Core

/// Reads the command line by the flag table; touches nothing but its arguments.
struct ArgumentParser {
  private let arguments: [String]
  private var position = 0
  private var result = LowArguments()

  static func parse(_ arguments: [String]) throws(TransferFailure) -> LowArguments {
    var parser = ArgumentParser(arguments)
    try parser.run()
    return parser.result
  }

  private init(_ arguments: [String]) { self.arguments = arguments }

  private mutating func run() throws(TransferFailure) {
    while let argument = next() {
      if argument == "--" {
        while let operand = next() { try take(operand: operand) }
      } else if argument.hasPrefix("--") {
        try take(long: argument.dropFirst(2))
      } else if argument.hasPrefix("-"), argument != "-" {
        try take(shorts: argument.dropFirst())
      } else {
        try take(operand: argument)
      }
    }
  }

  private mutating func next() -> String? {
    guard position < arguments.count else { return nil }
    defer { position += 1 }
    return arguments[position]
  }

  private mutating func take(operand: String) throws(TransferFailure) {
    if result.command != nil { return result.operands.append(operand) }
    guard let command = CommandName(rawValue: operand) else { throw Self.unknownCommand(operand) }
    result.command = command
  }

  private mutating func take(long text: Substring) throws(TransferFailure) {
    let pieces = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard let flag = FlagTable.flag(long: name) else { throw unknownFlag("--" + name) }
    try check(flag, typedAs: flag.long)
    try take(flag, typedAs: flag.long, attached: pieces.count == 2 ? String(pieces[1]) : nil)
  }

  /// Short switches may stand together, and a value may follow its flag at once: `-qofile`.
  private mutating func take(shorts text: Substring) throws(TransferFailure) {
    var rest = text
    while let short = rest.popFirst() {
      let typed = "-\(short)"
      guard let flag = FlagTable.flag(short: short, of: result.command) ?? FlagTable.flag(short: short, of: nil) else {
        throw unknownFlag(typed)
      }
      try check(flag, typedAs: typed)
      if flag.argument == nil {
        try take(flag, typedAs: typed, attached: nil)
      } else {
        return try take(flag, typedAs: typed, attached: rest.isEmpty ? nil : String(rest))
      }
    }
  }

  private mutating func take(_ flag: Flag, typedAs typed: String, attached: String?) throws(TransferFailure) {
    let value: String
    if let argument = flag.argument {
      guard let text = attached ?? next() else {
        throw TransferFailure(.usage, "\(typed) needs a value: \(argument.label)", hint: helpHint)
      }
      value = text
    } else {
      value = attached ?? "true"
    }
    result.values[flag.name, default: []].append(value)
  }

  private func check(_ flag: Flag, typedAs typed: String) throws(TransferFailure) {
    guard let commands = flag.commands else { return }
    guard let command = result.command else {
      throw TransferFailure(
        .usage, "\(typed) belongs behind a command",
        hint: "hermes-transfer \(commands[0].rawValue) \(typed) …")
    }
    guard commands.contains(command) else {
      let takers = commands.map(\.rawValue).joined(separator: ", ")
      throw TransferFailure(.usage, "\(command.rawValue) has no flag \(typed)", hint: "it belongs to \(takers)")
    }
  }

  private var helpHint: String {
    let command = result.command.map { " \($0.rawValue)" } ?? ""
    return "hermes-transfer\(command) --help"
  }

  private func unknownFlag(_ typed: String) -> TransferFailure {
    let known = FlagTable.all.filter { flag in result.command.map(flag.belongs(to:)) ?? true }
    let longer = known.map(\.long).filter { $0.hasPrefix("\(typed)-") }
    let nearest = typed.hasPrefix("--") ? NearestWord.find(typed, in: known.map(\.long)) ?? longer.first : nil
    let offer = nearest.map { longer.contains($0) ? longer.joined(separator: " or ") : $0 }
    return TransferFailure(
      .usage, "unknown flag \(typed)", hint: offer.map { "did you mean \($0)?" } ?? "see \(helpHint)")
  }

  private static func unknownCommand(_ typed: String) -> TransferFailure {
    if typed.contains("://") {
      return TransferFailure(
        .usage, "a URL needs a command before it", hint: "hermes-transfer download URL")
    }
    let nearest = NearestWord.find(typed, in: CommandTable.all.map(\.name.rawValue))
    return TransferFailure(
      .usage, "unknown command \(typed)",
      hint: nearest.map { "did you mean \($0)?" } ?? "see hermes-transfer --help")
  }
}
