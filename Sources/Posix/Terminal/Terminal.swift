internal import CPosix
internal import Glibc

/// What a person sits in front of.
public enum Terminal {
  /// The size of a window, in characters.
  public struct WindowSize: Hashable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// Whether a stream is a terminal; the C function is `isatty`.
  public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The size of a terminal's window; nil when it isn't one, or doesn't know.
  public static func windowSize(_ descriptor: Int32) -> WindowSize? {
    var columns: UInt16 = 0
    var rows: UInt16 = 0
    guard unsafe hermes_window_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
    return WindowSize(columns: Int(columns), rows: Int(rows))
  }
}
