internal import CPosix
internal import Glibc

/// Lets one thread wake another out of `StreamSocket.wait`; a signal that comes before the wait is not lost.
public final class WakeUp: Sendable {
  private let descriptor: Descriptor
  var rawValue: Int32 { descriptor.rawValue }

  /// The C function is `eventfd`.
  public init() throws(Errno) {
    let raw = hermes_eventfd()
    guard raw >= 0 else { throw .last }
    descriptor = Descriptor(owning: raw)
  }

  /// Wakes the waiting thread, or the next wait.
  public func signal() {
    var one: UInt64 = 1
    // Its only failure is a counter near 2^64, and then it is awake anyway (eventfd(2)).
    _ = unsafe write(rawValue, &one, 8)
  }

  func clear() {
    var count: UInt64 = 0
    // Nothing to read is as good: it does not block.
    _ = unsafe read(rawValue, &count, 8)
  }
}
