import Core

/// The two streams of a command: results to standard output, everything else to standard error.
/// What is drawn in place is taken away before anything else is written, and drawn again afterwards.
@MainActor
final class Console {
  /// Whether standard output takes no more.
  private(set) var isOutputBroken = false
  /// Why, unless its reader had enough.
  private(set) var outputFailure: TransferFailure?
  var isQuiet = false
  var isVerbose = false
  /// Whether standard error takes colour.
  var colours = false
  /// Whether standard output takes colour.
  var coloursOutput = false

  private let output: any TextSink
  private let error: any TextSink
  private var drawing: Drawing?

  init(output: any TextSink, error: any TextSink) {
    self.output = output
    self.error = error
  }

  /// Results, whole lines each.
  func results(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    write(lines.joined(separator: "\n") + "\n")
  }

  /// Text for standard output as it stands.
  func write(_ text: String) {
    guard !isOutputBroken, !text.isEmpty else { return }
    aroundDrawing {
      switch output.write(text) {
      case .written: break
      case .readerGone: isOutputBroken = true
      case .failed(let failure):
        isOutputBroken = true
        outputFailure = failure
      }
    }
  }

  /// Something the user should know that ends nothing.
  func note(_ text: String) {
    guard !isQuiet else { return }
    aroundDrawing { say("hermes-transfer: " + DisplayWidth.printable(text) + "\n") }
  }

  /// Something that only matters to who asked for more.
  func detail(_ text: String) {
    if isVerbose { note(text) }
  }

  func fail(_ line: ErrorLine) {
    aroundDrawing { say(line.text(inColour: colours)) }
  }

  /// A line of progress; not a note, so it has no prefix.
  func progress(_ line: String) {
    aroundDrawing { say(line + "\n") }
  }

  /// Replaces what is drawn in place; no lines take it away.
  func draw(_ lines: [String], columns: Int) {
    let next = lines.isEmpty ? nil : Drawing(lines: lines)
    // In another window the same lines stand wrapped.
    guard next != drawing || columns != lastColumns else { return }
    say((drawing?.eraser(columns: columns) ?? "") + (next?.text ?? ""))
    drawing = next
    lastColumns = columns
  }

  /// Leaves what is drawn where it is and goes on below it.
  func keepDrawing() {
    guard drawing != nil else { return }
    drawing = nil
    say("\n")
  }

  private var lastColumns = 80

  private func aroundDrawing(_ body: () -> Void) {
    guard let drawing else { return body() }
    say(drawing.eraser(columns: lastColumns))
    body()
    say(drawing.text)
  }

  /// Standard error may be closed; there is nowhere left to say so.
  private func say(_ text: String) { _ = error.write(text) }
}
