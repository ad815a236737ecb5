import Curl
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct ErrorTests {
  private func error(
    _ script: @escaping @Sendable (Peer) -> Void, url: (ByteServer) -> String = { $0.url() },
    headerLines: [String] = [], options: CurlOptions = CurlOptions()
  ) async -> CurlError? {
    await withLoop(script) { loop, server in
      let request = CurlRequest(url: url(server), headerLines: headerLines, options: options)
      return await Fetch().run(request, on: loop).result.error
    }
  }

  @Test func `nobody listens`() async {
    let port = FreePort.next()
    let error = await error({ _ in }, url: { _ in "http://127.0.0.1:\(port)/" })
    #expect(error?.fault == .connect)
    #expect(error?.osErrno == 111)
    #expect(error?.text.hasPrefix("failed to connect to 127.0.0.1 port \(port)") == true)
  }

  @Test func `there is no such host`() async {
    let error = await error({ _ in }, url: { _ in "http://nonexistent.invalid/" })
    #expect(error?.fault == .resolve)
    #expect(error?.text == "could not resolve host: nonexistent.invalid")
  }

  @Test func `the body ends early`() async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    }
    #expect(error?.fault == .partialBody)
  }

  @Test func `chunks end early`() async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
    }
    #expect(error?.fault == .partialBody)
  }

  @Test func `chunks are broken`() async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n")
      peer.waitForEnd()
    }
    #expect(error?.fault == .httpProtocol)
  }

  @Test func `the connection is reset in the body`() async {
    let gate = Gate()
    await withLoop { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
      // Not before the piece was taken: a reset throws away what is on its way.
      gate.wait()
      peer.reset()
    } _: { loop, server in
      let fetch = Fetch()
      fetch.onBody = { _ in
        gate.open()
        return .proceed
      }
      await fetch.run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.text == "hello")
      #expect(fetch.result.error?.fault == .sendReceive)
    }
  }

  @Test func `the server closes without a word`() async {
    let error = await error { peer in _ = peer.readHead() }
    #expect(error?.fault == .emptyReply)
  }

  @Test(arguments: ["hello\r\n\r\n", "HTTP/9.9 what\r\n\r\n", "SSH-2.0-OpenSSH\r\n"])
  func `what comes is not HTTP`(_ answer: String) async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send(answer)
    }
    #expect(error?.fault == .httpProtocol)
  }

  @Test func `a head with two lengths is dropped`() async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")
    }
    #expect(error?.fault == .httpProtocol)
  }

  @Test func `a head without end is dropped`() async {
    let error = await error { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\n")
      while peer.send("X-Filler: \(String(repeating: "x", count: 1000))\r\n") {}
    }
    #expect(error?.fault == .httpProtocol)
    #expect(error?.text == "the response's header is over 262144 bytes")
  }

  @Test func `a scheme we don't speak`() async {
    let error = await error({ _ in }, url: { _ in "ftp://127.0.0.1/x" })
    #expect(error?.fault == .unsupportedScheme)
  }

  @Test func `not a URL`() async {
    let error = await error({ _ in }, url: { _ in "http://a b/" })
    #expect(error?.fault == .badURL)
  }

  @Test func `a header line cannot bring a second one`() async {
    let error = await error({ $0.answer($0.readHead() ?? "") }, headerLines: ["X: 1\r\nY: 2"])
    #expect(error?.text == "a header line has a line break in it")
  }

  @Test func `a handshake that doesn't come is a connection timeout`() async {
    var options = CurlOptions()
    options.connectSeconds = 0.2
    let error = await error({ $0.waitForEnd() }, url: { "https://127.0.0.1:\($0.port)/" }, options: options)
    #expect(error?.fault == .timeoutConnect)
  }

  @Test func `a server that speaks no TLS is told from a bad certificate`() async {
    let error = await error(
      { peer in
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        peer.waitForEnd()
      }, url: { "https://127.0.0.1:\($0.port)/" })
    #expect(error?.fault == .tls(isCertificate: false))
  }

  @Test func `a connection closed in the handshake counts as not made`() async {
    let error = await error({ $0.reset() }, url: { "https://127.0.0.1:\($0.port)/" })
    #expect(error?.fault == .connect)
  }

  @Test func `a certificate file that isn't there is a certificate error`() async {
    var options = CurlOptions()
    options.caFile = "/nonexistent/ca.pem"
    let error = await error({ $0.waitForEnd() }, url: { "https://127.0.0.1:\($0.port)/" }, options: options)
    #expect(error?.fault == .tls(isCertificate: true))
  }

  @Test func `a proxy that refuses is a proxy's error and its head is nobody's`() async {
    await withLoop { peer in
      _ = peer.readHead()
      peer.answer("", status: "403 Forbidden", headers: "ETag: \"proxy\"\r\n")
    } _: { loop, server in
      var options = CurlOptions()
      options.proxy = server.url()
      let fetch = await Fetch().run(CurlRequest(url: "https://example.invalid/", options: options), on: loop)
      #expect(fetch.result.error?.fault == .proxy)
      #expect(fetch.heads.isEmpty)
    }
  }
}
