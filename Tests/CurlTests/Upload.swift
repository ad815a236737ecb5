import Core
import Curl
import TestKit
import Testing

/// An owner that gives a pattern as the body, and keeps what it is told.
final class Upload: CurlTransferOwner, @unchecked Sendable {
  // Sendable by hand: on the loop's thread only, and read after `run` has returned.
  let transfer: CurlTransfer
  let pattern = Pattern(7)
  private(set) var heads: [ResponseHead] = []
  private(set) var informational: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private(set) var offsets: [Int64] = []
  private(set) var roomCounts: Set<Int> = []
  private(set) var result = CurlResult()
  /// Asked before a piece is given; nil gives it.
  var onWanted: (Int64) -> BodySupply? = { _ in nil }
  var onInformational: (ResponseHead) -> Void = { _ in }
  var onHead: (ResponseHead) -> BodyVerdict = { _ in .proceed }
  private var onEnd: () -> Void = {}

  init(_ transfer: CurlTransfer = CurlTransfer()) { self.transfer = transfer }

  var text: String { String(decoding: body, as: UTF8.self) }

  func bodyWanted(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) -> BodySupply {
    if let supply = onWanted(offset) { return supply }
    offsets.append(offset)
    roomCounts.insert(room.count)
    pattern.fill(room, from: offset)
    return .bytes(room.count)
  }

  func informationalHeadReceived(_ head: ResponseHead) {
    informational.append(head)
    onInformational(head)
  }

  func headReceived(_ head: ResponseHead) -> BodyVerdict {
    heads.append(head)
    return onHead(head)
  }

  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    body += bytes
    return .proceed
  }

  func transferEnded(_ result: CurlResult) {
    self.result = result
    let end = onEnd
    (onWanted, onInformational, onHead, onEnd) = ({ _ in nil }, { _ in }, { _ in .proceed }, {})
    end()
  }

  @discardableResult
  func run(_ request: CurlRequest, on loop: CurlLoop) async -> Upload {
    await handedOver { done in
      loop.post {
        self.onEnd = { done(()) }
        self.transfer.prepare(request)
        loop.start(self.transfer, owner: self)
      }
    }
    return self
  }
}

/// Runs a body with a started loop and a server that fails by name, and ends both.
func withFaultServer<Value>(_ body: (CurlLoop, FaultServer) async throws -> Value) async rethrows -> Value {
  let server = FaultServer()
  let loop = CurlLoop(maxConnections: 8)
  loop.start()
  defer {
    loop.stop()
    server.stop()
  }
  return try await body(loop, server)
}
