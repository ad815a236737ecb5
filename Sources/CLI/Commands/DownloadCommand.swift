import Core
import HermesTransfer

@MainActor
enum DownloadCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    try check(context.settings)
    let template = try RequestTemplate(context, secrets: Secrets(context))
    let feed = try RequestFeed(context, template)
    let runner = Runner(context)
    if context.settings.text(.output) == "-" {
      let text = context.settings.operands[0]
      let url: WebURL
      do throws(WebURL.Invalid) { url = try WebURL(text) } catch { throw error.failure }
      return try await runner.stream(template.request(text), from: url)
    }
    return try await runner.run { engine throws(TransferFailure) in
      guard let next = try await feed.next() else { return false }
      for failure in next.refused { runner.refuse(failure) }
      if !next.requests.isEmpty { tell(try await engine.download(next.requests), context.console) }
      return true
    }
  }

  /// What belongs to one file is not given for several.
  private static func check(_ settings: Settings) throws(TransferFailure) {
    let hasList = !settings.texts(.inputFile).isEmpty
    guard hasList || !settings.operands.isEmpty else {
      throw TransferFailure(.usage, "nothing to download", hint: "hermes-transfer download URL…, or -i FILE")
    }
    guard hasList || settings.operands.count > 1 else { return }
    for name in [FlagName.output, .checksum, .mirror] where settings.text(name) != nil {
      throw TransferFailure(
        .usage, "--\(name.rawValue) is for one URL, and there are several",
        hint: name == .output ? "--directory puts several files into a folder" : nil)
    }
  }

  private static func tell(_ accepted: [AcceptedTransfer], _ console: Console) {
    guard console.isVerbose else { return }
    for transfer in accepted {
      switch transfer.outcome {
      case .new: console.detail("transfer \(transfer.id) is new")
      case .resumed(let count): console.detail("transfer \(transfer.id) goes on after \(Quantity.bytes(count))")
      case .alreadyComplete: console.detail("transfer \(transfer.id) is complete; asking whether the server has newer")
      }
    }
  }
}
