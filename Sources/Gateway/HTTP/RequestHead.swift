/// One header field, as it stands in a message.
struct HeaderField: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What a request asks for, before its body.
struct RequestHead: Equatable, Sendable {
  let method: String
  /// The path as sent: still percent-encoded, without the query.
  let path: String
  let fields: [HeaderField]
  /// The items of the query as sent: still percent-encoded, but with spaces in place of plus signs.
  let query: [HeaderField]

  init(_ method: String, _ path: String, _ fields: [HeaderField] = [], query: [HeaderField] = []) {
    self.method = method
    self.path = path
    self.fields = fields
    self.query = query
  }

  /// The value of the first query item of this name, decoded; nil when there is none or it can't be decoded.
  func queryItem(_ name: String) -> String? {
    query.first { $0.name == name }.flatMap { PercentCoding.decode($0.value) }
  }

  /// A field's value; repeated fields are one list (RFC 9110 §5.3).
  func value(_ name: String) -> String? {
    let lines = fields.filter { $0.name.lowercased() == name }.map(\.value)
    return lines.isEmpty ? nil : lines.joined(separator: ", ")
  }

  /// A body comes back only for GET.
  var isGET: Bool { method == "GET" }
  /// GET or HEAD: the methods a file answers.
  var isRead: Bool { method == "GET" || method == "HEAD" }
}
