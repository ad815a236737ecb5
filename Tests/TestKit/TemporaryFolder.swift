import Glibc

/// A folder of its own below the system's temporary folder, removed with everything in it when it is let go.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init(_ label: String = "test") {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/hermes-\(label)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("cannot make a temporary folder in \(parent): \(String(cString: strerror(errno)))")
    }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { TestFiles.removeTree(path) }

  /// The absolute path of a name in this folder.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder in this one and gives its absolute path.
  @discardableResult
  public func folder(_ name: String) -> String {
    let made = path(name)
    precondition(mkdir(made, 0o755) == 0 || errno == EEXIST, "cannot make \(made): \(String(cString: strerror(errno)))")
    return made
  }

  /// Writes a file in this folder and gives its absolute path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) -> String {
    TestFiles.write(bytes, to: path(name))
    return path(name)
  }

  /// Writes a text file in this folder and gives its absolute path.
  @discardableResult
  public func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }

  /// The names in this folder, sorted, hidden ones too.
  public var names: [String] { TestFiles.names(in: path) }
}
