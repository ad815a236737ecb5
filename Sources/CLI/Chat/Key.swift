/// What a person did at the keyboard.
enum Key: Hashable, Sendable {
  /// What was typed; perhaps only a part of a character, since what combines with it comes as the next.
  case text(String)
  /// Between the marks of a bracketed paste.
  case paste(String)
  case enter, backspace, delete
  case left, right, up, down, home, end
  case wordLeft, wordRight
  case killToEnd, killToStart, killWord
  case redraw
  case interrupt, endOfInput, suspend
}
