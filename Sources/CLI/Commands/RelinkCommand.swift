import Core
import HermesTransfer

@MainActor
enum RelinkCommand {
  static func run(_ context: CommandContext) async throws(TransferFailure) -> ExitStatus {
    let id = try StateReader(context).ids([context.settings.operands[0]])[0]
    let url = context.settings.operands[1]
    do throws(WebURL.Invalid) { _ = try WebURL(url) } catch { throw error.failure }
    return try await Runner(context).relink(id, to: url)
  }
}
