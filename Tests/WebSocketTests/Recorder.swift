import TestKit
import WebSocket

/// What a codec told, in order.
final class Recorder: WebSocketSink {
  enum Event: Equatable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseCode, String)
  }

  var events: [Event] = []
  private var kind: MessageKind?
  private var bytes: [UInt8] = []

  func messageBegan(_ kind: MessageKind) {
    self.kind = kind
    bytes = []
  }
  func messageReceived(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
  func messageEnded() {
    if let kind { events.append(.message(kind, bytes)) }
    kind = nil
  }
  func pingReceived(_ payload: [UInt8]) { events.append(.ping(payload)) }
  func pongReceived(_ payload: [UInt8]) { events.append(.pong(payload)) }
  func closeReceived(_ code: CloseCode, reason: String) { events.append(.close(code, reason)) }
}

/// A codec with its recorder.
struct Side {
  let codec: WebSocketCodec
  let recorder = Recorder()

  init(_ role: WebSocketCodec.Role, limits: WebSocketLimits = WebSocketLimits(), seed: UInt64 = 1) {
    var random = SeededRandom(seed: seed)
    codec = WebSocketCodec(role: role, limits: limits) { UInt32(truncatingIfNeeded: random.next()) }
  }

  var events: [Recorder.Event] { recorder.events }

  /// What waits to be written, taken away.
  func take(_ limit: Int = .max) -> [UInt8] {
    let bytes = Array(codec.output.prefix(limit))
    codec.outputConsumed(bytes.count)
    return bytes
  }

  func receive(_ bytes: [UInt8], pieceByteCount: Int = .max) {
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = Array(rest.prefix(pieceByteCount))
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeMutableBytes { codec.receive($0, recorder) }
    }
  }

  /// Sends one message in as many fragments as it takes; `between` is called before each.
  func send(
    _ kind: MessageKind, _ bytes: [UInt8], fragmentByteCount: Int = .max, to other: Side, between: () -> Void = {}
  ) {
    var offset = 0
    repeat {
      between()
      codec.sendFragment(kind) { writer in
        let count = min(fragmentByteCount, bytes.count - offset, writer.roomByteCount)
        offset += writer.append(Array(bytes[offset..<offset + count]))
        return offset == bytes.count
      }
      other.receive(take())
    } while offset < bytes.count
  }
}

/// A frame as bytes, right or wrong.
func frame(
  _ first: UInt8, _ payload: [UInt8] = [], mask: [UInt8]? = nil, lengthBytes: [UInt8]? = nil
) -> [UInt8] {
  let flag: UInt8 = mask == nil ? 0 : 0x80
  let length: [UInt8] =
    lengthBytes
    ?? (payload.count < 126
      ? [UInt8(payload.count)]
      : payload.count < 65_536
        ? [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        : [127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(payload.count >> $0 & 255) })
  let body = mask.map { mask in payload.enumerated().map { $0.element ^ mask[$0.offset & 3] } } ?? payload
  return [first, flag | length[0]] + length.dropFirst() + (mask ?? []) + body
}
