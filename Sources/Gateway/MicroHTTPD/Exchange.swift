/// A request and what became of it.
final class Exchange {
  let head: RequestHead
  var status = 0
  /// Bytes of body that were announced.
  var byteCount: Int64 = 0
  /// What the session begins with when the connection is handed over.
  var admission: Admission?

  init(_ head: RequestHead) { self.head = head }
}
