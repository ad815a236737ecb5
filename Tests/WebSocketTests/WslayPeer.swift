import CWslay
import WebSocket

/// One side of libwslay, a WebSocket that others wrote, without its socket; the server's unless said otherwise.
final class WslayPeer {
  private(set) var events: [Recorder.Event] = []
  /// What wslay found wrong; 0 for nothing.
  private(set) var failure: Int32 = 0
  private var context: wslay_event_context_ptr?
  private var incoming: ArraySlice<UInt8> = []
  private var outgoing: [UInt8] = []
  /// Bytes that it may write now.
  private var outgoingRoom = 0
  /// The fragments of messages that are still to be sent in pieces.
  private var fragments: [[UInt8]] = []

  init(_ role: WebSocketCodec.Role = .server, maxMessageByteCount: Int = 16 << 20) {
    var callbacks = wslay_event_callbacks()
    callbacks.recv_callback = { context, buffer, count, _, user in
      WslayPeer.from(user).give(to: UnsafeMutableRawBufferPointer(start: buffer, count: count), context)
    }
    callbacks.send_callback = { context, data, count, _, user in
      WslayPeer.from(user).take(UnsafeRawBufferPointer(start: data, count: count), context)
    }
    callbacks.on_msg_recv_callback = { _, message, user in WslayPeer.from(user).record(message!.pointee) }
    callbacks.genmask_callback = { _, mask, count, _ in
      for index in 0..<count { mask![index] = UInt8(truncatingIfNeeded: 0x5a &+ index &* 17) }
      return 0
    }
    let user = Unmanaged.passUnretained(self).toOpaque()
    let outcome =
      role == .server
      ? wslay_event_context_server_init(&context, &callbacks, user)
      : wslay_event_context_client_init(&context, &callbacks, user)
    precondition(outcome == 0, "wslay has no context: \(outcome)")
    wslay_event_config_set_max_recv_msg_length(context, UInt64(maxMessageByteCount))
  }

  deinit { wslay_event_context_free(context) }

  private static func from(_ user: UnsafeMutableRawPointer?) -> WslayPeer {
    Unmanaged<WslayPeer>.fromOpaque(user!).takeUnretainedValue()
  }

  // MARK: Receiving

  /// Takes what came, in pieces of this size.
  func receive(_ bytes: [UInt8], pieceByteCount: Int = .max) {
    var rest = bytes[...]
    while !rest.isEmpty, failure == 0, wslay_event_want_read(context) != 0 {
      incoming = rest.prefix(pieceByteCount)
      rest = rest.dropFirst(incoming.count)
      while !incoming.isEmpty, failure == 0, wslay_event_want_read(context) != 0 {
        failure = wslay_event_recv(context)
      }
    }
  }

  private func give(to buffer: UnsafeMutableRawBufferPointer, _ context: wslay_event_context_ptr?) -> Int {
    guard !incoming.isEmpty else { return wouldBlock(context) }
    let count = min(buffer.count, incoming.count)
    buffer.copyBytes(from: incoming.prefix(count))
    incoming = incoming.dropFirst(count)
    return count
  }

  private func record(_ message: wslay_event_on_msg_recv_arg) {
    let bytes = Array(UnsafeBufferPointer(start: message.msg, count: message.msg_length))
    switch UInt32(message.opcode) {
    case WSLAY_TEXT_FRAME.rawValue: events.append(.message(.text, bytes))
    case WSLAY_BINARY_FRAME.rawValue: events.append(.message(.binary, bytes))
    case WSLAY_PING.rawValue: events.append(.ping(bytes))
    case WSLAY_PONG.rawValue: events.append(.pong(bytes))
    default:
      let code = bytes.isEmpty ? CloseCode.noStatus : CloseCode(rawValue: message.status_code)
      events.append(.close(code, String(decoding: bytes.dropFirst(2), as: UTF8.self)))
    }
  }

  // MARK: Sending

  /// At most so many bytes of what it wants to write.
  func take(_ limit: Int = .max) -> [UInt8] {
    outgoingRoom = limit
    while outgoingRoom > 0, failure == 0, wslay_event_want_write(context) != 0 { failure = wslay_event_send(context) }
    defer { outgoing = [] }
    return outgoing
  }

  private func take(_ data: UnsafeRawBufferPointer, _ context: wslay_event_context_ptr?) -> Int {
    let count = min(data.count, outgoingRoom)
    guard count > 0 else { return wouldBlock(context) }
    outgoing += data.prefix(count)
    outgoingRoom -= count
    return count
  }

  private func wouldBlock(_ context: wslay_event_context_ptr?) -> Int {
    wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
    return -1
  }

  func send(_ kind: MessageKind, _ bytes: [UInt8]) {
    queue(kind == .text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, bytes)
  }

  func ping(_ payload: [UInt8]) { queue(WSLAY_PING, payload) }

  private func queue(_ opcode: wslay_opcode, _ bytes: [UInt8]) {
    let outcome = bytes.withUnsafeBufferPointer {
      var message = wslay_event_msg(opcode: UInt8(opcode.rawValue), msg: $0.baseAddress, msg_length: $0.count)
      return wslay_event_queue_msg(context, &message)
    }
    precondition(outcome == 0, "wslay does not send: \(outcome)")
  }

  /// Sends one message in these fragments, none of which may be empty. One such message at a time.
  func send(_ kind: MessageKind, fragments: [[UInt8]]) {
    self.fragments = fragments
    var message = wslay_event_fragmented_msg()
    message.opcode = UInt8((kind == .text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME).rawValue)
    message.read_callback = { _, buffer, count, _, end, user in
      WslayPeer.from(user).nextFragment(UnsafeMutableRawBufferPointer(start: buffer, count: count), end!)
    }
    let outcome = wslay_event_queue_fragmented_msg(context, &message)
    precondition(outcome == 0, "wslay does not send: \(outcome)")
  }

  private func nextFragment(_ buffer: UnsafeMutableRawBufferPointer, _ end: UnsafeMutablePointer<Int32>) -> Int {
    let count = min(buffer.count, fragments[0].count)
    buffer.copyBytes(from: fragments[0].prefix(count))
    fragments[0].removeFirst(count)
    if fragments[0].isEmpty { fragments.removeFirst() }
    end.pointee = fragments.isEmpty ? 1 : 0
    return count
  }

  func close(_ code: CloseCode, reason: String) {
    let bytes = Array(reason.utf8)
    let outcome = wslay_event_queue_close(context, code.rawValue, bytes, bytes.count)
    precondition(outcome == 0, "wslay does not close: \(outcome)")
  }

  /// What its close frame said; nil before it was written.
  var closeSent: CloseCode? {
    wslay_event_get_close_sent(context) == 0
      ? nil : CloseCode(rawValue: wslay_event_get_status_code_sent(context))
  }
}
