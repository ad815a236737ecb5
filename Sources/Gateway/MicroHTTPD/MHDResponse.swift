import CMicroHTTPD
import Core
import Posix

/// A response object of the library, made from a plan.
@safe struct MHDResponse: ~Copyable {
  private let response: OpaquePointer
  private let status: UInt32

  /// Nil when the library has no memory for it.
  init?(
    _ answer: consuming GatewayAnswer, for connection: OpaquePointer, _ context: ConnectionContext,
    _ border: DaemonBorder
  ) {
    let plan = answer.plan
    let body: OpaquePointer? =
      switch plan.body {
      case .nothing(let byteCount): unsafe Self.announcement(byteCount)
      case .text(let text): unsafe Self.buffer(text)
      case .file(let range):
        unsafe Self.file(answer.file.take(), range, plan.delivery, connection, context, border.pacer)
      case .session: unsafe UpgradedConnection.response(border)
      }
    guard let body = unsafe body else { return nil }
    for field in plan.fields { unsafe MHD_add_response_header(body, field.name, field.value) }
    unsafe response = unsafe body
    status = UInt32(plan.status)
  }

  deinit {
    unsafe MHD_destroy_response(response)
  }

  func queue(on connection: OpaquePointer) -> MHD_Result {
    unsafe MHD_queue_response(connection, status, response)
  }

  /// A body of which the library sends the length only.
  private static func announcement(_ byteCount: Int64) -> OpaquePointer? {
    unsafe MHD_create_response_from_callback(UInt64(byteCount), 1024, { _, _, _, _ in endWithError }, nil, nil)
  }

  private static func buffer(_ text: String) -> OpaquePointer? {
    var bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeMutableBytes {
      unsafe MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
    }
  }

  private static func file(
    _ file: consuming OpenFile?, _ range: ByteRange, _ delivery: Delivery, _ connection: OpaquePointer,
    _ context: ConnectionContext, _ pacer: Pacer
  ) -> OpaquePointer? {
    guard let file else { return nil }
    if range.isEmpty, delivery.statesLength { return unsafe buffer("") }
    if delivery == Delivery(), context.pace == nil { return unsafe sendfile(file, range) }
    let source = unsafe BodySource(file, range, delivery, connection: connection, context: context, pacer: pacer)
    return unsafe callback(source, delivery.statesLength ? UInt64(range.byteCount) : .max)
  }

  /// The kernel moves the bytes (sendfile); the library closes the descriptor.
  private static func sendfile(_ file: consuming OpenFile, _ range: ByteRange) -> OpaquePointer? {
    let descriptor = file.descriptor.release()
    guard
      let response = unsafe MHD_create_response_from_fd_at_offset64(
        UInt64(range.byteCount), descriptor, UInt64(range.start))
    else {
      _ = Descriptor(owning: descriptor)
      return nil
    }
    return unsafe response
  }

  /// - Parameter byteCount: `UInt64.max` (MHD_SIZE_UNKNOWN) for a chunked body.
  private static func callback(_ source: BodySource, _ byteCount: UInt64) -> OpaquePointer? {
    let retained = unsafe Unmanaged.passRetained(source)
    let response = unsafe MHD_create_response_from_callback(
      byteCount, portionByteCount,
      { context, position, room, count in
        guard let context = unsafe context, let room = unsafe room else { return endWithError }
        let source = unsafe Unmanaged<BodySource>.fromOpaque(context).takeUnretainedValue()
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: room, count: count)
        return switch unsafe source.next(after: Int64(position), into: buffer) {
        case .byteCount(let count): count
        case .later: 0
        case .end: endOfStream
        case .failure: endWithError
        }
      }, retained.toOpaque(),
      { context in
        if let context = unsafe context { unsafe Unmanaged<BodySource>.fromOpaque(context).release() }
      })
    if unsafe response == nil { unsafe retained.release() }
    return unsafe response
  }

  private static let portionByteCount = 128 << 10
}

// MHD_CONTENT_READER_END_OF_STREAM and _END_WITH_ERROR are casts in macros, which Swift can't import.
private let endOfStream = -1
private let endWithError = -2
