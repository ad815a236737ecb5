/// Sizes, rates, durations and times as people write and read them.
public enum Quantity {
  /// Why a text is no such quantity.
  public enum Invalid: Error, Hashable, Sendable {
    case size, rate, duration, time, tooLarge

    public var message: String {
      switch self {
      case .size: "not a size, such as 500k, 1.5M or 2GB"
      case .rate: "not a rate, such as 500k, 1.5M or 2MB/s"
      case .duration: "not a duration, such as 500ms, 30s, 5m or 7d"
      case .time: "not a time, such as 2026-12-01T08:00Z or +2h30m"
      case .tooLarge: "too large a number"
      }
    }
  }

  /// Bytes from `1000`, `500k`, `1.5M`, `2GiB` (powers of 1024) or `2kB`, `1.5GB` (powers of 1000); parts of a byte
  /// are dropped.
  public static func byteCount(reading text: String) throws(Invalid) -> Int64 {
    try byteCount(text[...], otherwise: .size)
  }

  /// Bytes a second from a size with or without `/s`; at least 1.
  public static func bytesPerSecond(reading text: String) throws(Invalid) -> Int64 {
    let size = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
    let byteCount = try byteCount(size, otherwise: .rate)
    guard byteCount > 0 else { throw .rate }
    return byteCount
  }

  /// Seconds from `500ms`, `30s`, `5m`, `2h`, `7d` or several in a row with the longest first, `1h30m`.
  public static func seconds(reading text: String) throws(Invalid) -> Double {
    try seconds(text[...], otherwise: .duration)
  }

  private static func byteCount(_ text: Substring, otherwise invalid: Invalid) throws(Invalid) -> Int64 {
    var rest = text
    guard let number = Decimal(&rest), let factor = factor(rest) else { throw invalid }
    guard number.isWhole || factor > 1 else { throw invalid }
    // Whole numbers are exact: a Double would round those above 2^53.
    if number.isWhole {
      guard let whole = Int64(number.text) else { throw .tooLarge }
      let (product, isOverflow) = whole.multipliedReportingOverflow(by: factor)
      guard !isOverflow else { throw .tooLarge }
      return product
    }
    let product = number.value * Double(factor)
    guard product < 9.2e18 else { throw .tooLarge }
    return Int64(product)
  }

  /// What a size's unit stands for; `Mb` is none, as it means bits.
  private static func factor(_ unit: Substring) -> Int64? {
    if unit.isEmpty || unit == "B" { return 1 }
    guard let power = "kmgt".firstIndex(of: Character(unit.prefix(1).lowercased())) else { return nil }
    let base: Int64
    switch unit.dropFirst() {
    case "", "iB": base = 1024
    case "B": base = 1000
    default: return nil
    }
    return (0...("kmgt".distance(from: "kmgt".startIndex, to: power))).reduce(1) { product, _ in product * base }
  }
}

extension Quantity {
  /// Digits, perhaps with a point and more digits, at the beginning of a text.
  struct Decimal {
    let text: Substring
    let isWhole: Bool
    let value: Double

    /// Cuts the number off `rest`; nil when it does not begin with one.
    init?(_ rest: inout Substring) {
      let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
      let whole = rest.utf8.prefix(while: isDigit)
      guard !whole.isEmpty else { return nil }
      var end = whole.endIndex
      if end < rest.endIndex, rest.utf8[end] == UInt8(ascii: ".") {
        let fraction = rest.utf8[rest.utf8.index(after: end)...].prefix(while: isDigit)
        guard !fraction.isEmpty else { return nil }
        end = fraction.endIndex
      }
      text = rest[..<end]
      isWhole = end == whole.endIndex
      guard let value = Double(text) else { return nil }
      self.value = value
      rest = rest[end...]
    }
  }

  static let durationUnits: [(name: String, seconds: Double)] = [
    ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1), ("ms", 0.001),
  ]
  /// Some 31 years: what is longer is a slip of the finger.
  static let maxSeconds: Double = 1e9

  static func seconds(_ text: Substring, otherwise invalid: Invalid) throws(Invalid) -> Double {
    var rest = text
    var units = durationUnits[...]
    var total: Double = 0
    repeat {
      guard let number = Decimal(&rest) else { throw invalid }
      let name = rest.prefix { $0.isLetter }
      guard let index = units.firstIndex(where: { $0.name == name }) else { throw invalid }
      total += number.value * units[index].seconds
      units = units[units.index(after: index)...]
      rest = rest[name.endIndex...]
    } while !rest.isEmpty
    guard total < maxSeconds else { throw .tooLarge }
    return total
  }
}
