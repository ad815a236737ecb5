import CMicroHTTPD
import Core
import Posix

/// The body of a file that must go through our hands: spoiled, altered, paced or of unstated length.
@safe final class BodySource {
  private let file: OpenFile
  private let range: ByteRange
  private let delivery: Delivery
  private let connection: OpaquePointer
  private let context: ConnectionContext
  private let pacer: Pacer

  init(
    _ file: consuming OpenFile, _ range: ByteRange, _ delivery: Delivery, connection: OpaquePointer,
    context: ConnectionContext, pacer: Pacer
  ) {
    self.file = file
    self.range = range
    self.delivery = delivery
    unsafe self.connection = unsafe connection
    self.context = context
    self.pacer = pacer
  }

  enum Portion: Equatable {
    case byteCount(Int)
    /// Suspended; the library asks again when it is awake.
    case later
    case end
    /// The connection is dropped.
    case failure
  }

  /// Fills the room with what follows the bytes already sent.
  func next(after sentByteCount: Int64, into room: UnsafeMutableRawBufferPointer) -> Portion {
    if let cut = delivery.cutAfter, sentByteCount >= cut { return .failure }
    if let stall = delivery.stallAfter, sentByteCount >= stall { return stayStalled() }
    let end = min(range.byteCount, delivery.cutAfter ?? .max, delivery.stallAfter ?? .max)
    let wanted = min(Int64(room.count), end - sentByteCount)
    guard wanted > 0 else { return .end }
    switch context.pace?.take(upTo: wanted, now: Clocks.monotonic()) ?? .byteCount(wanted) {
    case .wait(let moment): return unsafe pacer.suspend(connection, untilNanoseconds: moment) ? .later : .failure
    case .byteCount(let count):
      return unsafe fill(UnsafeMutableRawBufferPointer(rebasing: room[..<Int(count)]), at: range.start + sentByteCount)
    }
  }

  /// Looks up now and then, so that a connection whose client has gone is closed.
  private func stayStalled() -> Portion {
    if unsafe hermes_client_has_left(connection) { return .failure }
    let moment = Clocks.monotonic() + Self.stallNanoseconds
    return unsafe pacer.suspend(connection, untilNanoseconds: moment) ? .later : .failure
  }

  private static let stallNanoseconds: Int64 = 500_000_000

  /// A file that can no longer be read as announced ends the connection: the head is out.
  private func fill(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) -> Portion {
    do {
      let count = try unsafe file.read(at: offset, into: room, isAltered: delivery.isAltered)
      return count > 0 ? .byteCount(count) : .failure
    } catch { return .failure }
  }
}

/// What belongs to one connection, over all its requests.
///
/// The library calls back for one connection on one thread at a time.
final class ConnectionContext {
  var pace: RatePace?

  init(bytesPerSecond: Int64?) {
    pace = bytesPerSecond.map(RatePace.init(bytesPerSecond:))
  }
}
