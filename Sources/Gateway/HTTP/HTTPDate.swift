/// A moment as HTTP writes it, in whole seconds since 1970 UTC (RFC 9110 §5.6.7).
struct HTTPDate: Equatable, Sendable {
  let secondsSince1970: Int64

  init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

  /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
  var text: String {
    let days = secondsSince1970.flooringQuotient(86_400)
    let second = secondsSince1970 - days * 86_400
    let civil = CivilDay(daysSince1970: days)
    let weekday = Self.weekdays[Int(((days + 4) % 7 + 7) % 7)]
    let clock = "\(twoDigits(second / 3600)):\(twoDigits(second / 60 % 60)):\(twoDigits(second % 60))"
    let year = String(String(10_000 + civil.year).dropFirst())
    return "\(weekday), \(twoDigits(civil.day)) \(Self.months[civil.month - 1]) \(year) \(clock) GMT"
  }

  /// Reads the preferred form and the two obsolete ones that a server must still accept; nil for anything else.
  init?(_ text: String, now: Int64) {
    let words = text.split { " ,-:".contains($0) }.map(String.init)
    switch words.count {
    case 8 where words[7] == "GMT" && words[3].utf8.count == 4:  // Sun, 06 Nov 1994 08:49:37 GMT
      self.init(day: words[1], month: words[2], year: words[3].decimalCount, clock: words[4...6])
    case 8 where words[7] == "GMT" && words[3].utf8.count == 2:  // Sunday, 06-Nov-94 08:49:37 GMT
      let year = words[3].decimalCount.map { Self.fullYear($0, now: now) }
      self.init(day: words[1], month: words[2], year: year, clock: words[4...6])
    case 7:  // Sun Nov  6 08:49:37 1994
      self.init(day: words[2], month: words[1], year: words[6].decimalCount, clock: words[3...5])
    default: return nil
    }
  }

  private init?(day: String, month: String, year: Int64?, clock: ArraySlice<String>) {
    let numbers = clock.compactMap(\.decimalCount)
    guard let year, (1...9999).contains(year), let month = Self.months.firstIndex(of: month),
      let day = day.decimalCount,
      (1...31).contains(day), numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60
    else { return nil }
    let civil = CivilDay(year: year, month: month + 1, day: day)
    guard CivilDay(daysSince1970: civil.daysSince1970) == civil else { return nil }
    secondsSince1970 = civil.daysSince1970 * 86_400 + numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
  }

  /// A two-digit year more than 50 years ahead means the century before (RFC 9110 §5.6.7).
  private static func fullYear(_ twoDigits: Int64, now: Int64) -> Int64 {
    let thisYear = CivilDay(daysSince1970: now.flooringQuotient(86_400)).year
    let year = thisYear - thisYear % 100 + twoDigits
    return year > thisYear + 50 ? year - 100 : year
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts years from 1 March so that the leap day is the last of its year.
private struct CivilDay: Equatable {
  let year: Int64
  let month: Int
  let day: Int64

  init(year: Int64, month: Int, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(daysSince1970: Int64) {
    let days = daysSince1970 + 719_468  // 0000-03-01 is day 0
    let era = days.flooringQuotient(146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooringQuotient(400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int64 {
  fileprivate func flooringQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
