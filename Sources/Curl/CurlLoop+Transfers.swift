import CCurl
import Core

/// Transfers on the loop. All of it on the loop's thread.
extension CurlLoop {
  /// Starts a prepared transfer; the owner is kept until it has ended.
  public func start(_ transfer: CurlTransfer, owner: any CurlTransferOwner) {
    checkIsolated()
    precondition(!transfer.isRunning, "a transfer is started while it runs")
    lastToken += 1
    transfer.begin(token: lastToken, owner: owner, loop: self)
    transfers[lastToken] = transfer
    if isInsideCurl { deferred.append(.start(token: lastToken)) } else { add(lastToken) }
  }

  /// Ends a transfer, its connection too unless that is idle or shared; the owner hears nothing more.
  public func cancel(_ transfer: CurlTransfer) {
    checkIsolated()
    if transfer.isRunning { drop(transfer.token) }
  }

  /// Lets a paused transfer go on, in the next turn.
  public func resume(_ transfer: CurlTransfer) {
    checkIsolated()
    if transfer.isRunning { deferred.append(.resume(token: transfer.token)) }
  }

  /// How many transfers are started.
  public var transferCount: Int {
    checkIsolated()
    return transfers.count
  }

  // MARK: In and out of the multi handle

  private func add(_ token: Int) {
    guard let transfer = transfers[token] else { return }
    if transfer.refusal == nil {
      let code = unsafe curl_multi_add_handle(multi, transfer.easy)
      if code == CURLM_OK { return }
      transfer.failure = CurlError(multi: code)
    }
    ended.append((token, CURLE_OK))
  }

  /// Forgets a transfer at once and takes it from libcurl as soon as that may be.
  func drop(_ token: Int) {
    guard let transfer = transfers.removeValue(forKey: token) else { return }
    transfer.owner = nil
    transfer.flow = .stopped
    if isInsideCurl { deferred.append(.remove(transfer)) } else { remove(transfer) }
  }

  private func remove(_ transfer: CurlTransfer) {
    unsafe curl_multi_remove_handle(multi, transfer.easy)
    transfer.token = 0
  }

  func applyDeferred() {
    // What is asked for meanwhile waits for the next time: a resumed transfer may pause again at once.
    for action in deferred.take() {
      switch action {
      case .start(let token): add(token)
      case .remove(let transfer): remove(transfer)
      case .resume(let token): unpause(token)
      }
    }
  }

  /// Delivers what libcurl kept, inside this call.
  private func unpause(_ token: Int) {
    guard let transfer = transfers[token] else { return }
    if transfer.flow == .held { transfer.flow = .running }
    isInsideCurl = true
    // A form that had bytes before its file's pause has not told libcurl of it yet, and would after this.
    if unsafe transfer.form != nil { unsafe curl_easy_pause(transfer.easy, hermes_pause_sending) }
    let code = unsafe curl_easy_pause(transfer.easy, hermes_pause_nothing)
    isInsideCurl = false
    // A verdict given in there is the call's answer only; the transfer itself would go on without these bytes.
    if code != CURLE_OK, transfers[token] != nil { ended.append((token, code)) }
  }

  func perform() {
    var runningCount: Int32 = 0
    isInsideCurl = true
    let code = unsafe curl_multi_perform(multi, &runningCount)
    isInsideCurl = false
    if code != CURLM_OK { failAll(code) }
  }

  // MARK: The end of transfers

  func tellEnded() {
    collectMessages()
    for (token, code) in ended.take() {
      // Cancelled by the owner of one before.
      guard let transfer = transfers[token], let owner = transfer.owner else { continue }
      let result = transfer.result(code)
      // libcurl closes a connection of its own with the handle, which therefore stays.
      if !transfer.isConnectOnly || result.error != nil { drop(token) }
      owner.transferEnded(result)
    }
  }

  /// A message's memory goes with the next call, so its words are copied first.
  private func collectMessages() {
    var leftCount: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &leftCount) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      ended.append(unsafe (CurlTransfer.token(of: message.pointee.easy_handle), hermes_message_code(message)))
    }
  }

  /// libcurl's multi handle itself is broken: every transfer ends with that.
  func failAll(_ code: CURLMcode) {
    for (token, transfer) in transfers {
      transfer.failure = CurlError(multi: code)
      ended.append((token, CURLE_OK))
    }
  }
}

extension Array {
  /// Hands the elements over and is empty.
  fileprivate mutating func take() -> [Element] {
    let elements = self
    self = []
    return elements
  }
}
