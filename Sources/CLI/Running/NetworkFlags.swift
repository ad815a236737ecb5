import Core
import Posix

/// What a flag of the network must look like, where libcurl would notice late, pass it over in silence or repeat it with
/// its password.
enum NetworkFlags {
  /// A line break in a header would let its value add headers of its own.
  static func headers(_ lines: [String]) throws(TransferFailure) -> [String] {
    for line in lines {
      let name = line.prefix { $0 != ":" }
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 32 && $0 < 127 }
      guard isName, name.endIndex < line.endIndex, !line.utf8.contains(13), !line.utf8.contains(10) else {
        throw TransferFailure(
          .usage, "--header \(DisplayWidth.fit(String(name), into: 40)) is not a header line",
          hint: "it takes 'Name: value'")
      }
    }
    return lines
  }

  /// `HOST:PORT:ADDRESS[,ADDRESS]…`, as CURLOPT_RESOLVE(3) has it.
  static func resolve(_ entries: [String]) throws(TransferFailure) -> [String] {
    for entry in entries where !isResolution(entry) {
      throw TransferFailure(.usage, "--resolve cannot be \"\(entry)\"", hint: "it takes HOST:PORT:ADDR")
    }
    return entries
  }

  private static func isResolution(_ entry: String) -> Bool {
    let host = entry.hasPrefix("[") ? entry.prefix { $0 != "]" } : entry.prefix { $0 != ":" }
    let rest = entry[host.endIndex...].drop { $0 == "]" }
    let pieces = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard !host.isEmpty, pieces.count == 3, pieces[0].isEmpty, isPort(pieces[1]), !pieces[2].isEmpty else {
      return false
    }
    return pieces[2].allSatisfy { $0.isHexDigit || ".:,[]".contains($0) }
  }

  /// `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]`; an error shows nothing of it but the scheme.
  static func proxy(_ text: String?) throws(TransferFailure) -> String? {
    guard let text else { return nil }
    var rest = text[...]
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound].lowercased()
      guard proxySchemes.contains(scheme) else {
        throw TransferFailure(
          .usage, "--proxy cannot have the scheme \(scheme)", hint: "it takes \(proxySchemes.joined(separator: ", "))")
      }
      rest = text[mark.upperBound...]
    }
    let place = rest.prefix { $0 != "/" }
    let host = place.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard isPlace(host) else {
      throw TransferFailure(.usage, "--proxy has no host, or a port that is none", hint: "it takes http://host:port")
    }
    return text
  }

  private static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  private static func isPlace(_ text: Substring) -> Bool {
    let host = text.hasPrefix("[") ? text.prefix { $0 != "]" } : text.prefix { $0 != ":" }
    let port = text[host.endIndex...].drop { $0 == "]" }
    guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return false }
    return port.isEmpty || (port.first == ":" && isPort(port.dropFirst()))
  }

  private static func isPort(_ text: Substring) -> Bool { Int(text).map { (1..<65_536).contains($0) } ?? false }

  /// A file that a flag names has to be there: libcurl goes on without cookies or logins that it does not find.
  static func file(_ path: String?, _ surroundings: Surroundings) throws(TransferFailure) -> String? {
    guard let path else { return nil }
    let absolute = surroundings.absolute(path)
    do throws(Errno) {
      let kind = try Files.status(absolute).kind
      guard kind != .folder else { throw .isFolder }
      // Opening a pipe would take what is in it.
      if kind == .file { _ = try Files.openToRead(absolute) }
    } catch {
      throw TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
    return absolute
  }
}
