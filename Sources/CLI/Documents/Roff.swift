/// Text for mdoc(7).
enum Roff {
  /// Escapes plain text and starts a new line with each sentence, as mdoc wants it.
  static func text(_ plain: String) -> String {
    var lines: [String] = [""]
    let words = plain.split(separator: " ")
    for (index, word) in words.enumerated() {
      if !lines[lines.count - 1].isEmpty { lines[lines.count - 1] += " " }
      lines[lines.count - 1] += escape(String(word))
      if word.hasSuffix("."), index + 1 < words.count { lines.append("") }
    }
    return lines.map(guarded).joined(separator: "\n")
  }

  /// A macro's argument: escaped, and quoted where it has spaces.
  static func argument(_ plain: String) -> String {
    let escaped = escape(plain)
    return escaped.contains(" ") ? "\"\(escaped)\"" : escaped
  }

  /// Hyphens that are typed stay hyphens, backslashes stay backslashes, other scripts go by their number.
  static func escape(_ plain: String) -> String {
    var result = ""
    for scalar in plain.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let hex = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - hex.count)))\(hex)]"
      }
    }
    return result
  }

  /// A line that starts with a control character would be a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&" + line : line
  }
}
