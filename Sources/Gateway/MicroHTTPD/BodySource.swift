import CMicroHTTPD
import Core

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
    switch context.pace?.take(upTo: wanted, now: Clocks.monotonicNanoseconds) ?? .byteCount(wanted) {
    case .wait(let moment): return unsafe pacer.suspend(connection, untilNanoseconds: moment) ? .later : .failure
    case .byteCount(let count):
      return unsafe fill(UnsafeMutableRawBufferPointer(rebasing: room[..<Int(count)]), at: range.start + sentByteCount)
    }
  }

  /// Looks up now and then, so that a connection whose client has gone is closed.
  private func stayStalled() -> Portion {
    if unsafe hermes_client_has_left(connection) { return .failure }
    let moment = Clocks.monotonicNanoseconds + Self.stallNanoseconds
    return unsafe pacer.suspend(connection, untilNanoseconds: moment) ? .later : .failure
  }

  private static let stallNanoseconds: Int64 = 500_000_000

  /// A file that has become shorter than announced ends the connection.
  private func fill(_ room: UnsafeMutableRawBufferPointer, at offset: Int64) -> Portion {
    guard let count = try? unsafe Files.read(file.descriptor, at: offset, into: room), count > 0 else {
      return .failure
    }
    if delivery.isAltered {
      var bytes = unsafe MutableRawSpan(_unsafeBytes: room)
      AlteredContent.alter(&bytes)
    }
    return .byteCount(count)
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
