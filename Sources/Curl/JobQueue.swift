import Posix

/// What other threads want done on the loop's.
enum LoopJob: Sendable {
  case task(UnownedJob)
  case work(@Sendable () -> Void)
}

/// The one place where threads meet: jobs in, in order, and whether the loop is to end.
final class JobQueue: @unchecked Sendable {
  // Sendable by hand: both are only touched with the lock held.
  private var jobs: [LoopJob] = []
  private var isStopping = false
  private let lock = Lock()

  /// Says whether the queue was empty before: only then the loop has to be woken.
  func append(_ job: LoopJob) -> Bool {
    lock.withLock {
      jobs.append(job)
      return jobs.count == 1
    }
  }

  /// Swaps the waiting jobs against `spare`, an empty array whose memory is used again.
  func take(into spare: inout [LoopJob]) {
    lock.withLock { swap(&jobs, &spare) }
  }

  func stop() { lock.withLock { isStopping = true } }

  /// Whether the loop may sleep until it is woken. Not while it is to end: the wake that told so may be used up already.
  var isIdle: Bool { lock.withLock { jobs.isEmpty && !isStopping } }

  /// Whether the loop may end: it was asked to, and nothing waits.
  var isFinished: Bool { lock.withLock { isStopping && jobs.isEmpty } }
}
