import Core

/// A flag's value after its check.
enum FlagValue: Hashable, Sendable {
  case isOn(Bool)
  case text(String)
  /// Nil for the word that leaves it to us.
  case count(Int?)
  case bytesPerSecond(Int64)
  case bytes(Int64)
  case seconds(Double)
}

extension Flag {
  /// Reads a value's text; nil when it is not of the flag's kind.
  func value(of text: String) -> FlagValue? {
    guard let argument else { return Self.switchValue(of: text).map { .isOn($0) } }
    switch argument.kind {
    case .text, .profile, .file, .folder, .url: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
    case .choice(let words): return words.contains(text) ? .text(text) : nil
    case .count(let range): return Int(text).flatMap { range.contains($0) ? .count($0) : nil }
    case .countOr(let word, let range):
      if text == word { return .count(nil) }
      return Int(text).flatMap { range.contains($0) ? .count($0) : nil }
    case .rate, .size, .duration: return quantity(of: text)
    }
  }

  private func quantity(of text: String) -> FlagValue? {
    do throws(Quantity.Invalid) {
      if argument?.kind == .size { return .bytes(try Quantity.byteCount(reading: text)) }
      if argument?.kind == .rate { return .bytesPerSecond(try Quantity.bytesPerSecond(reading: text)) }
      let seconds = try Quantity.seconds(reading: text)
      return seconds > 0 ? .seconds(seconds) : nil
    } catch {
      return nil
    }
  }

  /// What the value should have looked like, for an error.
  var expectation: String {
    guard let argument else { return "true or false" }
    switch argument.kind {
    case .text, .profile, .file, .folder, .url: return argument.label
    case .choice(let words): return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .count(let range): return Self.span(range)
    case .countOr(let word, let range): return "\(Self.span(range)) or \(word)"
    case .size: return "bytes, such as 512k or 3M"
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
