import CMicroHTTPD

/// Where the library's C callbacks arrive.
///
/// `HTTPDaemon` keeps it alive until the library has ended its last thread, so callbacks borrow it unretained.
final class DaemonBorder: Sendable {
  let service: GatewayService
  let pacer = Pacer()

  init(service: GatewayService) { self.service = service }

  var callbacks: hermes_daemon_callbacks {
    unsafe hermes_daemon_callbacks(
      context: Unmanaged.passUnretained(self).toOpaque(),
      answer: { context, connection, path, method, _, _, byteCount, slot in
        guard let context = unsafe context, let connection = unsafe connection, let slot = unsafe slot else {
          return .NO
        }
        let border = unsafe Unmanaged<DaemonBorder>.fromOpaque(context).takeUnretainedValue()
        return unsafe border.answer(connection, method, path, byteCount, slot)
      },
      completed: { context, _, slot, code in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let border = unsafe Unmanaged<DaemonBorder>.fromOpaque(context).takeUnretainedValue()
        unsafe border.completed(slot, code)
      },
      connection: { context, _, slot, code in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let border = unsafe Unmanaged<DaemonBorder>.fromOpaque(context).takeUnretainedValue()
        unsafe border.connectionChanged(slot, code)
      })
  }

  /// MHD_AccessHandlerCallback: once for the head, once for each portion of body, once after it.
  private func answer(
    _ connection: OpaquePointer, _ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ byteCount: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let opaque = unsafe slot.pointee else {
      let exchange = unsafe Exchange(RequestHead(method, path, connection))
      unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
      // Answered before its body, a request that is refused anyway need not send it.
      return exchange.head.isRead ? .YES : unsafe respond(to: exchange, on: connection)
    }
    if let byteCount = unsafe byteCount, unsafe byteCount.pointee > 0 {
      unsafe byteCount.pointee = 0
      return .YES
    }
    return unsafe respond(to: Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue(), on: connection)
  }

  private func respond(to exchange: Exchange, on connection: OpaquePointer) -> MHD_Result {
    let answer = service.answer(to: exchange.head)
    exchange.status = answer.plan.status
    exchange.byteCount = exchange.head.isRead && !exchange.head.isGET ? 0 : answer.plan.byteCount
    if case .session(let admission) = answer.plan.body { exchange.admission = admission }
    let context = unsafe hermes_connection_context(connection).map {
      unsafe Unmanaged<ConnectionContext>.fromOpaque($0).takeUnretainedValue()
    }
    guard let context, let response = unsafe MHDResponse(answer, for: connection, context, self) else { return .NO }
    return unsafe response.queue(on: connection)
  }

  /// MHD_RequestCompletedCallback.
  private func completed(
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ code: MHD_RequestTerminationCode
  ) {
    guard let opaque = unsafe slot.pointee else { return }
    unsafe slot.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
    service.completed(exchange, isWhole: code == .REQUEST_TERMINATED_COMPLETED_OK)
  }

  /// MHD_NotifyConnectionCallback.
  private func connectionChanged(
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ code: MHD_ConnectionNotificationCode
  ) {
    if code == .CONNECTION_NOTIFY_STARTED {
      let context = ConnectionContext(bytesPerSecond: service.bytesPerSecond)
      unsafe slot.pointee = Unmanaged.passRetained(context).toOpaque()
    } else if let opaque = unsafe slot.pointee {
      unsafe slot.pointee = nil
      unsafe Unmanaged<ConnectionContext>.fromOpaque(opaque).release()
    }
  }
}
