internal import CPosix
internal import Glibc

/// A thread of the system with a name, for what must not wait in Swift's own pool.
public final class Thread: Sendable {
  /// Enough for our loops and for what libcurl, SQLite and OpenSSL put on it.
  public static let stackByteCount = 1 << 20

  private enum State { case running, joined }
  let id: pthread_t
  private let state = Guarded(State.running)

  /// Starts it. Of the name, top and the debugger show the first 15 bytes (pthread_setname_np(3)).
  public init(name: String, stackByteCount: Int = Thread.stackByteCount, _ body: @escaping @Sendable () -> Void) {
    id = Self.start(ThreadBody(name: name, run: body), stackByteCount: stackByteCount)
  }

  deinit {
    let id = id
    state.withLock { if $0 == .running { pthread_detach(id) } }
  }

  /// Waits until it has ended; not from itself.
  public func join() {
    precondition(!isCurrent, "a thread waits for its own end")
    // Who comes second waits for the lock, and so for the end too: pthread_join(3) may be called but once.
    state.withLock { state in
      guard state == .running else { return }
      state = .joined
      pthread_join(id, nil)
    }
  }

  /// Whether the caller runs on it.
  public var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

  private static func start(_ body: ThreadBody, stackByteCount: Int) -> pthread_t {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
    defer { unsafe pthread_attr_destroy(&attributes) }
    var id = pthread_t()
    let context = unsafe Unmanaged.passRetained(body).toOpaque()
    let result = unsafe pthread_create(
      &id, &attributes,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().runNamed()
        return nil
      }, context)
    // Without its few threads the program can do nothing at all, so there is no one to tell.
    precondition(result == 0, "cannot start a thread: \(Errno(rawValue: result))")
    return id
  }
}

/// What the new thread takes with it.
private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }

  func runNamed() {
    // The only error is a name of 16 bytes or more, and it is cut.
    _ = unsafe pthread_setname_np(pthread_self(), String(decoding: name.utf8.prefix(15), as: UTF8.self))
    // OpenSSL writes to sockets that may be gone: that is an error here, not the end of a program that uses us.
    var pipe = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, nil)
    run()
  }
}
