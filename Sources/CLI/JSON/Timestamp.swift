/// Moments as ISO 8601 in UTC, which sorts as text and needs no time zone.
enum Timestamp {
  /// `2026-12-01T00:49:17.125Z`
  static func precise(_ seconds: Double) -> String {
    let parts = civil(seconds)
    let millis = String(1000 + parts.milliseconds).dropFirst()
    return "\(parts.date)T\(parts.time).\(millis)Z"
  }

  /// `2026-12-01 00:49:17 UTC`
  static func plain(_ seconds: Double) -> String {
    let parts = civil(seconds)
    return "\(parts.date) \(parts.time) UTC"
  }

  /// From days since 1970 to a date of the Gregorian calendar; years start in March, so that leap days are last
  /// (Howard Hinnant, "chrono-compatible low-level date algorithms").
  private static func civil(_ seconds: Double) -> (date: String, time: String, milliseconds: Int) {
    let bounded = seconds.isFinite ? min(max(seconds, 0), 253_402_300_799) : 0
    let total = Int((bounded * 1000).rounded(.down))
    let second = total / 1000
    let day = second / 86_400 + 719_468
    let era = day / 146_097
    let dayOfEra = day % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return (
      "\(year)-\(two(month))-\(two(dayOfYear - (153 * shifted + 2) / 5 + 1))",
      "\(two(second / 3600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))", total % 1000
    )
  }
}
