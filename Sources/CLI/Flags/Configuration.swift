import CInih
import Core

/// The defaults of flags from an INI file: one `flag = value` a line, a switch alone on its line.
struct Configuration: Hashable, Sendable {
  let path: String
  private(set) var values: [FlagName: [String]] = [:]

  static let none = Configuration(path: "")

  private init(path: String) { self.path = path }

  /// Reads the file's text; unknown keys are errors, since a default that is silently ignored may be one for safety.
  init(text: String, path: String) throws(TransferFailure) {
    self.path = path
    guard !text.utf8.contains(0) else { throw TransferFailure(.usage, "cannot read \(path): it is not a text file") }
    var entries: [Entry] = []
    let badLine = unsafe withUnsafeMutablePointer(to: &entries) { entries in
      unsafe hermes_ini_parse(text, collect, entries)
    }
    guard badLine == 0 else {
      throw TransferFailure(.usage, "cannot read \(path): line \(badLine) is not flag = value")
    }
    for entry in entries { try add(entry) }
  }

  private mutating func add(_ entry: Entry) throws(TransferFailure) {
    guard entry.section.isEmpty else {
      throw TransferFailure(.usage, "cannot read \(path): unknown section [\(entry.section)]")
    }
    guard let flag = FlagTable.flag(long: entry.key), flag.isLasting, flag.name != .config else {
      let known = FlagTable.all.filter { $0.isLasting && $0.name != .config }.map(\.name.rawValue)
      let nearest = NearestWord.find(entry.key, in: known)
      throw TransferFailure(
        .usage, "cannot read \(path): \(entry.key) is not a flag that can stand there",
        hint: nearest.map { "did you mean \($0)?" })
    }
    let value = entry.value ?? (flag.argument == nil ? "true" : "")
    values[flag.name, default: []].append(value)
  }
}

/// One line of the file.
private struct Entry {
  let section: String
  let key: String
  let value: String?
}

/// libinih's handler; the names are valid for the call only, so they are copied.
private func collect(
  user: UnsafeMutableRawPointer?, section: UnsafePointer<CChar>?, key: UnsafePointer<CChar>?,
  value: UnsafePointer<CChar>?
) -> CInt {
  guard let user = unsafe user, let section = unsafe section, let key = unsafe key else { return 0 }
  let entry = unsafe Entry(
    section: String(cString: section), key: String(cString: key), value: value.map { unsafe String(cString: $0) })
  unsafe user.assumingMemoryBound(to: [Entry].self).pointee.append(entry)
  return 1
}
