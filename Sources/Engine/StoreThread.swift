import Core
import Posix
import State

/// The thread that owns the database and does everything that may wait for a disk: commits, syncs, renames.
///
/// Jobs run in the order they were given, so a record is never overtaken by one that builds on it.
final class StoreThread: Sendable {
  typealias Job = @Sendable (Store) -> Void

  private let queue: Queue
  private let thread: Thread

  /// Opens the state on the new thread and waits until it is open.
  init(folder: String) throws(TransferFailure) {
    let queue = Queue()
    self.queue = queue
    thread = Thread(name: "store") {
      let store: Store
      do throws(StateError) {
        store = try Store(folder: folder)
      } catch {
        return queue.opened(error.failure)
      }
      queue.opened(nil)
      while let jobs = queue.take() { for job in jobs { job(store) } }
    }
    if let failure = queue.waitUntilOpened() {
      thread.join()
      throw failure
    }
  }

  func post(_ job: @escaping Job) { queue.append(job) }

  /// Does what is queued, then ends the thread.
  func stop() {
    queue.close()
    thread.join()
  }

  /// What the lock guards. `@unchecked Sendable`: every property is touched under the lock only.
  private final class Queue: @unchecked Sendable {
    private let condition = Condition()
    private var jobs: [Job] = []
    private var isClosed = false
    private var outcome: TransferFailure??

    func append(_ job: @escaping Job) {
      condition.withLock {
        jobs.append(job)
        condition.signal()
      }
    }

    func take() -> [Job]? {
      condition.withLock {
        while jobs.isEmpty, !isClosed { condition.wait() }
        guard !jobs.isEmpty else { return nil }
        var taken: [Job] = []
        swap(&taken, &jobs)
        return taken
      }
    }

    func close() {
      condition.withLock {
        isClosed = true
        condition.signal()
      }
    }

    func opened(_ failure: TransferFailure?) {
      condition.withLock {
        outcome = .some(failure)
        condition.signal()
      }
    }

    func waitUntilOpened() -> TransferFailure? {
      condition.withLock {
        while true {
          if let outcome { return outcome }
          condition.wait()
        }
      }
    }
  }
}
