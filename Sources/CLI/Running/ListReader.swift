import Core
import Posix

/// Reads a list on a thread of its own, since a pipe may take its time, and hands its lines over in batches: whatever
/// has come while the last batch was taken up.
///
/// `@unchecked Sendable`: `state` is touched within the condition's lock only.
final class ListReader: @unchecked Sendable {
  /// The reader waits while as many lines wait for being taken up.
  static let batchCount = 4096

  private struct State {
    var entries: [ListedURL] = []
    var failure: TransferFailure?
    var isAtEnd = false
  }

  private let path: String
  private let condition = Condition()
  private var state = State()
  private let arrivals: AsyncStream<Void>
  private let arrived: AsyncStream<Void>.Continuation

  /// Opens the list; `-` is standard input.
  init(path: String, surroundings: Surroundings) throws(TransferFailure) {
    self.path = path
    (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let file: Int32?
    do throws(Errno) {
      file = path == "-" ? nil : try Files.openToRead(surroundings.absolute(path)).release()
    } catch {
      throw TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
    // It ends with its list, or with the process: nobody waits for a pipe that stays silent.
    _ = Thread(name: "list") { [self] in
      if let file { read(LineReader(Descriptor(owning: file))) } else { read(.standardInput()) }
    }
  }

  /// The next lines, at least one; nil after the last.
  func next() async throws(TransferFailure) -> [ListedURL]? {
    while true {
      let (batch, failure, isAtEnd) = take()
      if !batch.isEmpty { return batch }
      if let failure { throw failure }
      if isAtEnd { return nil }
      var iterator = arrivals.makeAsyncIterator()
      // Cancelled: whoever waited does not want it any more.
      guard await iterator.next() != nil else { return nil }
    }
  }

  private func take() -> (batch: [ListedURL], failure: TransferFailure?, isAtEnd: Bool) {
    condition.withLock {
      defer {
        state.entries = []
        condition.signal()
      }
      return (state.entries, state.failure, state.isAtEnd)
    }
  }

  private func read(_ lines: consuming LineReader) {
    var parser = URLListParser()
    do throws(Errno) {
      while let line = try lines.next() {
        if let entry = parser.entry(of: line) { add(entry) }
      }
      end(nil)
    } catch {
      end(TransferFailure(.localFile, "cannot read \(path): \(error)"))
    }
  }

  private func add(_ entry: ListedURL) {
    condition.withLock {
      while state.entries.count >= Self.batchCount { condition.wait() }
      state.entries.append(entry)
    }
    arrived.yield()
  }

  private func end(_ failure: TransferFailure?) {
    condition.withLock {
      state.failure = failure
      state.isAtEnd = true
    }
    arrived.yield()
  }
}
