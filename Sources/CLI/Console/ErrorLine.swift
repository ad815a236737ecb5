import Core

/// The one form of an error: a line, and a second one where something can be done.
struct ErrorLine: Hashable, Sendable {
  let message: String
  let hint: String?

  init(_ failure: TransferFailure) {
    message = failure.message
    hint = failure.hint
  }

  /// `cannot download https://h/f: …`
  init(_ failure: TransferFailure, cannot action: String) {
    message = "cannot \(action): \(failure.message)"
    hint = failure.hint
  }

  func text(inColour: Bool) -> String {
    let name = inColour ? "\u{1B}[31mhermes-transfer:\u{1B}[0m " : "hermes-transfer: "
    let second = hint.map { "hint: \(DisplayWidth.printable($0))\n" } ?? ""
    return name + DisplayWidth.printable(message) + "\n" + second
  }
}
