extension StringProtocol {
  /// Without the optional white space that header grammar allows around a value (RFC 9110 §5.6.3).
  var withoutOuterSpace: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  /// The number that decimal digits spell, at most `Int64.max`; nil for anything else.
  ///
  /// `bytes=0-99999999999999999999` is a valid range, so a number too large must not become "no number".
  var decimalCount: Int64? {
    guard !isEmpty else { return nil }
    var count: Int64 = 0
    for byte in utf8 {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tens, tensOverflow) = count.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflow) = tens.addingReportingOverflow(Int64(byte - 0x30))
      count = tensOverflow || sumOverflow ? .max : sum
    }
    return count
  }

  /// Whether this may stand in a header as a token (RFC 9110 §5.6.2).
  var isToken: Bool {
    !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
  }
}
