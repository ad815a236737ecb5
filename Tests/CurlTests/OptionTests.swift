import Curl
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct OptionTests {
  private let echo: @Sendable (Peer) -> Void = { peer in
    while let head = peer.readHead() { peer.answer(head) }
  }

  @Test func `credentials are sent at once and go with the options`() async {
    await withLoop(echo) { loop, server in
      let transfer = CurlTransfer()
      var options = CurlOptions()
      options.user = "user"
      options.password = "secret"
      options.userAgent = "tester/1"
      options.referer = "http://from/"
      let basic = await Fetch(transfer).run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(basic.text.contains("\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n"))
      #expect(basic.text.contains("\r\nUser-Agent: tester/1\r\n"))
      #expect(basic.text.contains("\r\nReferer: http://from/\r\n"))
      options.bearerToken = "token"
      let bearer = await Fetch(transfer).run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(bearer.text.contains("\r\nAuthorization: Bearer token\r\n"))
      let plain = await Fetch(transfer).run(CurlRequest(url: server.url()), on: loop)
      #expect(!plain.text.contains("Authorization") && !plain.text.contains("tester") && !plain.text.contains("from"))
      #expect(plain.result.isReused)
    }
  }

  @Test func `netrc gives what the options don't`() async {
    let folder = TemporaryFolder()
    await withLoop(echo) { loop, server in
      var options = CurlOptions()
      options.netrcFile = folder.write("machine 127.0.0.1 login user password secret\n", to: "netrc")
      let fetch = await Fetch().run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(fetch.text.contains("\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n"))
    }
  }

  @Test func `cookies of a jar live from request to request and end with it`() async {
    let folder = TemporaryFolder()
    await withLoop { peer in
      while let head = peer.readHead() { peer.answer(head, headers: "Set-Cookie: given=2\r\n") }
    } _: { loop, server in
      let transfer = CurlTransfer()
      var options = CurlOptions()
      options.cookieFile = folder.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tkept\t1\n", to: "cookies")
      let one = await Fetch(transfer).run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(one.text.contains("\r\nCookie: kept=1\r\n"))
      options.userAgent = "other"
      let two = await Fetch(transfer).run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(two.text.contains("kept=1") && two.text.contains("given=2"))
      let three = await Fetch(transfer).run(CurlRequest(url: server.url()), on: loop)
      #expect(!three.text.contains("Cookie"))
    }
  }

  @Test func `a proxy and a resolved name lead to the server`() async {
    await withLoop(echo) { loop, server in
      var options = CurlOptions()
      options.proxy = server.url()
      let proxied = await Fetch().run(CurlRequest(url: "http://far.invalid/x", options: options), on: loop)
      #expect(proxied.text.hasPrefix("GET http://far.invalid/x HTTP/1.1\r\n"))
      options.proxy = ""
      options.resolve = ["near.invalid:\(server.port):127.0.0.1"]
      let url = "http://near.invalid:\(server.port)/y"
      let resolved = await Fetch().run(CurlRequest(url: url, options: options), on: loop)
      #expect(resolved.text.hasPrefix("GET /y HTTP/1.1\r\nHost: near.invalid:\(server.port)\r\n"))
    }
  }

  @Test func `an interface that isn't there is a connection's trouble`() async {
    await withLoop(echo) { loop, server in
      var options = CurlOptions()
      options.interface = "if!nonexistent0"
      let fetch = await Fetch().run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(fetch.result.error?.fault == .connect)
    }
  }

  @Test func `a socket's path replaces the host`() async {
    await withLoop(echo) { loop, server in
      var options = CurlOptions()
      options.unixSocket = "/nonexistent/socket"
      let fetch = await Fetch().run(CurlRequest(url: server.url(), options: options), on: loop)
      #expect(fetch.result.error?.fault == .connect)
    }
  }

  @Test func `an address of the other family is none`() async {
    await withLoop(echo) { loop, server in
      let transfer = CurlTransfer()
      var options = CurlOptions()
      options.addressFamily = .ipv6
      let url = "http://ip6-only.invalid:\(server.port)/"
      options.resolve = ["ip6-only.invalid:\(server.port):127.0.0.1"]
      let refused = await Fetch(transfer).run(CurlRequest(url: url, options: options), on: loop)
      #expect(refused.result.error != nil && refused.heads.isEmpty)
      options.addressFamily = .ipv4
      let answered = await Fetch(transfer).run(CurlRequest(url: url, options: options), on: loop)
      #expect(answered.result.error == nil)
    }
  }

  @Test func `libcurl says what it is`() {
    #expect(CurlVersion.text.hasPrefix("libcurl/"))
  }
}
