/// How many columns text takes on a terminal: wide scripts and emoji two, combining marks none.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ (32..<127).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The sum of its scalars: terminals that show a family of emoji in two columns are few, and too many columns counted
  /// only leave a gap, while too few break the line. U+FE0F asks for the emoji form, which is wide.
  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      width = scalar.value == 0xFE0F && width == 1 ? 2 : width + of(scalar)
    }
    return width
  }

  static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return isControl(scalar) || scalar.value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // Hangul vowels and finals join the consonant before them.
    if (0x1160..<0x1200).contains(scalar.value) { return 0 }
    return isWide(scalar.value) ? 2 : 1
  }

  /// The text without what would move the cursor, cut to at most `width` columns with an ellipsis for what is lost.
  static func fit(_ text: String, into width: Int) -> String {
    let shown = printable(text)
    guard of(shown) > width else { return shown }
    guard width > 0 else { return "" }
    var result = ""
    var used = 0
    for character in shown {
      let next = of(character)
      if used + next > width - 1 { break }
      result.append(character)
      used += next
    }
    return result + "…"
  }

  /// `fit`, then filled up with spaces.
  static func pad(_ text: String, to width: Int) -> String {
    let shown = fit(text, into: width)
    return shown + String(repeating: " ", count: max(0, width - of(shown)))
  }

  /// Replaces control characters: a name from outside must not steer the terminal.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isControl(scalar) ? "?" : scalar) }
    return String(result)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var low = 0
    var high = wide.count
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound <= value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// East Asian Wide and Fullwidth with the emoji shown wide (Unicode 16, EastAsianWidth.txt), neighbours joined.
  private static let wide: [Range<UInt32>] = [
    0x1100..<0x1160, 0x231A..<0x231C, 0x2329..<0x232B, 0x23E9..<0x23ED, 0x23F0..<0x23F1, 0x23F3..<0x23F4,
    0x25FD..<0x25FF, 0x2614..<0x2616, 0x2630..<0x2638, 0x2648..<0x2654, 0x267F..<0x2680, 0x268A..<0x2690,
    0x2693..<0x2694, 0x26A1..<0x26A2, 0x26AA..<0x26AC, 0x26BD..<0x26BF, 0x26C4..<0x26C6, 0x26CE..<0x26CF,
    0x26D4..<0x26D5, 0x26EA..<0x26EB, 0x26F2..<0x26F4, 0x26F5..<0x26F6, 0x26FA..<0x26FB, 0x26FD..<0x26FE,
    0x2705..<0x2706, 0x270A..<0x270C, 0x2728..<0x2729, 0x274C..<0x274D, 0x274E..<0x274F, 0x2753..<0x2756,
    0x2757..<0x2758, 0x2795..<0x2798, 0x27B0..<0x27B1, 0x27BF..<0x27C0, 0x2B1B..<0x2B1D, 0x2B50..<0x2B51,
    0x2B55..<0x2B56, 0x2E80..<0x2E9A, 0x2E9B..<0x2EF4, 0x2F00..<0x2FD6, 0x2FF0..<0x303F, 0x3041..<0x3097,
    0x3099..<0x3100, 0x3105..<0x3130, 0x3131..<0x318F, 0x3190..<0x31E6, 0x31EF..<0x321F, 0x3220..<0x3248,
    0x3250..<0xA48D, 0xA490..<0xA4C7, 0xA960..<0xA97D, 0xAC00..<0xD7A4, 0xF900..<0xFB00, 0xFE10..<0xFE1A,
    0xFE30..<0xFE53, 0xFE54..<0xFE67, 0xFE68..<0xFE6C, 0xFF01..<0xFF61, 0xFFE0..<0xFFE7, 0x16FE0..<0x16FE5,
    0x16FF0..<0x16FF2, 0x17000..<0x187F8, 0x18800..<0x18CD6, 0x18CFF..<0x18D09, 0x1AFF0..<0x1AFF4,
    0x1AFF5..<0x1AFFC, 0x1AFFD..<0x1AFFF, 0x1B000..<0x1B123, 0x1B132..<0x1B133, 0x1B150..<0x1B153,
    0x1B155..<0x1B156, 0x1B164..<0x1B168, 0x1B170..<0x1B2FC, 0x1D300..<0x1D357, 0x1D360..<0x1D377,
    0x1F004..<0x1F005, 0x1F0CF..<0x1F0D0, 0x1F18E..<0x1F18F, 0x1F191..<0x1F19B, 0x1F200..<0x1F203,
    0x1F210..<0x1F23C, 0x1F240..<0x1F249, 0x1F250..<0x1F252, 0x1F260..<0x1F266, 0x1F300..<0x1F321,
    0x1F32D..<0x1F336, 0x1F337..<0x1F37D, 0x1F37E..<0x1F394, 0x1F3A0..<0x1F3CB, 0x1F3CF..<0x1F3D4,
    0x1F3E0..<0x1F3F1, 0x1F3F4..<0x1F3F5, 0x1F3F8..<0x1F43F, 0x1F440..<0x1F441, 0x1F442..<0x1F4FD,
    0x1F4FF..<0x1F53E, 0x1F54B..<0x1F54F, 0x1F550..<0x1F568, 0x1F57A..<0x1F57B, 0x1F595..<0x1F597,
    0x1F5A4..<0x1F5A5, 0x1F5FB..<0x1F650, 0x1F680..<0x1F6C6, 0x1F6CC..<0x1F6CD, 0x1F6D0..<0x1F6D3,
    0x1F6D5..<0x1F6D8, 0x1F6DC..<0x1F6E0, 0x1F6EB..<0x1F6ED, 0x1F6F4..<0x1F6FD, 0x1F7E0..<0x1F7EC,
    0x1F7F0..<0x1F7F1, 0x1F90C..<0x1F93B, 0x1F93C..<0x1F946, 0x1F947..<0x1FA00, 0x1FA70..<0x1FA7D,
    0x1FA80..<0x1FA8A, 0x1FA8F..<0x1FAC7, 0x1FACE..<0x1FADD, 0x1FADF..<0x1FAEA, 0x1FAF0..<0x1FAF9,
    0x20000..<0x2FFFE, 0x30000..<0x3FFFE,
  ]
}
