extension Quantity {
  /// Seconds since 1970 from `+2h30m` after `now`, or from an ISO 8601 date with or without a time of day and an offset:
  /// `2026-12-01T08:00:30.5+01:00`, `2026-12-01 08:00`, `2026-12-01`.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - utcOffsetSeconds: what to take off a time that names no offset: the local zone's distance from UTC, east
  ///     positive.
  public static func time(reading text: String, now: Double, utcOffsetSeconds: Int) throws(Invalid) -> Double {
    if text.utf8.first == UInt8(ascii: "+") { return now + (try seconds(text.dropFirst(), otherwise: .time)) }
    var reader = TimeReader(text)
    guard let seconds = reader.seconds(utcOffsetSeconds: utcOffsetSeconds) else { throw .time }
    return seconds
  }
}

/// Reads the part of ISO 8601 that people and programs write (RFC 3339 §5.6, and times without an offset).
private struct TimeReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  mutating func seconds(utcOffsetSeconds: Int) -> Double? {
    guard let day = day() else { return nil }
    let midnight = Double(day) * 86_400
    if rest.isEmpty { return midnight - Double(utcOffsetSeconds) }
    guard take("T") || take("t") || take(" "), let ofDay = secondsOfDay() else { return nil }
    if rest.isEmpty { return midnight + ofDay - Double(utcOffsetSeconds) }
    guard let offset = offset(), rest.isEmpty else { return nil }
    return midnight + ofDay - Double(offset)
  }

  private mutating func day() -> Int? {
    guard let year = number(4, in: 1970...9999), take("-"), let month = number(2, in: 1...12), take("-"),
      let day = number(2, in: 1...CivilDate.dayCount(ofMonth: month, year: year))
    else { return nil }
    return CivilDate.daysSince1970(year: year, month: month, day: day)
  }

  private mutating func secondsOfDay() -> Double? {
    guard let hour = number(2, in: 0...23), take(":"), let minute = number(2, in: 0...59) else { return nil }
    let seconds = Double(hour * 3600 + minute * 60)
    guard take(":") else { return seconds }
    // A leap second is the second after it: nobody here counts them.
    guard let second = number(2, in: 0...60) else { return nil }
    guard take(".") else { return seconds + Double(second) }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...9).contains(digits.count), let fraction = Double("0." + String(Substring(digits))) else { return nil }
    rest = rest[digits.endIndex...]
    return seconds + Double(second) + fraction
  }

  /// `Z`, `+01:00`, `+0100` or `+01`, in seconds.
  private mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isEast = take("+")
    guard isEast || take("-"), let hours = number(2, in: 0...23) else { return nil }
    var seconds = hours * 3600
    if !rest.isEmpty {
      _ = take(":")
      guard let minutes = number(2, in: 0...59) else { return nil }
      seconds += minutes * 60
    }
    return isEast ? seconds : -seconds
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func number(_ digitCount: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(digitCount)
    guard digits.count == digitCount, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(Substring(digits)), range.contains(number)
    else { return nil }
    rest = rest.dropFirst(digitCount)
    return number
  }
}

/// Days of the Gregorian calendar.
enum CivilDate {
  static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Years that begin in March have their leap day last (Howard Hinnant, "chrono-compatible low-level date algorithms").
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
