/// A file name made of text from outside: fit to be created in a folder without leaving it, hiding or misleading.
///
/// The text after the last `/` or `\`, without controls and invisible marks, in NFC, without spaces and dots at its
/// ends, of at most 200 bytes with its extension kept, and never empty.
public struct SafeFileName: Hashable, Sendable {
  public let text: String

  /// Leaves room for ` (12)` and for the part file's name within Linux's 255 bytes (NAME_MAX).
  public static let maxByteCount = 200
  static let systemByteCount = 255

  /// - Parameter fallback: what to be called when nothing of `raw` is left; cleaned as well.
  public init(_ raw: String, fallback: String) {
    text = Self.cleaned(raw) ?? Self.cleaned(fallback) ?? "file"
  }

  /// The name for what comes without one: `download-7k3m9x2q`.
  public static func fallback(kind: String, id: String) -> String { "\(kind)-\(id)" }

  /// `name (2).tar.gz` for a `name.tar.gz` that is taken.
  public static func variant(of name: String, _ number: Int) -> String {
    // What a user typed may be longer than names from outside; it is not cut further than it must be.
    let limit = name.utf8.count <= maxByteCount ? maxByteCount : systemByteCount
    return FileNamePieces(name).joined(inserting: " (\(number))", maxByteCount: limit)
  }

  /// The hidden name beside the target that bytes gather under: `.NAME.ID.hermes-part`.
  public static func partName(for name: String, id: String) -> String {
    let ending = ".\(id).hermes-part"
    return ".\(name[...].prefix(maxByteCount: systemByteCount - 1 - ending.utf8.count))\(ending)"
  }

  private static func cleaned(_ raw: String) -> String? {
    if isCleanASCII(raw) { return raw }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: lastPathPart(raw).unicodeScalars.lazy.filter { !isUnwanted($0) })
    // The standard library's only door to normalisation without Foundation: underscored, but public and ABI.
    let composed = String(decoding: String(kept)._nfcCodeUnits, as: UTF8.self)
    let name = FileNamePieces(String(trimmed(composed[...]))).joined(inserting: "", maxByteCount: maxByteCount)
    let cut = trimmed(name[...])
    // A name that begins with a dash is an option to every program that is given `*`.
    return cut.isEmpty ? nil : cut.utf8.first == UInt8(ascii: "-") ? "_\(cut.dropFirstScalar())" : String(cut)
  }

  /// The usual case, without a look into Unicode's tables: nothing to change.
  private static func isCleanASCII(_ raw: String) -> Bool {
    guard let first = raw.utf8.first, let last = raw.utf8.last, raw.utf8.count <= maxByteCount else { return false }
    guard first != UInt8(ascii: "."), first != UInt8(ascii: "-"), first != 0x20 else { return false }
    guard last != UInt8(ascii: "."), last != 0x20 else { return false }
    return raw.utf8.allSatisfy {
      (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
    }
  }

  private static func lastPathPart(_ raw: String) -> Substring {
    let slash = raw.unicodeScalars.lastIndex { $0 == "/" || $0 == "\\" }
    return slash.map { raw[raw.unicodeScalars.index(after: $0)...] } ?? raw[...]
  }

  /// By scalar: a dot with a combining mark on it is one character, and hides a file all the same.
  private static func trimmed(_ name: Substring) -> Substring {
    let isTrimmed = { (scalar: Unicode.Scalar) in scalar == "." || scalar.properties.isWhitespace }
    var scalars = name.unicodeScalars.drop(while: isTrimmed)
    while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    return Substring(scalars)
  }

  /// What has no picture of its own: controls, bidi and zero-width marks, tags, fillers, line separators.
  private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default:
      // Variation selectors stay: they choose between two pictures of an emoji.
      (scalar.properties.isDefaultIgnorableCodePoint && !(0xfe00...0xfe0f).contains(scalar.value))
        || (0xfff9...0xfffb).contains(scalar.value)
    }
  }
}

/// A file name in two: what may be cut, and the extension that says what it is.
struct FileNamePieces {
  let stem: Substring
  /// With its dot, or empty.
  let ending: Substring

  /// Longer ones are no extensions but sentences with a dot in them.
  static let maxEndingByteCount = 32

  init(_ name: String) {
    var split = Self.lastDot(of: name[...])
    // `.tar.gz` and its kind are one extension.
    if let inner = split.flatMap({ Self.lastDot(of: name[..<$0]) }), let outer = split,
      name[inner..<outer].lowercased() == ".tar"
    {
      split = inner
    }
    stem = split.map { name[..<$0] } ?? name[...]
    ending = split.map { name[$0...] } ?? ""
  }

  /// `stem` + `insertion` + `ending`, the stem cut so that all fit.
  func joined(inserting insertion: String, maxByteCount: Int) -> String {
    let room = maxByteCount - insertion.utf8.count - ending.utf8.count
    return "\(stem.prefix(maxByteCount: room))\(insertion)\(ending)"
  }

  /// Where an extension begins, if there is one with something before it and something behind it.
  private static func lastDot(of name: Substring) -> Substring.Index? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
    let byteCount = name[dot...].utf8.count
    return byteCount > 1 && byteCount <= maxEndingByteCount ? dot : nil
  }
}

extension Substring {
  /// The longest beginning that fits, cut between characters where possible, never within a scalar.
  func prefix(maxByteCount: Int) -> Substring {
    if utf8.count <= maxByteCount { return self }
    var end = utf8.index(startIndex, offsetBy: Swift.max(maxByteCount, 0))
    while utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
    var whole = end
    while String.Index(whole, within: self) == nil { whole = utf8.index(before: whole) }
    // A character may be of any length; one that would leave nothing is cut itself.
    return whole > startIndex ? self[..<whole] : self[..<end]
  }

  func dropFirstScalar() -> Substring { Substring(unicodeScalars.dropFirst()) }
}
