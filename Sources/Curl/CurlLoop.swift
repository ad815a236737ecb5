import CCurl
public import Core
import Posix

/// One thread, named "loop", that runs libcurl's transfers and whatever else must not run beside them. As a serial
/// executor it can carry an actor: `nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }`.
@safe public final class CurlLoop: SerialExecutor, @unchecked Sendable {
  // Sendable by hand: `queue`, `thread` and curl_multi_wakeup(3) are made for many threads; all the rest is touched on
  // the loop's thread only, which every call but `post`, `enqueue`, `start` and `stop` checks.

  /// Called once a turn with the present moment, after transfers had their say; answers when it wants the next call
  /// at the latest. Set it before `start` or on the loop's thread.
  public var tick: ((Instant) -> Instant?)?

  let multi: OpaquePointer
  private let queue = JobQueue()
  private let thread = LoopThread()
  private var batch: [LoopJob] = []

  /// Started transfers by token: libcurl alone would not keep them alive.
  var transfers: [Int: CurlTransfer] = [:]
  var lastToken = 0
  /// Asked for while libcurl was at work, or to be done in the next turn.
  var deferred: [Deferred] = []
  /// Ended, but their owners are not told yet.
  var ended: [(token: Int, code: CURLcode)] = []
  /// Whether libcurl is on the stack: its handles must not be added or removed then.
  var isInsideCurl = false

  /// Connections for other protocols, by descriptor.
  var sockets: [Int32: CurlSocket] = [:]
  /// Of them those that poll looks at, and what it saw.
  var watched: [curl_waitfd] = []
  /// What sockets read into, one after the other.
  var readMemory: UnsafeMutableRawBufferPointer?

  enum Deferred {
    case start(token: Int)
    case remove(CurlTransfer)
    case resume(token: Int)
  }

  /// Keeps up to `maxConnections` open for later requests: as many as run at once at least, else each closes another's.
  public init(maxConnections: Int) {
    CurlGlobal.start()
    guard let multi = unsafe curl_multi_init() else { preconditionFailure("no memory for a libcurl multi handle") }
    unsafe self.multi = multi
    unsafe hermes_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxConnections)
    unsafe hermes_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
  }

  deinit {
    unsafe curl_multi_cleanup(multi)
    unsafe readMemory?.deallocate()
  }

  /// What an actor that lives on this loop names as its executor.
  public var executor: any SerialExecutor { self }

  /// Starts the thread. Once only.
  public func start() {
    thread.start { self.run() }
  }

  /// Does what is queued, drops every transfer without a word to its owner and waits for the thread's end. What is
  /// queued afterwards never runs.
  public func stop() {
    precondition(!thread.isCurrent, "the loop cannot wait for its own end")
    queue.stop()
    wake()
    thread.join()
  }

  /// Runs work on the loop's thread, in its next turn. From any thread.
  public func post(_ work: @escaping @Sendable () -> Void) { append(.work(work)) }

  /// Runs a task's job on the loop's thread. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) { append(.task(UnownedJob(job))) }

  public func checkIsolated() {
    precondition(thread.isCurrent, "this runs on the loop's thread only")
  }

  public func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }

  private func append(_ job: LoopJob) {
    // The loop looks into the queue before it sleeps.
    if queue.append(job), !thread.isCurrent { wake() }
  }

  private func wake() { unsafe curl_multi_wakeup(multi) }

  /// The present moment of the clock that `tick` is told.
  public var now: Instant { Instant(nanoseconds: Clocks.monotonic()) }

  // MARK: Turns

  private func run() {
    while !queue.isFinished { turn() }
    for socket in sockets.values { socket.close() }
    for token in transfers.keys.sorted() { drop(token) }
    applyDeferred()
    tick = nil
  }

  private func turn() {
    runJobs()
    applyDeferred()
    perform()
    applyDeferred()
    serveSockets()
    tellEnded()
    let wish = tick?(now)
    applyDeferred()
    poll(until: wish)
  }

  private func runJobs() {
    queue.take(into: &batch)
    for job in batch {
      switch job {
      case .task(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .work(let work): work()
      }
    }
    batch.removeAll(keepingCapacity: true)
  }

  /// Sleeps until a socket, a timer of libcurl's, a job or the wish is due. The only place where the loop waits.
  private func poll(until wish: Instant?) {
    gatherDescriptors()
    let timeout = milliseconds(until: wish)
    let code = unsafe watched.withUnsafeMutableBufferPointer { entries in
      unsafe curl_multi_poll(multi, entries.baseAddress, UInt32(entries.count), timeout, nil)
    }
    if code != CURLM_OK { failAll(code) }
  }

  private func milliseconds(until wish: Instant?) -> Int32 {
    if !deferred.isEmpty || !ended.isEmpty || !queue.isIdle || haveSocketsMore { return 0 }
    let longest: Int64 = 60_000
    guard let wish else { return Int32(longest) }
    // Rounded up: waking too early would turn the last millisecond into a busy loop.
    let rest = (wish.nanoseconds - now.nanoseconds + 999_999) / 1_000_000
    return Int32(min(max(rest, 0), longest))
  }
}
