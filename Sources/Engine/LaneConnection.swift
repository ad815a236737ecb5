import Core
import Curl

/// One connection of a download: turns libcurl's callbacks into questions to the driver and gathers bytes for the disk.
final class LaneConnection: CurlTransferOwner {
  let lane: Int
  let transfer: CurlTransfer
  unowned let driver: DownloadDriver
  private(set) var ask: DownloadMachine.Ask
  /// Where this request really goes, after redirects.
  var url: WebURL
  var hops = 0
  /// Bytes of one run that are not written yet.
  private(set) var buffer: Buffer?
  private(set) var bufferOffset: Int64 = 0
  /// The record in the journal that this lane's run extends.
  var journalRecord: Int?
  var runStart: Int64 = 0
  var journalEnd: Int64 = 0
  var lastByteAt: Instant
  let startedAt: Instant
  /// Of the body, wanted or not.
  private(set) var byteCount: Int64 = 0
  /// The answer waits until the store has forgotten what was held.
  var isHeld = false
  var allowance = SharedRate.Allowance()
  /// Paused because the rate limit has no bytes to give.
  var isLimited = false
  /// Where a redirect points; the request is sent there when this one has ended.
  var redirect: WebURL?
  var head: ResponseHead?

  init(lane: Int, transfer: CurlTransfer, driver: DownloadDriver, ask: DownloadMachine.Ask, url: WebURL, now: Instant) {
    self.lane = lane
    self.transfer = transfer
    self.driver = driver
    self.ask = ask
    self.url = url
    lastByteAt = now
    startedAt = now
  }

  func headReceived(_ head: ResponseHead) -> BodyVerdict {
    lastByteAt = driver.core.now
    self.head = head
    return driver.headReceived(head, on: self)
  }

  func bodyReceived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    lastByteAt = driver.core.now
    if isHeld { return .pause }
    guard driver.core.limit.allows(bytes.count, of: &allowance, now: lastByteAt) else {
      isLimited = true
      return .pause
    }
    byteCount += Int64(bytes.count)
    return unsafe driver.bodyReceived(bytes, on: self)
  }

  func transferEnded(_ result: CurlResult) { driver.transferEnded(result, on: self) }

  /// Gathers kept bytes; calls for a flush whenever the buffer is full or the offset jumps.
  func keep(_ bytes: UnsafeRawBufferPointer, at offset: Int64, capacity: Int, flush: () -> Bool) -> Bool {
    if let buffer, buffer.byteCount > 0, bufferOffset + Int64(buffer.byteCount) != offset, !flush() { return false }
    var position = 0
    while position < bytes.count {
      let buffer = self.buffer ?? Buffer(capacity: capacity)
      self.buffer = buffer
      if buffer.byteCount == 0 { bufferOffset = offset + Int64(position) }
      position += unsafe buffer.append(UnsafeRawBufferPointer(rebasing: bytes[position...]))
      if buffer.room == 0, !flush() { return false }
    }
    return true
  }

  /// Whether the handle is still this connection's.
  private(set) var hasHandle = true

  /// True the first time: from then on the handle is not this connection's any more.
  func leaveHandle() -> Bool {
    defer { hasHandle = false }
    return hasHandle
  }

  /// The gathered bytes leave for good, to be finished as a small file.
  func takeBuffer() -> Buffer? {
    defer { buffer = nil }
    return buffer
  }
}
