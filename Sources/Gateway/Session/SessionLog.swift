import Posix

/// One line an event of a session on standard error.
struct SessionLog: Sendable {
  /// `ws 3 DEVICE what happened`.
  static func line(_ session: Int, _ device: String?, _ text: String) -> String {
    "ws \(session) \(AccessLog.printable(device ?? "-")) \(AccessLog.printable(text, spaces: true))\n"
  }

  func write(_ session: Int, _ device: String?, _ text: String) {
    StandardStreams.tell(Self.line(session, device, text), on: .error)
  }
}
