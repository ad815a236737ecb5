/// Numbers as the bars and tables show them.
enum Figures {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// `512 B`, `1.5 MiB`; at most 10 columns.
  static func bytes(_ count: Int64) -> String { scaled(Double(max(0, count))) }

  /// `4.7G`, `117M`; at most 4 columns, for narrow windows.
  static func compactBytes(_ count: Int64) -> String {
    var value = Double(max(0, count))
    var unit = 0
    while value >= 999.5, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    if unit == 0 { return "\(Int(value))B" }
    let tenths = Int((value * 10).rounded())
    let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
    return number + units[unit].prefix(1)
  }

  /// `12.3 MiB/s`; at most 12 columns.
  static func rate(_ bytesPerSecond: Double) -> String {
    scaled(bytesPerSecond.isFinite ? max(0, bytesPerSecond.rounded()) : 0) + "/s"
  }

  /// `0:42`, `1:02:03`, `3d 4h`; at most 8 columns.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1000 * 86_400 else { return "∞" }
    let whole = Int(max(0, seconds).rounded(.up))
    if whole >= 100 * 3600 { return "\(whole / 86_400)d \(whole % 86_400 / 3600)h" }
    let tail = "\(twoDigits(whole % 60))"
    if whole < 3600 { return "\(whole / 60):\(tail)" }
    return "\(whole / 3600):\(twoDigits(whole % 3600 / 60)):\(tail)"
  }

  static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func scaled(_ value: Double) -> String {
    var value = value
    var unit = 0
    // What would round to 1024.0 goes to the next unit.
    while value >= (unit == 0 ? 1024 : 1023.95), unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    if unit == 0 { return "\(Int(value)) B" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
