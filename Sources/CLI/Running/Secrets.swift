import Core

/// What must not stand in arguments: read from files or asked on the terminal.
struct Secrets: Sendable {
  private(set) var bearerToken: String?
  private(set) var password: String?

  static let none = Secrets()

  private init() {}

  @MainActor
  init(_ context: CommandContext) throws(TransferFailure) {
    let (settings, surroundings) = (context.settings, context.surroundings)
    bearerToken = try settings.text(.bearerFile).map { path throws(TransferFailure) in
      try surroundings.firstLine(ofFile: path)
    }
    guard let user = settings.text(.user) else {
      guard settings.text(.passwordFile) == nil else {
        throw TransferFailure(.usage, "--password-file needs --user")
      }
      return
    }
    guard !user.contains(":") else {
      throw TransferFailure(
        .usage, "--user cannot hold a password", hint: "it is asked on the terminal, or comes from --password-file")
    }
    if let path = settings.text(.passwordFile) {
      password = try surroundings.firstLine(ofFile: path)
    } else {
      password = try surroundings.askPassword("Password of \(DisplayWidth.printable(user)): ")
    }
  }
}
