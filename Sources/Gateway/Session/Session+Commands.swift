import Core
import Posix

extension Session {
  /// Does what a text that begins with a slash asks for; made for trying clients out.
  func obey(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "/help": say(Self.commands)
    case "/prompt": showCard(rest)
    case "/send": send(rest)
    case "/stream": stream(rest)
    case "/error": reply(.error(ErrorFrame(code: "drill", message: rest)))
    case "/fatal":
      reply(.error(ErrorFrame(code: "drill", message: rest, isFatal: true)))
    default: complain("unknown_command", "no such command; /help shows them")
    }
  }

  private static let commands = """
    /prompt [exec_approval|slash_confirm|clarify] [TEXT]  a card to answer
    /send PATH  announces a file of the media folder
    /stream TEXT  an answer that grows word by word and is replaced at its end
    /error TEXT  a complaint that ends nothing
    /fatal TEXT  a complaint that ends the session
    /help  this text
    """

  private func showCard(_ rest: String) {
    let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
    let isNamed = words.first.map { Self.options[$0] != nil } ?? false
    let kind = isNamed ? words[0] : "exec_approval"
    let text = isNamed ? (words.count > 1 ? words[1] : "") : rest
    let card = PromptFrame(
      id: Announcement.newID(), kind: kind, text: text.isEmpty ? "may I?" : text, options: Self.options[kind] ?? [])
    cards[card.id] = (card, Clocks.monotonic() + limits.prompt.nanoseconds)
    reply(.prompt(card))
  }

  /// The options that a card of each kind has.
  private static let options: [String: [PromptFrame.Option]] = [
    "exec_approval": [
      PromptFrame.Option(id: "once", label: "Allow once"),
      PromptFrame.Option(id: "always", label: "Always allow", isDangerous: true),
      PromptFrame.Option(id: "deny", label: "Deny"),
    ],
    "slash_confirm": [
      PromptFrame.Option(id: "confirm", label: "Confirm", isDangerous: true), PromptFrame.Option(id: "cancel"),
    ],
    "clarify": [
      PromptFrame.Option(id: "first", label: "The first"), PromptFrame.Option(id: "second", label: "The second"),
      PromptFrame.Option(id: PromptAnswer.otherOption, label: "Something else"),
    ],
  ]

  /// Announces a file that lies in the media folder, to this device.
  private func send(_ path: String) {
    // The same rule as for URLs: nothing hidden, nothing outside.
    let coded = path.split(separator: "/").map { PercentCoding.encode(String($0)) }.joined(separator: "/")
    guard case .media(let names) = Route("/media/\(coded)") else { return complain("not_found", "no such file") }
    do throws(Errno) {
      guard let file = try hall.tree.open(names) else { return complain("not_found", "no such file") }
      let mime = MediaNaming.contentType(file.entity.name)
      let media = StoredMedia(
        path: names, kind: MediaKindRule(mime: mime).kind, mime: mime, caption: nil,
        byteCount: file.entity.byteCount)
      queue.append(.media(Announcement(media)), due: replyDue)
    } catch {
      complain("not_found", "cannot open the file: \(error)")
    }
  }

  private func stream(_ text: String) {
    let id = Announcement.newID()
    reply(.typing(isOn: true))
    reply(.avatar(.speaking))
    for word in text.split(separator: " ") { reply(.message(MessageFrame(id: id, text: "\(word) "))) }
    reply(.message(MessageFrame(id: id, text: text, isEdit: true, isFinal: true)))
    reply(.typing(isOn: false))
    reply(.avatar(.idle))
  }
}
