import Core
import HermesTransfer

/// What a chat shows: lines that stay, and what changes in place until it does not change any more. All text of others
/// is made printable.
struct ChatModel {
  /// A line that stays, with what it is about in front.
  struct Line: Hashable {
    enum Style: Hashable { case plain, mine, agent, notice, card, danger }
    var style: Style
    var text: String
  }

  /// A reply that still grows.
  private struct Reply {
    let id: String
    var text: String
  }

  private static let maxReplyCount = 8
  private static let maxKnownCount = 1000

  private var replies: [Reply] = []
  /// Replies that stand among the lines already.
  private var finished: Set<String> = []
  private(set) var cards: [PromptFrame] = []
  private var isTyping = false
  private var avatar = AvatarState.idle
  private var connection: String? = "connecting"
  private var unsent: Set<String> = []
  private var transfers: [TransferID: TransferSnapshot] = [:]

  // MARK: What happens

  mutating func said(_ text: String, id: String) -> [Line] {
    unsent.insert(id)
    return finishReplies() + Self.lines(.mine, "you", text)
  }

  mutating func take(_ event: SessionEvent, now: Double) -> [Line] {
    switch event {
    case .message(let message): return take(message)
    case .prompt(let prompt): return take(prompt)
    case .promptDone(let done): return take(done)
    case .typing(let isOn):
      isTyping = isOn
      return isOn ? [] : finishReplies()
    case .avatar(let state):
      avatar = state
      return state == .idle ? finishReplies() : []
    case .messageSent(let id):
      unsent.remove(id)
      return []
    case .stateChanged(let state): return take(state, now)
    case .media, .duplicate, .mediaAnnounced, .mediaFailed, .mediaEmpty, .mediaIncomplete, .mediaRestarted, .complaint:
      return Self.notice(of: event, now)
    }
  }

  mutating func take(_ event: TransferEvent) -> [Line] {
    let snapshot = event.snapshot
    transfers[snapshot.id] = snapshot.state.isFinal || event.kind == .paused ? nil : snapshot
    let name = DisplayWidth.printable(snapshot.name)
    switch event.kind {
    case .completed where snapshot.kind == .media: return Self.lines(.notice, name, snapshot.state.rawValue)
    case .completed: return Self.lines(.notice, "file", snapshot.path ?? name)
    case .failed: return Self.lines(.danger, name, "failed: \(snapshot.failure?.message ?? "nobody knows why")")
    case .cancelled: return Self.lines(.notice, name, "cancelled")
    case .note: return Self.lines(.notice, name, event.note ?? "")
    case .added, .started, .progress, .waiting, .paused: return []
    }
  }

  /// The card that an answer is for, and the option: by its number on the card, its ID or its label.
  func choice(_ words: [Substring]) -> (card: PromptFrame, option: String, text: String?)? {
    var words = words[...]
    var card = cards.last
    if words.count > 1, let named = cards.first(where: { $0.id == words.first.map(String.init) }) {
      card = named
      words = words.dropFirst()
    }
    guard let card, let word = words.popFirst() else { return nil }
    let text = words.isEmpty ? nil : words.joined(separator: " ")
    if let number = Int(word), card.options.indices.contains(number - 1) {
      return (card, card.options[number - 1].id, text)
    }
    let option = card.options.first { [$0.id.lowercased(), $0.label.lowercased()].contains(word.lowercased()) }
    return (card, option?.id ?? String(word), text)
  }

  /// Replies that nothing more comes of, or nobody waits for.
  mutating func finishReplies() -> [Line] {
    let done = replies
    replies = []
    for reply in done { finished.insert(reply.id) }
    return done.flatMap { Self.lines(.agent, "agent", $0.text) }
  }

  // MARK: What is shown in place

  /// The end of what grows, and one line on how things stand; as many lines at most.
  func live(width: Int, height: Int, now: Double) -> [Line] {
    var lines = replies.flatMap { Self.lines(.agent, "agent", $0.text) }.flatMap { Self.wrapped($0, width) }
    lines += transfers.values.sorted { $0.id.text < $1.id.text }.map { snapshot in
      let line = ProgressLine(snapshot, now: now)
      return Line(style: .notice, text: ProgressLayout(lines: [line], width: width).text(of: line))
    }
    if let status { lines.append(Line(style: .notice, text: DisplayWidth.fit("[\(status)]", into: width))) }
    return Array(lines.suffix(max(0, height)))
  }

  private var status: String? {
    var pieces = [connection].compactMap(\.self)
    if avatar != .idle {
      pieces.append("the agent is \(avatar.rawValue)")
    } else if isTyping {
      pieces.append("the agent is typing")
    }
    if !unsent.isEmpty {
      pieces.append(unsent.count == 1 ? "1 message is not read yet" : "\(unsent.count) are not read yet")
    }
    if let card = cards.last { pieces.append("card \(Self.word(card.id)) waits for /answer") }
    return pieces.isEmpty ? nil : pieces.joined(separator: "; ")
  }

  // MARK: Frames

  private mutating func take(_ message: MessageFrame) -> [Line] {
    var lines: [Line] = []
    if let index = replies.firstIndex(where: { $0.id == message.id }) {
      replies[index].text = message.isEdit ? message.text : replies[index].text + message.text
    } else if finished.contains(message.id) {
      // It stands above already: what it says now comes again, or what came to it.
      lines = finishReplies() + Self.lines(.agent, message.isEdit ? "agent, again" : "agent, more", message.text)
      return lines
    } else {
      // One reply after the other: what came before is done.
      if replies.count >= Self.maxReplyCount { lines = finishReplies() }
      replies.append(Reply(id: message.id, text: message.text))
    }
    if finished.count > Self.maxKnownCount { finished.removeAll() }
    guard message.isFinal, let index = replies.firstIndex(where: { $0.id == message.id }) else { return lines }
    finished.insert(message.id)
    return lines + Self.lines(.agent, "agent", replies.remove(at: index).text)
  }

  private mutating func take(_ prompt: PromptFrame) -> [Line] {
    cards.removeAll { $0.id == prompt.id }
    cards.append(prompt)
    var lines = finishReplies() + Self.lines(.card, "card \(Self.word(prompt.id))", prompt.text)
    for (index, option) in prompt.options.enumerated() {
      let label = DisplayWidth.printable(String(option.label.prefix(200)))
      let mark = option.isDangerous ? "  (dangerous)" : ""
      lines.append(Line(style: option.isDangerous ? .danger : .card, text: "  \(index + 1)  \(label)\(mark)"))
    }
    lines.append(Line(style: .notice, text: "  answer with: /answer NUMBER [TEXT]"))
    return lines
  }

  private mutating func take(_ done: PromptDoneFrame) -> [Line] {
    let card = cards.first { $0.id == done.id }
    cards.removeAll { $0.id == done.id }
    let label = card?.options.first { $0.id == done.optionID }?.label ?? done.optionID
    let end = done.hasExpired ? "it expired" : "answered: \(label ?? "done")"
    return Self.lines(.card, "card \(Self.word(done.id))", end)
  }

  private mutating func take(_ state: SessionState, _ now: Double) -> [Line] {
    switch state {
    case .idle: connection = "not connected"
    case .connecting: connection = "connecting"
    case .connected: connection = nil
    case .reconnecting(let nextTry, let failure):
      let seconds = Quantity.seconds(max(0, nextTry - now).rounded(.up))
      connection = DisplayWidth.printable("\(failure.message); next try in \(seconds)")
    case .failed(let failure):
      connection = "not connected"
      return Self.lines(.danger, "the session ended", failure.message)
    }
    return []
  }

  private static func notice(of event: SessionEvent, _ now: Double) -> [Line] {
    switch SessionLine(event, gateway: "", now: now) {
    case .result(let text), .note(let text): [Line(style: .notice, text: text)]
    case .detail, .nothing: []
    }
  }

  // MARK: Text

  private static func word(_ text: String) -> String { DisplayWidth.printable(String(text.prefix(80))) }

  private static func lines(_ style: Line.Style, _ who: String, _ text: String) -> [Line] {
    let pieces = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return pieces.enumerated().map { index, piece in
      let start = index == 0 ? "\(who): " : "  "
      return Line(style: style, text: start + DisplayWidth.printable(String(piece)))
    }
  }

  /// In rows of the window, so that what is drawn in place can be taken away again.
  private static func wrapped(_ line: Line, _ width: Int) -> [Line] {
    var rows = [""]
    var used = 0
    for character in line.text {
      let columns = DisplayWidth.of(character)
      if used + columns > max(1, width), used > 0 {
        rows.append("")
        used = 0
      }
      rows[rows.count - 1].append(character)
      used += columns
    }
    return rows.map { Line(style: line.style, text: $0) }
  }
}
