extension WebURL {
  /// A URL reference in its five pieces (RFC 3986 appendix B), none of them decoded.
  struct Reference {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(checking text: String, allowsSpace: Bool) throws(Invalid) {
      guard !text.isEmpty else { throw .notURL }
      let isClean = text.unicodeScalars.allSatisfy { scalar in
        if scalar == " " { return allowsSpace }
        // The usual case without a look into Unicode's tables.
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7f }
        return scalar.properties.generalCategory != .control && !scalar.properties.isWhitespace
      }
      guard isClean else { throw .forbiddenCharacter }
      var rest = Substring(text)
      fragment = Self.cut(&rest, from: UInt8(ascii: "#"))
      query = Self.cut(&rest, from: UInt8(ascii: "?"))
      scheme = Self.scheme(of: &rest)
      if rest.utf8.starts(with: "//".utf8) {
        let afterSlashes = Substring(rest.utf8.dropFirst(2))
        let end = afterSlashes.utf8.firstIndex(of: UInt8(ascii: "/")) ?? afterSlashes.endIndex
        authority = afterSlashes[..<end]
        rest = afterSlashes[end...]
      }
      path = rest
    }

    /// By byte, as everywhere here: a combining mark behind a `?` makes one character of both.
    private static func cut(_ rest: inout Substring, from mark: UInt8) -> Substring? {
      guard let index = rest.utf8.firstIndex(of: mark) else { return nil }
      defer { rest = rest[..<index] }
      return rest[rest.utf8.index(after: index)...]
    }

    private static func scheme(of rest: inout Substring) -> Substring? {
      guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let name = rest[..<colon]
      let after = rest[rest.utf8.index(after: colon)...]
      // `localhost:8080/x` is a host and its port, not a scheme that nobody knows.
      let isPort = after.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
      guard let first = name.utf8.first, isLetter(first), name.utf8.allSatisfy(isSchemeByte), !isPort else {
        return nil
      }
      rest = after
      return name
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  /// Who and where: `user:password@host:port`.
  struct Authority {
    var userInfo: String?
    var host: String
    var port: Int

    init(_ text: Substring, scheme: Scheme) throws(Invalid) {
      // Browsers take a backslash for a slash, so that `h\@evil` names two hosts: neither is taken.
      guard !text.utf8.contains(UInt8(ascii: "\\")) else { throw .badHost }
      var rest = text
      if let at = rest.utf8.firstIndex(of: UInt8(ascii: "@")) {
        // The first one, as libcurl 7.88 has it; a second one then stands in the host and is refused.
        userInfo = at == rest.startIndex ? nil : WebURL.encoded(rest[..<at])
        rest = rest[rest.utf8.index(after: at)...]
      }
      let end = try Self.endOfHost(in: rest)
      let name = rest[..<end]
      guard !name.isEmpty else { throw .noHost }
      let isFine = name.utf8.first == UInt8(ascii: "[") ? Self.isAddress(name) : Self.isName(name)
      guard isFine else { throw .badHost }
      host = name.lowercased()
      port = try Self.port(rest[end...]) ?? scheme.defaultPort
    }

    private static func endOfHost(in text: Substring) throws(Invalid) -> Substring.Index {
      guard text.utf8.first == UInt8(ascii: "[") else {
        return text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
      }
      guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { throw .badHost }
      return text.utf8.index(after: bracket)
    }

    /// Letters, digits, `-._` and what internationalised names are made of; nothing that parsers could disagree on.
    private static func isName(_ name: Substring) -> Bool {
      name.unicodeScalars.allSatisfy { scalar in
        guard !scalar.isASCII else { return isNameByte(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
          .spacingMark:
          return true
        default: return false
        }
      }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
    }

    /// Roughly an IPv6 address, with the zone that RFC 6874 writes as `%25eth0`; libcurl looks closer.
    private static func isAddress(_ name: Substring) -> Bool {
      guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
      let pieces = name.dropFirst().dropLast().split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
      if pieces.count == 2, pieces[1].isEmpty || !pieces[1].utf8.allSatisfy(isNameByte) { return false }
      return pieces[0].count { $0 == ":" } >= 2 && pieces[0].allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    /// Nil when no port is given; an empty one is none (RFC 3986 §3.2.3).
    private static func port(_ text: Substring) throws(Invalid) -> Int? {
      guard let mark = text.utf8.first else { return nil }
      guard mark == UInt8(ascii: ":") else { throw .badHost }
      let digits = Substring(text.utf8.dropFirst())
      if digits.isEmpty { return nil }
      guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0 else {
        throw .badPort
      }
      return Int(port)
    }
  }
}

extension WebURL {
  /// The URL that a Location header means (RFC 3986 §5.2); spaces in it are encoded, as servers send them raw.
  public func resolve(_ location: String) throws(Invalid) -> WebURL {
    var target = try Reference(checking: location, allowsSpace: true)
    if target.scheme != nil { return try WebURL(target) }
    target.scheme = Substring(scheme.rawValue)
    if target.authority == nil {
      target.authority = Substring(authority)
      if target.path.isEmpty {
        target.path = Substring(path)
        target.query = target.query ?? query.map { Substring($0) }
      } else if target.path.utf8.first != UInt8(ascii: "/") {
        target.path = Substring("\(folder)\(target.path)")
      }
    }
    return try WebURL(target)
  }

  private var authority: String { "\(userInfo.map { "\($0)@" } ?? "")\(host):\(port)" }

  /// The path up to and with its last slash.
  private var folder: Substring { path[...(path.lastIndex(of: "/") ?? path.startIndex)] }

  /// Without `.` and `..` segments (RFC 3986 §5.2.4), which libcurl would remove as well.
  static func withoutDots(_ path: String) -> String {
    // Only a segment that begins with a dot, plain or encoded, can be one of them.
    guard path.utf8.contains(UInt8(ascii: ".")) || path.utf8.contains(UInt8(ascii: "%")) else { return path }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (number, segment) in segments.enumerated() {
      let isLast = number == segments.count - 1
      // `%2e%2e` is the longest spelling of them.
      switch segment.utf8.count <= 6 ? segment.lowercased().replacing("%2e", with: ".") : "" {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
