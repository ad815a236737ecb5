import Core

/// What a line that was typed asks for.
enum ChatLine: Hashable {
  case nothing
  /// Slash commands that are not the chat's own are the agent's.
  case say(String)
  case upload(path: String, caption: String?)
  case answer([Substring])
  case help, quit

  static let commands = [
    "/upload PATH [CAPTION]   send a file; a path with spaces stands in quotes",
    "/answer [CARD] OPTION [TEXT]   answer a card, the newest one, by an option's number or name",
    "/help   this text",
    "/quit   end the chat; what is not sent yet goes out with the next session",
    "//TEXT   say TEXT with one slash in front; other lines, slash commands too, go to the agent as they are",
  ]

  init(_ line: String) throws(TransferFailure) {
    let text = line.trimmed
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    let rest = words.count > 1 ? String(words[1]).trimmed : ""
    switch words.first {
    case nil: self = .nothing
    case "/help", "/?": self = .help
    case "/quit", "/exit": self = .quit
    case "/answer": self = .answer(rest.split(separator: " "))
    case "/upload":
      guard let (path, caption) = Self.path(rest) else {
        throw TransferFailure(.usage, "which file? /upload PATH [CAPTION]")
      }
      self = .upload(path: path, caption: caption)
    default: self = .say(text.hasPrefix("//") ? String(text.dropFirst()) : line)
    }
  }

  /// The first word, or what stands in quotes, as terminals drop files in; and the rest.
  private static func path(_ text: String) -> (path: String, caption: String?)? {
    var (path, quote, isEscaped) = ("", Character?.none, false)
    var rest = text[...]
    while let character = rest.first {
      if quote == nil, !isEscaped, character == " " { break }
      rest.removeFirst()
      if isEscaped {
        path.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        path.append(character)
      }
    }
    let caption = String(rest).trimmed
    return path.isEmpty ? nil : (path, caption.isEmpty ? nil : caption)
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
