import Core
import Posix

/// What surrounds a command: variables, folders, the terminal. The one place that asks the system for them.
struct Surroundings: Sendable {
  func variable(_ name: String) -> String? { Process.environment(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// The path from the root; relative ones start at the working folder, or at `folder`.
  func absolute(_ path: String, from folder: String? = nil) -> String {
    let path = folder.map { Paths.join($0, path) } ?? path
    // Where the working folder is gone, a path from the root still means something.
    do throws(Errno) { return try Paths.absolute(path) } catch { return Paths.join("/", path) }
  }

  /// A path with the user's folder in place of a leading `~`, as people write it where no shell reads it.
  func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = Process.homeFolder else { return path }
    return home + path.dropFirst()
  }

  /// The folder that a variable names, else one below the user's own.
  func folder(variable name: String, below path: String) throws(TransferFailure) -> String {
    // Relative paths in these variables are to be ignored (XDG Base Directory Specification).
    if let folder = variable(name), Paths.isAbsolute(folder) { return folder }
    guard let home = Process.homeFolder else {
      throw TransferFailure(.localFile, "cannot find the home folder", hint: "set HOME, or --state-dir and --config")
    }
    return Paths.join(home, path)
  }

  var isInputTerminal: Bool { Terminal.isTerminal(0) }
  var isErrorTerminal: Bool { Terminal.isTerminal(2) }
  var isOutputTerminal: Bool { Terminal.isTerminal(1) }

  func errorWindow() -> WindowSize {
    Terminal.windowSize(2).map { WindowSize(columns: $0.columns, rows: $0.rows) } ?? .unknown
  }

  func outputWindow() -> WindowSize {
    Terminal.windowSize(1).map { WindowSize(columns: $0.columns, rows: $0.rows) } ?? .unknown
  }

  /// The width that a table on standard output may have; endless when it is no terminal.
  func outputColumns() -> Int? { Terminal.windowSize(1).map { max($0.columns, 20) } }

  /// The first line of a small file, such as one with a token.
  func firstLine(ofFile path: String) throws(TransferFailure) -> String {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try Files.openToRead(absolute(path)).readAll(maxByteCount: 65_536)
    } catch {
      throw TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
    let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    guard !line.isEmpty else { throw TransferFailure(.localFile, "cannot read \(path): its first line is empty") }
    return line
  }

  /// The bytes of standard input's first line.
  func firstLineOfInput() throws(TransferFailure) -> [UInt8] {
    do throws(Errno) {
      var reader = LineReader.standardInput()
      return try reader.next() ?? []
    } catch {
      throw TransferFailure(.localFile, "cannot read standard input: \(error)")
    }
  }

  func askPassword(_ question: String) throws(TransferFailure) -> String {
    do throws(Errno) {
      if let answer = try HiddenPrompt.ask(question) { return answer }
    } catch {
      throw TransferFailure(.usage, "cannot ask for the password: \(error)", hint: "--password-file FILE holds it")
    }
    throw TransferFailure(.usage, "no password was given", hint: "--password-file FILE holds it")
  }

  /// The text of a file that may be missing; a link to it is followed, as dotfiles often are links.
  func text(ofFile path: String) throws(TransferFailure) -> String? {
    do throws(Errno) {
      return String(decoding: try Files.openToRead(path).readAll(maxByteCount: 1 << 20), as: UTF8.self)
    } catch {
      if error == .notFound || error == .notFolder { return nil }
      throw TransferFailure(.usage, "cannot read \(path): \(error)")
    }
  }

  /// Whether other users may change a file.
  func isWritableByOthers(_ path: String) -> Bool {
    do throws(Errno) { return try Files.statusIfThere(path).map { $0.mode & 0o022 != 0 } ?? false } catch {
      return false
    }
  }

  func now() -> Moment { Moment(instant: Instant(nanoseconds: Clocks.monotonic()), wall: Clocks.wallClock()) }
}
