import Posix

/// Puts a chat on a terminal: lines above, and at the bottom what changes, with the line that is typed as the last row.
@MainActor
final class ChatScreen {
  private let sink: any TextSink
  private let hasColours: Bool
  private let window: () -> WindowSize
  private var drawing: Drawing?
  private var drawnSize = WindowSize.unknown

  init(sink: any TextSink, hasColours: Bool, window: @escaping () -> WindowSize) {
    self.sink = sink
    self.hasColours = hasColours
    self.window = window
  }

  /// Lines that stay, then the bottom anew.
  func show(_ lines: [ChatModel.Line], _ model: ChatModel, _ editor: LineEditor, now: Double) {
    let size = window()
    // The last column stays free: a terminal wraps behind it at its own discretion.
    let width = max(8, size.columns - 1)
    let live = model.live(width: width, height: max(1, min(size.rows / 2, size.rows - 2)), now: now)
    let input = EditorWindow(editor, width: width - Self.mark.count)
    let next = Drawing(lines: live.map(\.text) + [Self.mark + input.text])
    guard !lines.isEmpty || next != drawing || size != drawnSize || input.cursor != drawnCursor else { return }
    var text = drawing?.eraser(columns: size.columns) ?? ""
    for line in lines { text += coloured(line) + "\n" }
    for line in live { text += coloured(line) + "\n" }
    text += Self.mark + input.text + "\r\u{1B}[\(Self.mark.count + input.cursor)C"
    _ = sink.write(text)
    (drawing, drawnSize, drawnCursor) = (next, size, input.cursor)
  }

  private var drawnCursor = 0

  /// The window was cleared, or stood for others.
  func forget() { drawing = nil }

  func clear() {
    _ = sink.write("\u{1B}[H\u{1B}[2J")
    forget()
  }

  /// Takes the bottom away; what stays stays.
  func end() {
    if let drawing { _ = sink.write(drawing.eraser(columns: window().columns)) }
    drawing = nil
  }

  private static let mark = "> "

  private func coloured(_ line: ChatModel.Line) -> String {
    guard hasColours, let code = Self.codes[line.style] else { return line.text }
    return "\u{1B}[\(code)m\(line.text)\u{1B}[0m"
  }

  private static let codes: [ChatModel.Line.Style: String] = [
    .mine: "2", .notice: "2", .card: "33", .danger: "1;31",
  ]
}
