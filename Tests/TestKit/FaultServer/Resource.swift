import Glibc

/// What a server holds under one path.
public struct Resource: Sendable {
  public var content: Content
  /// The ETag header's value, quotes included; nil for none.
  public var tag: String?
  /// Seconds before it was put there that it was changed; nil for no Last-Modified.
  public var age: Int?
  public var mediaType = "application/octet-stream"
  /// When it was put there: the same date with every answer.
  let born = time(nil)

  public init(_ content: Content, tag: String? = "\"E1\"", age: Int? = nil) {
    self.content = content
    self.tag = tag
    self.age = age
  }

  /// Pattern bytes: the usual thing to fetch.
  public static func pattern(
    _ seed: UInt64 = 1, byteCount: Int64, tag: String? = "\"E1\"", age: Int? = nil
  ) -> Resource {
    Resource(.pattern(Pattern(seed), byteCount: byteCount), tag: tag, age: age)
  }

  public static func text(_ text: String, tag: String? = "\"E1\"") -> Resource {
    Resource(.bytes(Array(text.utf8)), tag: tag)
  }
}

/// Dates as RFC 9110 §5.6.7 writes them.
public enum HTTPDate {
  /// The date so many seconds from now.
  public static func text(secondsFromNow seconds: Int) -> String { text(at: time(nil) + seconds) }

  static func text(at moment: Int) -> String {
    var moment = moment
    var fields = tm()
    gmtime_r(&moment, &fields)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day = days[Int(fields.tm_wday)]
    let month = months[Int(fields.tm_mon)]
    let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map(twoDigits).joined(separator: ":")
    return "\(day), \(twoDigits(fields.tm_mday)) \(month) \(fields.tm_year + 1900) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
