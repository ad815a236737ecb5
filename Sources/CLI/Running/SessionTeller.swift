import Core
import HermesTransfer

/// Tells what comes over a session: a line for each thing, for people or as JSON.
@MainActor
struct SessionTeller {
  private let context: CommandContext
  private let gateway: String

  init(_ context: CommandContext, gateway: String) {
    self.context = context
    self.gateway = gateway
  }

  func tell(_ event: SessionEvent) {
    let now = context.surroundings.now().wall
    guard context.progressKind != .json else { return tellJSON(event, now) }
    switch SessionLine(event, gateway: gateway, now: now) {
    case .result(let text): context.console.results([text])
    case .note(let text): context.console.note(text)
    case .detail(let text): context.console.detail(text)
    case .nothing: break
    }
  }

  private func tellJSON(_ event: SessionEvent, _ now: Double) {
    guard let object = SessionObject(event, gateway: gateway, time: now) else { return }
    do throws(TransferFailure) { context.console.results([try JSONText.of(object)]) } catch {
      context.console.fail(ErrorLine(error))
    }
  }
}
