import Core
import HermesTransfer

/// One event of a session as one line for people. What came from outside is made printable.
enum SessionLine {
  case result(String)
  case note(String)
  case detail(String)
  case nothing

  init(_ event: SessionEvent, gateway: String, now: Double) {
    switch event {
    case .stateChanged(let state): self = Self.line(state, gateway, now)
    case .message(let message):
      let sign = message.isEdit ? "=" : ":"
      self = .result("message \(Self.word(message.id))\(sign) \(Self.text(message.text))")
    case .prompt(let prompt):
      let options = prompt.options.map { ($0.isDangerous ? "!" : "") + "\(Self.word($0.id)) (\(Self.text($0.label)))" }
      let choice = options.isEmpty ? "" : " [\(options.joined(separator: ", "))]"
      self = .result("prompt \(Self.word(prompt.id)) \(Self.word(prompt.kind)): \(Self.text(prompt.text))\(choice)")
    case .promptDone(let done):
      let end = done.hasExpired ? "expired" : Self.word(done.optionID ?? "done")
      self = .result("prompt-done \(Self.word(done.id)): \(end)")
    case .typing(let isOn): self = .detail(isOn ? "the agent is typing" : "the agent stopped typing")
    case .avatar(let state): self = .detail("the agent is \(state.rawValue)")
    case .complaint(let error): self = .note("gateway: \(Self.word(error.code)): \(Self.text(error.message))")
    case .messageSent(let id): self = .detail("message \(id) was read")
    case .media(let media): self = .result("media \(media.path ?? ""): \(Self.about(media))")
    case .duplicate(let media): self = .detail("media \(Self.word(media.id)) came again; it is \(media.path ?? "gone")")
    case .mediaAnnounced(let id, let transfer): self = .detail("media \(Self.word(id)) is fetched as \(transfer)")
    case .mediaFailed(let id, let failure):
      self = .note("media \(Self.word(id ?? "without an id")): \(failure.message)")
    case .mediaEmpty(let id): self = .note("media \(Self.word(id)) has neither content nor a link")
    case .mediaIncomplete(let id, let missing):
      self = .note("media \(Self.word(id)) stayed incomplete: parts \(missing) are missing")
    case .mediaRestarted(let id): self = .note("media \(Self.word(id)) begins anew: other bytes came for a part")
    }
  }

  private static func line(_ state: SessionState, _ gateway: String, _ now: Double) -> SessionLine {
    switch state {
    case .idle, .failed: return .nothing
    case .connecting: return .detail("connecting to \(gateway)")
    case .connected: return .note("connected to \(gateway)")
    case .reconnecting(let nextTry, let failure):
      let seconds = max(0, nextTry - now).rounded(.up)
      return .note("\(failure.message); next try in \(Quantity.seconds(seconds))")
    }
  }

  private static func about(_ media: ReceivedMedia) -> String {
    let caption = media.caption.map { ", \"\(text($0))\"" } ?? ""
    return "\(media.kind.rawValue), \(word(media.mime)), \(Quantity.bytes(media.byteCount))\(caption)"
  }

  private static func text(_ text: String) -> String {
    DisplayWidth.printable(
      text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: " ⏎ "))
  }

  private static func word(_ text: String) -> String { DisplayWidth.printable(String(text.prefix(80))) }
}
