/// Where text goes: a standard stream, or a test's memory.
@MainActor
protocol TextSink: AnyObject {
  /// False once nobody reads any more.
  func write(_ text: String) -> Bool
}
