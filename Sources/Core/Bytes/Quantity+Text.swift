extension Quantity {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// `512 B`, `1.5 MiB`; at most 10 columns.
  public static func bytes(_ byteCount: Int64) -> String { scaled(Double(max(0, byteCount))) }

  /// `12.3 MiB/s`; at most 12 columns.
  public static func rate(_ bytesPerSecond: Double) -> String {
    scaled(bytesPerSecond.isFinite ? min(max(0, bytesPerSecond.rounded()), 0x1p62) : 0) + "/s"
  }

  /// `4.7G`, `117M`; at most 4 columns, for narrow windows.
  public static func compactBytes(_ byteCount: Int64) -> String {
    let (value, unit) = reduced(Double(max(0, byteCount)), below: 999.5)
    if unit == 0 { return "\(Int(value))B" }
    let isSmall = (value * 10).rounded() < 100
    return (isSmall ? tenths(value) : "\(Int(value.rounded()))") + units[unit].prefix(1)
  }

  /// `0:42`, `1:02:03`, `4d 4h`: how long it takes, rounded up; at most 8 columns, `∞` beyond 1000 days.
  public static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1000 * 86_400 else { return "∞" }
    let whole = Int(max(0, seconds).rounded(.up))
    if whole >= 100 * 3600 { return "\(whole / 86_400)d \(whole % 86_400 / 3600)h" }
    if whole < 3600 { return "\(whole / 60):\(twoDigits(whole % 60))" }
    return "\(whole / 3600):\(twoDigits(whole % 3600 / 60)):\(twoDigits(whole % 60))"
  }

  /// `60 s`, `1.5 s`, `0.25 s`: for messages, to the millisecond.
  public static func seconds(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds) s" }
    let rounded = (seconds * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded)) s" : "\(rounded) s"
  }

  private static func scaled(_ value: Double) -> String {
    // Bytes are whole; 1023.95 KiB would be shown as 1024.0.
    let (value, unit) = value < 1024 ? (value, 0) : reduced(value, below: 1023.95)
    return unit == 0 ? "\(Int(value)) B" : "\(tenths(value)) \(units[unit])"
  }

  private static func reduced(_ value: Double, below limit: Double) -> (value: Double, unit: Int) {
    var value = value
    var unit = 0
    while value >= limit, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    return (value, unit)
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
