/// The sections of profiles in the configuration's text, line by line: what people wrote stays as they wrote it.
///
/// The reading is inih's, which `Configuration` uses: lines end with LF, white space around them does not count, `;` and
/// `#` begin comments, a section's name ends at the first `]`.
enum ProfileText {
  /// inih cuts a section's name off after 49 bytes.
  static let maxNameByteCount = 40

  /// Letters, digits, `.`, `_` and `-`, the last two not in front: it is a file's name and an argument too.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
    return text.utf8.count <= maxNameByteCount && text.utf8.allSatisfy(isNameByte)
  }

  /// The profile that a section's name means; nil when it is another section.
  static func name(ofSection section: Substring) -> String? {
    let words = section.split { $0 == " " || $0 == "\t" }
    guard words.count == 2, words[0] == "profile", isName(String(words[1])) else { return nil }
    return String(words[1])
  }

  /// The profiles that have a section, in the order of the text.
  static func names(in text: String) -> [String] {
    var names: [String] = []
    for line in lines(of: text) {
      if case .section(let section) = Line(line), let name = name(ofSection: section), !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// The text with a section more, at its end.
  static func adding(_ name: String, _ entries: [(flag: FlagName, value: String?)], to text: String) -> String {
    var result = text
    if !result.isEmpty { result += result.utf8.last == UInt8(ascii: "\n") ? "\n" : "\n\n" }
    result += "[profile \(name)]\n"
    for entry in entries {
      result += entry.value.map { "\(entry.flag.rawValue) = \($0)\n" } ?? "\(entry.flag.rawValue)\n"
    }
    return result
  }

  /// The text without the sections of a profile. Comments stay, wherever they stand: they may be about what follows.
  static func removing(_ name: String, from text: String) -> String {
    var kept: [Substring] = []
    var isWithin = false
    for line in lines(of: text) {
      switch Line(line) {
      case .section(let section):
        isWithin = self.name(ofSection: section) == name
        if !isWithin { kept.append(line) } else { dropGap(from: &kept) }
      case .entry where isWithin: break
      case .entry, .nothing: kept.append(line)
      }
    }
    dropFirstGap(of: &kept, in: text)
    return kept.joined(separator: "\n")
  }

  /// Lines that parted the first section from the next one.
  private static func dropFirstGap(of lines: inout [Substring], in text: String) {
    guard let first = self.lines(of: text).first, !first.utf8.allSatisfy(Line.isSpace) else { return }
    while lines.count > 1, lines[0].utf8.allSatisfy(Line.isSpace) { lines.removeFirst() }
  }

  /// An empty line that parted a section from what was before it goes with the section; the text's first one stays.
  private static func dropGap(from lines: inout [Substring]) {
    if lines.count > 1, let last = lines.last, last.utf8.allSatisfy(Line.isSpace) { lines.removeLast() }
  }

  /// By byte: for Swift CR and LF are one character.
  private static func lines(of text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// What inih takes a line for.
  private enum Line {
    case section(Substring)
    case entry
    /// A comment, or an empty line.
    case nothing

    init(_ line: Substring) {
      var bytes = line.utf8.drop(while: Self.isSpace)
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3).drop(while: Self.isSpace) }
      switch bytes.first {
      case nil, UInt8(ascii: ";"), UInt8(ascii: "#"): self = .nothing
      case UInt8(ascii: "["):
        let name = bytes.dropFirst()
        self = name.firstIndex(of: UInt8(ascii: "]")).map { .section(Substring(name[..<$0])) } ?? .entry
      default: self = .entry
      }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
  }
}
