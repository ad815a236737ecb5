/// What tells one state of a file from another: the entity tag and the date of its last change.
struct FileValidators: Equatable, Sendable {
  /// With quotes, and with `W/` when weak; nil when the drill hides it.
  var tag: String?
  /// Whole seconds; nil when the drill hides it.
  var modified: HTTPDate?

  /// The preconditions in the order of RFC 9110 §13.2.2, for a GET or HEAD of something that exists.
  func verdict(on head: RequestHead, now: Int64) -> PreconditionVerdict {
    if let list = head.value("if-match") {
      guard matches(list, strongly: true) else { return .failed }
    } else if let date = head.value("if-unmodified-since").flatMap({ HTTPDate($0, now: now) }), isNewer(than: date) {
      return .failed
    }
    if let list = head.value("if-none-match") {
      if matches(list, strongly: false) { return .notModified }
    } else if let date = head.value("if-modified-since").flatMap({ HTTPDate($0, now: now) }), isNotNewer(than: date) {
      return .notModified
    }
    return .holds
  }

  /// Whether If-Range lets a Range be honoured (RFC 9110 §13.1.5): a strong tag that is ours, or exactly our date.
  func allowsRange(_ head: RequestHead, now: Int64) -> Bool {
    guard let condition = head.value("if-range")?.withoutOuterSpace else { return true }
    if condition.hasPrefix("\"") || condition.hasPrefix("W/") { return isStrong && condition == tag }
    // Within the second of the change the file may change again and keep its date (§8.8.2.2).
    guard let modified, let date = HTTPDate(condition, now: now) else { return false }
    return date == modified && modified.secondsSince1970 < now
  }

  private var isStrong: Bool { tag.map { !$0.hasPrefix("W/") } ?? false }

  private func matches(_ list: String, strongly: Bool) -> Bool {
    switch TagList(list) {
    case .any: true
    case .tags(let tags):
      tag.map { own in tags.contains { strongly ? $0 == own && isStrong : opaque($0) == opaque(own) } } ?? false
    }
  }

  private func isNewer(than date: HTTPDate) -> Bool {
    modified.map { $0.secondsSince1970 > date.secondsSince1970 } ?? false
  }

  private func isNotNewer(than date: HTTPDate) -> Bool {
    modified.map { $0.secondsSince1970 <= date.secondsSince1970 } ?? false
  }

  private func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}

/// What the preconditions of a request say about going on.
enum PreconditionVerdict: Equatable, Sendable {
  case holds
  /// 304.
  case notModified
  /// 412.
  case failed
}

/// The value of If-Match or If-None-Match (RFC 9110 §13.1.1).
enum TagList: Equatable, Sendable {
  case any
  case tags([String])

  /// A malformed list ends at its first bad member: what was read until there counts.
  init(_ value: String) {
    guard value.withoutOuterSpace != "*" else {
      self = .any
      return
    }
    var rest = value[...]
    var tags: [String] = []
    while let tag = Self.nextTag(&rest) { tags.append(tag) }
    self = .tags(tags)
  }

  /// Takes one tag off the front; commas may stand inside the quotes, so splitting at commas would be wrong.
  private static func nextTag(_ rest: inout Substring) -> String? {
    rest = rest.drop { $0 == "," || $0 == " " || $0 == "\t" }
    let weak = rest.hasPrefix("W/") ? 2 : 0
    let quoted = rest.dropFirst(weak)
    guard quoted.first == "\"", let close = quoted.dropFirst().firstIndex(of: "\"") else { return nil }
    defer { rest = rest[rest.index(after: close)...] }
    return String(rest[...close])
  }
}
