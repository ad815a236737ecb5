import Core

/// What a Range field asks of a representation of known length (RFC 9110 §14.1.2, §14.2).
enum RangeRequest: Equatable, Sendable {
  /// Absent, malformed, of another unit, or several ranges: a server may answer with the whole.
  case whole
  case part(ByteRange)
  case unsatisfiable

  init(_ value: String?, of byteCount: Int64) {
    self = value.flatMap(Self.onlySpec)?.resolved(byteCount) ?? .whole
  }

  /// The one range spec of `bytes=…`; nil when there is not exactly one.
  private static func onlySpec(_ value: String) -> Spec? {
    guard let equals = value.firstIndex(of: "="), value[..<equals].lowercased() == "bytes" else { return nil }
    let specs = value[value.index(after: equals)...].split(separator: ",").map(\.withoutOuterSpace)
      .filter { !$0.isEmpty }
    return specs.count == 1 ? Spec(specs[0]) : nil
  }

  private enum Spec {
    case from(Int64, last: Int64?)
    case suffix(Int64)

    init?(_ text: String) {
      guard let dash = text.firstIndex(of: "-") else { return nil }
      let (head, tail) = (text[..<dash], text[text.index(after: dash)...])
      if head.isEmpty, let count = tail.decimalCount {
        self = .suffix(count)
      } else if let first = head.decimalCount, tail.isEmpty {
        self = .from(first, last: nil)
      } else if let first = head.decimalCount, let last = tail.decimalCount, first <= last {
        self = .from(first, last: last)
      } else {
        return nil
      }
    }

    func resolved(_ byteCount: Int64) -> RangeRequest {
      switch self {
      case .suffix(0): .unsatisfiable
      // A suffix of nothing is satisfiable, but Content-Range cannot say it.
      case .suffix where byteCount == 0: .whole
      case .suffix(let count): .part(ByteRange(max(0, byteCount - count), byteCount))
      case .from(let first, _) where first >= byteCount: .unsatisfiable
      case .from(let first, let last): .part(ByteRange(first, min(last ?? .max, byteCount - 1) + 1))
      }
    }
  }
}
