internal import Glibc

/// Paths as text; nothing is looked up, but for the current folder.
///
/// All of it goes by bytes, as the kernel does: for Swift a slash and a combining accent behind it are one character,
/// and not a slash.
public enum Paths {
  private static let slash = UInt8(ascii: "/")

  /// Whether it starts at the root.
  public static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

  /// The path from the root, without `.`, `..` and double slashes. Symbolic links are left as they are.
  public static func absolute(_ path: String) throws(Errno) -> String {
    normalised(isAbsolute(path) ? path : join(try currentFolder(), path))
  }

  /// An absolute path without `.`, `..` and double slashes.
  static func normalised(_ path: String) -> String {
    var names: [Substring.UTF8View] = []
    for name in path.utf8.split(separator: slash) {
      if name.elementsEqual(".".utf8) { continue }
      if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.map { String(Substring($0)) }.joined(separator: "/")
  }

  /// Where relative paths start; the C function is `getcwd`.
  public static func currentFolder() throws(Errno) -> String {
    guard let path = unsafe getcwd(nil, 0) else { throw .last }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// What stands before the last name: `.` for a name alone, `/` for the root and what is in it.
  public static func folder(_ path: String) -> String {
    let trimmed = withoutEndingSlashes(path)
    guard let index = trimmed.utf8.lastIndex(of: slash) else { return isAbsolute(path) ? "/" : "." }
    let folder = withoutEndingSlashes(String(trimmed[..<index]))
    return folder.isEmpty ? "/" : folder
  }

  /// The last name, without slashes behind it; empty for the root.
  public static func lastName(_ path: String) -> String {
    let trimmed = withoutEndingSlashes(path)
    guard let index = trimmed.utf8.lastIndex(of: slash) else { return trimmed }
    return String(trimmed[trimmed.utf8.index(after: index)...])
  }

  /// A name in a folder; a name that is an absolute path stays one.
  public static func join(_ folder: String, _ name: String) -> String {
    if isAbsolute(name) || folder.isEmpty { return name }
    return folder.utf8.last == slash ? folder + name : "\(folder)/\(name)"
  }

  private static func withoutEndingSlashes(_ path: String) -> String {
    String(Substring(path.utf8.prefix(path.utf8.count - path.utf8.reversed().prefix { $0 == slash }.count)))
  }
}
