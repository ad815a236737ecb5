import Core
import Curl
import Posix
import TestKit
import Testing

/// Sends bytes and keeps what comes back. Lives on the loop's thread.
private final class SocketUser: CurlSocketOwner, @unchecked Sendable {
  // Sendable by hand: on the loop's thread only, and read after it has ended.
  private(set) var received: [UInt8] = []
  private(set) var error: CurlError?
  private(set) var endedAt: Int64 = 0
  private(set) var isConnected = false
  private var socket: CurlSocket?
  private let toSend: [UInt8]
  private var sentByteCount = 0
  /// Ends the connection once so many bytes have come.
  var wanted = Int.max
  var onReceive: (SocketUser) -> Void = { _ in }
  var onConnect: () -> Void = {}
  /// Whether the end was told while something was sent.
  private(set) var wasToldWithinSend = false
  private var isSending = false
  private var done: (@Sendable (()) -> Void)?

  init(sending bytes: [UInt8] = []) { toSend = bytes }

  func run(_ url: String, on loop: CurlLoop, seconds: Double = 60, options: CurlOptions = CurlOptions()) async {
    await handedOver { done in
      loop.post {
        self.done = done
        let socket = CurlSocket(loop: loop, owner: self)
        self.socket = socket
        var options = options
        options.connectSeconds = seconds
        socket.connect(url: url, options: options)
      }
    }
  }

  func pause(_ isPaused: Bool) { socket?.isReadingPaused = isPaused }

  func socketConnected() {
    isConnected = true
    onConnect()
    write()
  }

  func socketWritable() { write() }

  private func write() {
    isSending = true
    defer { isSending = false }
    toSend.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sentByteCount...])
      sentByteCount += socket?.send(rest) ?? 0
    }
  }

  func socketReceived(_ bytes: UnsafeMutableRawBufferPointer) {
    received += bytes
    onReceive(self)
    guard received.count >= wanted else { return }
    socket?.close()
    finish()
  }

  func socketEnded(_ error: CurlError?) {
    endedAt = Clocks.monotonic()
    self.error = error
    wasToldWithinSend = isSending
    finish()
  }

  private func finish() {
    onReceive = { _ in }
    let told = done
    done = nil
    told?(())
  }
}

@Suite(.timeLimit(.minutes(5)))
struct SocketTests {
  @Test func `bytes go out and come back, more than the kernels hold`() async {
    await withLoop({ $0.echo() }) { loop, server in
      var random = SeededRandom(seed: 5)
      let bytes = random.bytes(3_000_000)
      let user = SocketUser(sending: bytes)
      user.wanted = bytes.count
      await user.run(server.url(), on: loop)
      #expect(user.received == bytes)
      #expect(user.error == nil)
    }
  }

  @Test func `while reading is paused nothing is taken, and then all of it`() async {
    await withLoop({ peer in
      peer.send([UInt8](repeating: 7, count: 2_000_000))
    }) { loop, server in
      let user = SocketUser()
      var isFirst = true
      user.onReceive = { user in
        guard isFirst else { return }
        isFirst = false
        user.pause(true)
        let count = user.received.count
        loop.post {
          loop.post {
            #expect(user.received.count == count)
            user.pause(false)
          }
        }
      }
      await user.run(server.url(), on: loop)
      #expect(user.received.count == 2_000_000)
      #expect(user.error == nil)
    }
  }

  @Test func `W21 an end is noticed while nothing is sent`() async {
    let gate = Gate()
    let end = Guarded<Int64>(0)
    await withLoop({ peer in
      gate.wait()
      end.withLock { $0 = Clocks.monotonic() }
      peer.end()
    }) { loop, server in
      let user = SocketUser()
      user.onConnect = { gate.open() }
      await user.run(server.url(), on: loop)
      #expect(user.isConnected && user.error == nil && user.received.isEmpty)
      // However slow the machine: the loop itself would sleep for a minute.
      #expect(user.endedAt - end.withLock { $0 } < 30_000_000_000)
    }
  }

  @Test func `a reset is told as what it is`() async {
    await withLoop({ $0.reset() }) { loop, server in
      let user = SocketUser(sending: [1])
      await user.run(server.url(), on: loop)
      #expect(user.error?.fault == .sendReceive || !user.isConnected)
    }
  }

  @Test(arguments: [false, true])
  func `a reset that a send meets is told after the send, and after what came before it`(isPaused: Bool) async {
    let (isConnected, isReset) = (Gate(), Gate())
    await withLoop({ peer in
      peer.send("too big")
      isConnected.wait()
      peer.reset()
      isReset.open()
    }) { loop, server in
      let user = SocketUser(sending: [UInt8](repeating: 1, count: 1000))
      user.onConnect = {
        isConnected.open()
        isReset.wait()
        user.pause(isPaused)
      }
      await user.run(server.url(), on: loop)
      #expect(user.error?.fault == .sendReceive)
      #expect(!user.wasToldWithinSend)
      #expect(user.received == (isPaused ? [] : Array("too big".utf8)))
    }
  }

  @Test func `a port where nobody listens is told`() async {
    await withLoop { loop, _ in
      let user = SocketUser()
      await user.run("http://127.0.0.1:\(FreePort.next())/", on: loop)
      #expect(user.error?.fault == .connect && !user.isConnected)
    }
  }

  @Test func `W20 a server that says nothing of TLS is left after the limit`() async {
    await withLoop({ $0.waitForEnd() }) { loop, server in
      let user = SocketUser()
      await user.run("https://127.0.0.1:\(server.port)/", on: loop, seconds: 0.3)
      #expect(user.error?.fault == .timeoutConnect, "\(String(describing: user.error))")
    }
  }

  @Test func `a proxy is asked for a tunnel, and its refusal told`() async {
    await withLoop({ peer in
      let head = peer.readHead() ?? ""
      guard head.hasPrefix("CONNECT h.test:80 ") else { return }
      if peer.number == 0 {
        peer.send("HTTP/1.1 200 OK\r\n\r\n")
        peer.echo()
      } else {
        peer.answer("no", status: "403 Forbidden")
      }
    }) { loop, server in
      var options = CurlOptions()
      options.proxy = server.url()
      let user = SocketUser(sending: [1, 2, 3])
      user.wanted = 3
      await user.run("http://h.test/", on: loop, options: options)
      #expect(user.received == [1, 2, 3])
      let refused = SocketUser()
      await refused.run("http://h.test/", on: loop, options: options)
      #expect(refused.error?.fault == .proxy && refused.error?.text.contains("403") == true)
    }
  }

  @Test(.enabled(if: ForeignPeer.Kind.caddy.isInstalled, "Caddy is not installed"))
  func `through TLS as well`() async throws {
    let caddy = try await ForeignPeer(.caddy)
    caddy.put(Pattern(1), byteCount: 1_000_000, as: "file")
    await withLoop { loop, _ in
      var options = CurlOptions()
      options.isInsecure = true
      let request = "GET /file HTTP/1.1\r\nHost: \(caddy.url("/").dropFirst(8).dropLast())\r\nConnection: close\r\n\r\n"
      // Caddy listens before its certificate is made.
      for _ in 0..<200 {
        let user = SocketUser(sending: Array(request.utf8))
        await user.run(caddy.url("/"), on: loop, options: options)
        if user.isConnected {
          #expect(user.received.count > 1_000_000)
          return
        }
      }
      Issue.record("no connection")
    }
    await caddy.stop()
  }
}
