import Posix

/// What is typed, read on a thread of its own and handed over in pieces: the thread waits while one is not taken.
///
/// `@unchecked Sendable`: `state` is touched within the condition's lock only.
final class ChatInput: @unchecked Sendable {
  private static let maxByteCount = 64 << 10
  private struct State {
    var bytes: [UInt8] = []
    var isAtEnd = false
  }

  private let condition = Condition()
  private var state = State()
  private let arrivals: AsyncStream<Void>
  private let arrived: AsyncStream<Void>.Continuation

  init() {
    (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    _ = Thread(name: "keys") { [self] in read() }
  }

  /// Nil at the end of the input, or when whoever asks was cancelled.
  func next() async -> [UInt8]? {
    while true {
      let (bytes, isAtEnd) = take()
      if !bytes.isEmpty { return bytes }
      if isAtEnd { return nil }
      var iterator = arrivals.makeAsyncIterator()
      guard await iterator.next() != nil else { return nil }
    }
  }

  private func take() -> ([UInt8], isAtEnd: Bool) {
    condition.withLock {
      defer {
        state.bytes = []
        condition.signal()
      }
      return (state.bytes, state.isAtEnd)
    }
  }

  private func read() {
    while let bytes = StandardStreams.readInput(atMost: 4096) {
      condition.withLock {
        while state.bytes.count > Self.maxByteCount { condition.wait() }
        state.bytes += bytes
      }
      arrived.yield()
    }
    condition.withLock { state.isAtEnd = true }
    arrived.yield()
  }
}
