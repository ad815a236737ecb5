import Core

/// A flag's value after its check.
enum FlagValue: Hashable, Sendable {
  case isOn(Bool)
  case text(String)
  /// Nil for the word that leaves it to us.
  case count(Int?)
  case bytesPerSecond(Int64)
  case seconds(Double)
}

extension Flag {
  /// Reads a value's text; nil when it is not of the flag's kind.
  func value(of text: String) -> FlagValue? {
    guard let argument else { return Self.switchValue(of: text).map { .isOn($0) } }
    switch argument.kind {
    case .text, .file, .folder, .url: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
    case .choice(let words): return words.contains(text) ? .text(text) : nil
    case .count(let range): return Int(text).flatMap { range.contains($0) ? .count($0) : nil }
    case .countOr(let word, let range):
      if text == word { return .count(nil) }
      return Int(text).flatMap { range.contains($0) ? .count($0) : nil }
    case .rate: return Self.rate(of: text)
    case .duration: return Self.duration(of: text)
    }
  }

  /// What the value should have looked like, for an error.
  var expectation: String {
    guard let argument else { return "true or false" }
    switch argument.kind {
    case .text, .file, .folder, .url: return argument.label
    case .choice(let words): return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .count(let range): return Self.span(range)
    case .countOr(let word, let range): return "\(Self.span(range)) or \(word)"
    case .rate: return "bytes a second, such as 500k or 2M"
    case .duration: return "a duration, such as 500ms, 30s, 5m or 7d"
    }
  }

  private static func span(_ range: Range<Int>) -> String { "\(range.lowerBound) to \(range.upperBound - 1)" }

  private static func switchValue(of text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }
}

extension Flag {
  /// `500k`, `2M` and `1.5MB/s`: powers of 1024 or, with B, of 1000; nil below one byte a second.
  fileprivate static func rate(of text: String) -> FlagValue? {
    let body = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
    let factors: [String: Double] = [
      "": 1, "k": 1024, "M": 1_048_576, "G": 1_073_741_824, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    ]
    guard let (number, unit) = split(body), let factor = factors[unit] else { return nil }
    let bytes = number * factor
    return bytes >= 1 && bytes < 9e18 ? .bytesPerSecond(Int64(bytes)) : nil
  }

  /// `500ms 30s 5m 2h 7d`, at least a millisecond.
  fileprivate static func duration(of text: String) -> FlagValue? {
    let factors: [String: Double] = ["ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let (number, unit) = split(text[...]), let factor = factors[unit] else { return nil }
    let seconds = number * factor
    return seconds >= 0.001 && seconds < 1e9 ? .seconds(seconds) : nil
  }

  private static func split(_ text: Substring) -> (number: Double, unit: String)? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard digits.first != ".", let number = Double(digits) else { return nil }
    return (number, String(text.dropFirst(digits.count)))
  }
}
