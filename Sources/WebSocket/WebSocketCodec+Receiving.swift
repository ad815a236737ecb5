import CKernels

extension WebSocketCodec {
  /// Takes what came from the socket, in pieces of any size; payloads are unmasked in place. Events go to the sink. After
  /// a failure the close frame that says so is queued, and what comes is ignored, as it is after the other side's close.
  public func receive(_ bytes: UnsafeMutableRawBufferPointer, _ sink: some WebSocketSink) {
    var rest = unsafe bytes[...]
    do throws(ProtocolFailure) {
      while unsafe !rest.isEmpty, closeReceived == nil, failure == nil {
        if frame == nil {
          unsafe try takeHeader(&rest, sink)
        } else {
          unsafe try takePayload(&rest, sink)
        }
      }
    } catch {
      failure = error
      close(error.code, reason: error.message)
    }
  }

  /// Bytes of the message that is being received, so far.
  public var receivedByteCount: Int { messageByteCount }

  private func takeHeader(
    _ rest: inout Slice<UnsafeMutableRawBufferPointer>, _ sink: some WebSocketSink
  ) throws(ProtocolFailure) {
    while let byte = unsafe rest.first {
      unsafe rest = rest.dropFirst()
      header.append(byte)
      guard header.count >= 2, header.count == FrameHeader.byteCount(header[0], header[1]) else { continue }
      let next = try FrameHeader(header)
      header.removeAll(keepingCapacity: true)
      try check(next)
      frame = next
      frameByteCount = 0
      begin(next, sink)
      if next.byteCount == 0 { try end(next, sink) }
      return
    }
  }

  private func check(_ next: FrameHeader) throws(ProtocolFailure) {
    guard next.isMasked == (role == .server) else {
      throw ProtocolFailure(
        .protocolError, next.isMasked ? "a server's frame is masked" : "a client's frame is not masked")
    }
    guard !next.opcode.isControl else { return }
    guard (next.opcode == .continuation) == (message != nil) else {
      throw ProtocolFailure(
        .protocolError, message == nil ? "a continuation has no message" : "a message begins within another")
    }
    guard next.byteCount <= limits.maxMessageByteCount - messageByteCount else {
      throw ProtocolFailure(
        .messageTooBig, "a message is longer than the \(limits.maxMessageByteCount) bytes that are taken")
    }
  }

  private func begin(_ next: FrameHeader, _ sink: some WebSocketSink) {
    switch next.opcode {
    case .text, .binary:
      let kind: MessageKind = next.opcode == .text ? .text : .binary
      message = kind
      textState = 0
      sink.messageBegan(kind)
    case .continuation: break
    case .close, .ping, .pong: control.removeAll(keepingCapacity: true)
    }
  }

  private func takePayload(
    _ rest: inout Slice<UnsafeMutableRawBufferPointer>, _ sink: some WebSocketSink
  ) throws(ProtocolFailure) {
    guard let frame else { return }
    let count = min(frame.byteCount - frameByteCount, unsafe rest.count)
    let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count))
    unsafe rest = rest.dropFirst(count)
    unsafe frame.mask.apply(to: piece, offset: frameByteCount)
    frameByteCount += count
    if frame.opcode.isControl {
      unsafe control.append(contentsOf: piece)
    } else {
      messageByteCount += count
      if message == .text { unsafe try checkText(UnsafeRawBufferPointer(piece)) }
      unsafe sink.messageReceived(UnsafeRawBufferPointer(piece))
    }
    if frameByteCount == frame.byteCount { try end(frame, sink) }
  }

  private func checkText(_ bytes: UnsafeRawBufferPointer) throws(ProtocolFailure) {
    guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    textState = unsafe hermes_utf8(textState, start, bytes.count)
    guard textState != UTF8Check.bad else { throw UTF8Check.failure }
  }

  private func end(_ done: FrameHeader, _ sink: some WebSocketSink) throws(ProtocolFailure) {
    frame = nil
    switch done.opcode {
    case .continuation, .text, .binary:
      guard done.isFinal else { return }
      guard message == .binary || textState == 0 else { throw UTF8Check.failure }
      message = nil
      messageByteCount = 0
      sink.messageEnded()
    case .ping:
      pong(control)
      sink.pingReceived(control)
    case .pong: sink.pongReceived(control)
    case .close: try endClose(sink)
    }
  }

  private func endClose(_ sink: some WebSocketSink) throws(ProtocolFailure) {
    guard control.count != 1 else { throw ProtocolFailure(.protocolError, "a close frame has one byte") }
    var code = CloseCode.noStatus
    if control.count >= 2 {
      code = CloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
      guard code.isValidOnWire else {
        throw ProtocolFailure(.protocolError, "a close frame has the forbidden code \(code)")
      }
    }
    let text = control.dropFirst(2)
    guard UTF8Check.isWhole(Array(text)) else { throw UTF8Check.failure }
    closeReceived = code
    closeReason = String(decoding: text, as: UTF8.self)
    close(code)
    sink.closeReceived(code, reason: closeReason)
  }
}

enum UTF8Check {
  static let bad = UInt32.max
  static var failure: ProtocolFailure { ProtocolFailure(.invalidPayload, "a text is not UTF-8") }

  static func isWhole(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return true }
      return unsafe hermes_utf8(0, start, buffer.count) == 0
    }
  }
}
