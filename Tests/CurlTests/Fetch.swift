import Core
import Curl
import Posix

/// An owner that keeps what it is told; what it answers is up to the test.
final class Fetch: CurlTransferOwner, @unchecked Sendable {
  // Sendable by hand: on the loop's thread only, and read after `run` has returned.
  let transfer: CurlTransfer
  private(set) var heads: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private(set) var pieceCounts: [Int] = []
  private(set) var results: [CurlResult] = []
  /// As it was known with the head.
  private(set) var roundTripSeconds = 0.0
  /// Asked inside the callbacks, before the bytes are kept.
  var onHead: (ResponseHead) -> BodyVerdict = { _ in .proceed }
  var onBody: (UnsafeRawBufferPointer) -> BodyVerdict = { _ in .proceed }
  var onEnd: (CurlResult) -> Void = { _ in }

  init(_ transfer: CurlTransfer = CurlTransfer()) { self.transfer = transfer }

  var head: ResponseHead? { heads.last }
  var result: CurlResult { results[results.count - 1] }
  var text: String { String(decoding: body, as: UTF8.self) }

  func headReceived(_ head: ResponseHead) -> BodyVerdict {
    heads.append(head)
    roundTripSeconds = transfer.roundTripSeconds
    return onHead(head)
  }

  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    let verdict = onBody(bytes)
    if verdict == .proceed {
      body += bytes
      pieceCounts.append(bytes.count)
    }
    return verdict
  }

  func transferEnded(_ result: CurlResult) {
    results.append(result)
    let end = onEnd
    forget()
    end(result)
  }

  /// Lets go of what the test said, which mostly knows this fetch itself.
  func forget() {
    onHead = { _ in .proceed }
    onBody = { _ in .proceed }
    onEnd = { _ in }
  }

  /// Runs one request to its end.
  @discardableResult
  func run(_ request: CurlRequest, on loop: CurlLoop) async -> Fetch {
    await handedOver { done in
      loop.post {
        self.onEnd = { _ in done(()) }
        self.transfer.prepare(request)
        loop.start(self.transfer, owner: self)
      }
    }
    return self
  }
}

/// Runs a body with a started loop and a server, and ends both.
func withLoop<Value>(
  _ script: @escaping @Sendable (Peer) -> Void = { _ in },
  _ body: (CurlLoop, ByteServer) async throws -> Value
) async rethrows -> Value {
  let server = ByteServer(script)
  let loop = CurlLoop(maxConnections: 8)
  loop.start()
  defer {
    loop.stop()
    server.stop()
  }
  return try await body(loop, server)
}

extension CurlLoop {
  /// Does something on the loop's thread and waits for what it gives.
  func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await handedOver { done in post { done(work()) } }
  }
}

/// Waits for a value from another thread. The thread sanitizer doesn't see the order that a continuation makes when it
/// is resumed before it is awaited; it sees the lock's.
func handedOver<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  let lock = Lock()
  let value = await withCheckedContinuation { continuation in
    start { value in
      lock.withLock {}
      continuation.resume(returning: value)
    }
  }
  lock.withLock {}
  return value
}

/// Bytes that differ from place to place.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
