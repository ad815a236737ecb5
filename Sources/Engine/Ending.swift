import Posix

/// Ends threads from a thread of its own: whoever lets go of their owner last may be one of them, and none can wait for
/// its own end.
func endOnOwnThread(_ end: @escaping @Sendable () -> Void) {
  _ = Thread(name: "end", end)
}
