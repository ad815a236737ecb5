import Glibc

/// A server on 127.0.0.1 that sends just the bytes it is told to: each connection runs `script` on a thread of its own.
final class ByteServer: @unchecked Sendable {
  // Sendable by hand: the lists are only touched with the lock held.
  let port: UInt16
  private let listener: Int32
  private let script: @Sendable (Peer) -> Void
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var peers: [Peer] = []
  private var threads: [pthread_t] = []
  private var isStopped = false

  init(_ script: @escaping @Sendable (Peer) -> Void) {
    self.script = script
    pthread_mutex_init(lock, nil)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        precondition(bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0)
        precondition(getsockname(descriptor, $0, &length) == 0)
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
    start { $0.acceptAll() }
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends every connection and waits for the threads.
  func stop() {
    locked {
      isStopped = true
      for peer in peers { peer.shutdown() }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    while let thread = locked({ threads.popLast() }) { pthread_join(thread, nil) }
    close(listener)
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let peer = locked { () -> Peer? in
        guard !isStopped else { return nil }
        let peer = Peer(descriptor: descriptor, number: peers.count)
        peers.append(peer)
        return peer
      }
      guard let peer else {
        close(descriptor)
        return
      }
      start {
        $0.script(peer)
        peer.end()
      }
    }
  }

  private func start(_ body: @escaping (ByteServer) -> Void) {
    final class Start {
      let server: ByteServer
      let body: (ByteServer) -> Void
      init(_ server: ByteServer, _ body: @escaping (ByteServer) -> Void) { (self.server, self.body) = (server, body) }
    }
    locked {
      var thread = pthread_t()
      let outcome = pthread_create(
        &thread, nil,
        { context in
          let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
          start.body(start.server)
          return nil
        }, Unmanaged.passRetained(Start(self, body)).toOpaque())
      precondition(outcome == 0)
      threads.append(thread)
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }
}

/// One accepted connection, used by its script; `shutdown` comes from the server.
final class Peer: @unchecked Sendable {
  // Sendable by hand: the descriptor is closed under the lock, and only shutdown comes from another thread.
  let number: Int
  private var descriptor: Int32
  private var held: [UInt8] = []
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(descriptor: Int32, number: Int) {
    self.descriptor = descriptor
    self.number = number
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// The next request's head with its empty line, or nil at the end of the connection.
  func readHead() -> String? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: held, as: UTF8.self)
      if let end = text.firstRange(of: "\r\n\r\n") {
        let head = String(text[..<end.upperBound])
        held.removeFirst(head.utf8.count)
        return head
      }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      held += chunk[..<count]
    }
  }

  /// False when the other side has gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Answers with a whole 200.
  @discardableResult
  func answer(_ body: String, status: String = "200 OK", headers: String = "") -> Bool {
    send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
  }

  /// Sends back what comes, until the other side closes.
  func echo() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0, send(Array(chunk[..<count])) else { return }
    }
  }

  /// Takes what comes until it ends like this, or with the connection; answers the last bytes, as many as those at most.
  func readUntil(_ ending: [UInt8]) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var last = held.suffix(ending.count)
    while !last.elementsEqual(ending) {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      last = (last + chunk[..<count]).suffix(ending.count)
    }
    return Array(last)
  }

  /// Waits until the other side closes; what it sends is thrown away.
  func waitForEnd() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while recv(descriptor, &chunk, chunk.count, 0) > 0 {}
  }

  /// Ends with a reset instead of a close.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    end()
  }

  func end() {
    locked {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  func shutdown() {
    locked { if descriptor >= 0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  private func locked(_ body: () -> Void) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    body()
  }
}

/// Lets one thread wait until another has come so far; ten seconds at most.
final class Gate: Sendable {
  private let ends: (Int32, Int32)

  init() {
    var pair: [Int32] = [0, 0]
    precondition(pipe(&pair) == 0)
    ends = (pair[0], pair[1])
  }

  deinit {
    close(ends.0)
    close(ends.1)
  }

  func open() { _ = write(ends.1, "x", 1) }

  func wait() {
    var end = pollfd(fd: ends.0, events: Int16(POLLIN), revents: 0)
    poll(&end, 1, 10_000)
  }
}
