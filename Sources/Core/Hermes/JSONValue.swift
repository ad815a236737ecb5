/// A JSON value (RFC 8259) as frames need it: whole numbers are kept apart from fractions.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  public var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }

  /// A whole number, also one that was written with a fraction of zeros (`3.0`); never a bool or a string.
  public var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// Whether there is nothing to read: JSON's null stands for a field that was left out.
  public var isNull: Bool { self == .null }
}

extension [String: JSONValue] {
  /// The field's value; nil when it is missing or null.
  func value(_ name: String) -> JSONValue? {
    guard let value = self[name], !value.isNull else { return nil }
    return value
  }

  func string(_ name: String) -> String? { self[name]?.string }
  func integer(_ name: String) -> Int64? { self[name]?.integer }

  /// Only `true` itself is true.
  func flag(_ name: String) -> Bool { self[name]?.bool ?? false }
}
