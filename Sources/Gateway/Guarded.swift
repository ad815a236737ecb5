/// A value that only one thread touches at a time.
final class Guarded<Value>: @unchecked Sendable {  // `lock` guards the value
  private let lock = Lock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}
