/// Which part of the gateway a path belongs to.
enum Route: Equatable, Sendable {
  /// `/`: a line that says what this is.
  case welcome
  /// `/ws`: a session.
  case session
  /// `/media/…`: a file, as the names of its folders and its own.
  case media([String])
  /// Not a path at all: a broken escape, a NUL, text that is not UTF-8.
  case malformed
  case unknown

  init(_ path: String) {
    guard path.hasPrefix("/") else {
      self = .malformed
      return
    }
    // Decoded only after splitting: an escaped slash must not open a folder.
    let names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(PercentCoding.decode)
    guard names.allSatisfy({ $0.map { !$0.utf8.contains(0) } ?? false }) else {
      self = .malformed
      return
    }
    self = Self.named(names.compactMap(\.self))
  }

  private static func named(_ names: [String]) -> Route {
    if names == [""] { return .welcome }
    if names == ["ws"] { return .session }
    guard names.first == "media", names.count > 1, names.dropFirst().allSatisfy(isServable) else { return .unknown }
    return .media(Array(names.dropFirst()))
  }

  /// A name that can only mean an entry of its folder, and not a hidden one (which covers `.` and `..`).
  private static func isServable(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/"))
  }
}
