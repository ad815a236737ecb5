/// Text that must not be seen: printing it in any way shows its last four characters at most.
public struct Secret: Hashable, Sendable {
  /// The text itself, for the wire alone.
  public let exposed: String

  /// Shorter ones would be given away by four of their characters.
  static let shownFromCount = 12

  public init(_ text: String) { exposed = text }

  /// What may be shown: `…` and the last four characters of a long one.
  public var shown: String { exposed.count < Self.shownFromCount ? "…" : "…\(exposed.suffix(4))" }
}

extension Secret {
  /// `text`, which may come from outside, with the secret in it replaced by what may be shown.
  public func hidden(in text: String) -> String {
    guard !exposed.isEmpty else { return text }
    return text.replacing(exposed, with: shown).replacing(GatewayURL.encoded(exposed), with: shown)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { shown }
  public var debugDescription: String { shown }
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
