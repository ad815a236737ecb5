import Posix

/// The one thread that runs a loop, once it is started.
final class LoopThread: @unchecked Sendable {
  // Sendable by hand: `thread` is only touched with the lock held.
  private var thread: Thread?
  private let lock = Lock()

  var isCurrent: Bool { lock.withLock { thread?.isCurrent ?? false } }

  func start(_ body: @escaping @Sendable () -> Void) {
    // The lock is held until the handle is kept: whoever asks from the new thread waits for it.
    lock.withLock {
      precondition(thread == nil, "a loop is started twice")
      thread = Thread(name: "loop", body)
    }
  }

  /// Waits for the thread's end; nothing when it was never started or has ended.
  func join() { lock.withLock { thread }?.join() }
}
