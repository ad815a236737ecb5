import CMicroHTTPD

extension RequestHead {
  /// Reads the head out of the library; bytes that are not UTF-8 are repaired, which makes no file's name of them.
  init(_ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ connection: OpaquePointer) {
    let text: (UnsafePointer<CChar>?) -> String = { unsafe $0.map { unsafe String(cString: $0) } ?? "" }
    unsafe self.init(
      text(method), text(path), Self.pairs(connection, .HEADER_KIND),
      query: Self.pairs(connection, .GET_ARGUMENT_KIND))
  }

  /// Names and values of one kind; what has no value is left out.
  private static func pairs(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [HeaderField] {
    var fields: [HeaderField] = []
    unsafe withUnsafeMutablePointer(to: &fields) { fields in
      _ = unsafe MHD_get_connection_values(
        connection, kind,
        { fields, _, name, value in
          guard let name = unsafe name, let value = unsafe value else { return .YES }
          let field = unsafe HeaderField(String(cString: name), String(cString: value))
          unsafe fields?.assumingMemoryBound(to: [HeaderField].self).pointee.append(field)
          return .YES
        }, fields)
    }
    return fields
  }
}
