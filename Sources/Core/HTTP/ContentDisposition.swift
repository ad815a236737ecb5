/// The file name that a Content-Disposition header suggests (RFC 6266), in every form that servers are known to send.
public enum ContentDisposition {
  /// The name as the server means it, decoded but not cleaned: it may be a path, or anything else. Nil without one.
  ///
  /// `filename*` (RFC 8187) wins wherever it stands (RFC 6266 §4.3); of several good values the first is taken.
  public static func fileName(in header: String) -> String? {
    var plain: String?
    var extended: String?
    for parameter in Parameters(header) {
      switch parameter.name {
      case "filename*": extended = extended ?? extendedValue(parameter.value)
      case "filename": plain = plain ?? plainValue(parameter.value)
      default: continue
      }
    }
    return extended ?? plain
  }

  /// `UTF-8'en'na%C3%AFve.txt`. A broken one is as good as none (RFC 8187 §3.2.1): a plain name may stand beside it.
  private static func extendedValue(_ value: String) -> String? {
    let pieces = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3, !pieces[2].isEmpty, PercentText.isWellFormed(pieces[2]) else { return nil }
    let bytes = PercentText.decoded(pieces[2])
    switch pieces[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    // Each byte is the scalar of the same number.
    case "iso-8859-1", "us-ascii": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }

  /// Many servers percent-encode plain names, though no RFC says so; a name like `100%.txt` stays what it is.
  private static func plainValue(_ value: String) -> String? {
    guard !value.isEmpty else { return nil }
    guard PercentText.isWellFormed(value[...]),
      let name = String(validating: PercentText.decoded(value[...]), as: UTF8.self)
    else { return value }
    return name
  }
}

extension ContentDisposition {
  /// The parameters in their order, names in lower case, values unquoted; the disposition's type is passed over.
  struct Parameters: Sequence, IteratorProtocol {
    struct Parameter {
      let name: String
      let value: String
    }

    private var rest: Substring.UTF8View

    init(_ header: String) { rest = header[...].utf8 }

    mutating func next() -> Parameter? {
      while !rest.isEmpty {
        let name = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
        guard rest.first == UInt8(ascii: "=") else {
          // The type, an empty parameter, or a word without a value.
          rest = rest.dropFirst()
          continue
        }
        rest = rest.dropFirst()
        let value = value()
        _ = take { $0 != UInt8(ascii: ";") }
        rest = rest.dropFirst()
        // `attachment filename=x`: some forget the semicolon, so the last word counts.
        let word = name.split(separator: " ").last ?? ""
        return Parameter(name: word.lowercased(), value: value)
      }
      return nil
    }

    private mutating func value() -> String {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return rest.first == UInt8(ascii: "\"") ? quotedValue() : take { $0 != UInt8(ascii: ";") }
    }

    /// A quoted-string (RFC 9110 §5.6.4); one that is never closed reaches to the end.
    private mutating func quotedValue() -> String {
      var bytes: [UInt8] = []
      rest = rest.dropFirst()
      while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
        if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
          bytes.append(escaped)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// What comes next while it is wanted, without the blanks around it.
    private mutating func take(while isWanted: (UInt8) -> Bool) -> String {
      var taken = rest.prefix(while: isWanted)
      rest = rest[taken.endIndex...]
      let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
      taken = taken.drop(while: isBlank)
      while let last = taken.last, isBlank(last) { taken = taken.dropLast() }
      return String(decoding: taken, as: UTF8.self)
    }
  }
}
