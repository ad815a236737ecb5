import Testing

@testable import Core

@Suite struct GatewayURLTests {
  static let tokens: [(url: String, token: String, result: String)] = [
    ("ws://h:8787/ws", "abc", "http://h:8787/ws?token=abc"), ("wss://h/ws?a=1", "abc", "https://h/ws?a=1&token=abc"),
    ("ws://h/ws?token=old", "new", "http://h/ws?token=new"),
    ("ws://h/ws?token=old&a=1", "new", "http://h/ws?token=new&a=1"),
    ("ws://h/ws?a=1&token=x&token=y&b", "new", "http://h/ws?a=1&token=new&b"),
    ("ws://h/ws?", "n", "http://h/ws?token=n"),
    ("ws://h/ws?tok%65n=x", "new", "http://h/ws?token=new"),
    ("ws://h/ws?xtoken=x", "n", "http://h/ws?xtoken=x&token=n"),
    ("ws://h/ws?token", "n", "http://h/ws?token=n"),
    // Everything but the unreserved.
    ("ws://h/", "a+b/c=d&e f~-._é%", "http://h/?token=a%2Bb%2Fc%3Dd%26e%20f~-._%C3%A9%25"),
  ]

  @Test(arguments: tokens)
  func `T13 the token is a query item of its own, with nothing in it that a server would change`(
    url: String, token: String, result: String
  ) throws {
    #expect(try GatewayURL(url).upgradeURL(token: Secret(token)).text == result)
  }

  @Test func `W55 neither query nor user are part of what names a gateway`() throws {
    let url = try GatewayURL("WSS://user:pw@Agent.Example/ws?token=geheim")
    #expect(url.key == "wss://agent.example:443/ws")
    #expect("\(url)" == url.key && String(reflecting: url) == url.key)
    #expect(try GatewayURL("ws://h").key == "ws://h:80/")
    #expect(try GatewayURL("http://h:1/x").key == "ws://h:1/x")
    #expect(url.upgradeURL(token: nil).text == "https://user:pw@agent.example/ws?token=geheim")
  }

  @Test(arguments: ["ftp://h/", "h:8787", "ws:", "wsx://h", "", "://h", "ws://", "ws://h:0/"])
  func `what is no gateway's URL is refused`(text: String) {
    #expect(throws: WebURL.Invalid.self) { try GatewayURL(text) }
  }

  static let scopes: [(host: String, scope: HostScope)] = [
    ("localhost", .loopback), ("LOCALHOST.", .loopback), ("a.localhost", .loopback), ("127.0.0.1", .loopback),
    ("127.1", .loopback), ("2130706433", .loopback), ("0x7f.1", .loopback), ("0177.0.0.1", .loopback),
    ("0.0.0.0", .loopback),
    ("[::1]", .loopback), ("::1", .loopback), ("[::]", .loopback), ("[::ffff:127.0.0.1]", .loopback),
    ("[::ffff:7f00:1]", .loopback), ("10.1.2.3", .privateNetwork), ("172.16.0.1", .privateNetwork),
    ("172.31.255.255", .privateNetwork), ("192.168.1.1", .privateNetwork), ("192.168.257", .privateNetwork),
    ("169.254.169.254", .privateNetwork), ("100.64.0.1", .privateNetwork), ("[fe80::1%25eth0]", .privateNetwork),
    ("[fd00::1]", .privateNetwork), ("[fc12::]", .privateNetwork), ("[64:ff9b::10.0.0.1]", .privateNetwork),
    ("[::10.0.0.1]", .privateNetwork),
    ("172.32.0.1", .publicNetwork), ("100.128.0.1", .publicNetwork), ("8.8.8.8", .publicNetwork), ("1", .loopback),
    ("[2001:db8::1]", .publicNetwork), ("[64:ff9b::8.8.8.8]", .publicNetwork), ("[::ffff:8.8.8.8]", .publicNetwork),
    ("agent.example", .name), ("agent", .name), ("1.2.3.4.5", .name), ("256.1.1.1", .name), ("1.2.3.4x", .name),
    ("notlocalhost", .name), ("[::1::]", .name), ("[1:2:3:4:5:6:7]", .name),
  ]

  @Test(arguments: scopes) func `a host's scope is known by every form of its address`(host: String, scope: HostScope) {
    #expect(HostScope(host: host) == scope)
  }

  @Test func `a token goes out in the clear only near by, or when that is allowed`() throws {
    #expect(try GatewayURL("ws://127.0.0.1:8787/ws").plaintextRefusal(isAllowed: false) == nil)
    #expect(try GatewayURL("ws://192.168.1.5/ws").plaintextRefusal(isAllowed: false) == nil)
    #expect(try GatewayURL("wss://agent.example/ws").plaintextRefusal(isAllowed: false) == nil)
    #expect(try GatewayURL("ws://agent.example/ws").plaintextRefusal(isAllowed: true) == nil)
    #expect(try GatewayURL("ws://agent.example/ws").plaintextRefusal(isAllowed: false)?.exitStatus == .usage)
    #expect(try GatewayURL("ws://agent.lan/ws").plaintextRefusal(scope: .privateNetwork, isAllowed: false) == nil)
    #expect(try GatewayURL("ws://8.8.8.8/ws").plaintextRefusal(isAllowed: false) != nil)
  }

  // MARK: Media by link

  static let links: [(gateway: String, link: String, url: String, token: Bool)] = [
    ("ws://127.0.0.1:8787/ws", "/media/a?s=1", "http://127.0.0.1:8787/media/a?s=1", true),
    ("wss://h/a/b/ws", "media/a", "https://h/media/a", true), ("wss://h/ws?token=x", "?q", "https://h/?q", true),
    ("wss://h/ws", "https://h:443/a", "https://h/a", true), ("wss://h/ws", "//h/a", "https://h/a", true),
    ("wss://h/ws", "http://h/a", "http://h/a", false), ("wss://h/ws", "https://h:8443/a", "https://h:8443/a", false),
    ("wss://h/ws", "//cdn.h/a", "https://cdn.h/a", false), ("ws://h/ws", "https://other/a", "https://other/a", false),
    ("wss://u:p@h/ws", "/a", "https://u:p@h/a", true), ("wss://u:p@h/ws", "//o/a", "https://o/a", false),
    ("ws://127.0.0.1/ws", "http://192.168.1.9/a", "http://192.168.1.9/a", false),
  ]

  @Test(arguments: links) func `a link is resolved on the session's origin, and the token goes nowhere else`(
    gateway: String, link: String, url: String, token: Bool
  ) throws {
    let download = try MediaURLRule.resolve(link, gateway: GatewayURL(gateway)).get()
    #expect(download.url.text == url)
    #expect(download.sendsToken == token)
  }

  static let refused: [(gateway: String, link: String)] = [
    ("wss://agent.example/ws", "http://127.0.0.1/a"), ("wss://agent.example/ws", "http://0x7f.1/a"),
    ("wss://agent.example/ws", "http://[::ffff:10.0.0.1]/a"), ("wss://agent.example/ws", "http://169.254.169.254/meta"),
    ("wss://agent.example/ws", "//localhost/a"), ("ws://127.0.0.1/ws", "file:///etc/passwd"),
    ("ws://127.0.0.1/ws", "ftp://h/a"), ("ws://127.0.0.1/ws", "javascript:alert"), ("ws://127.0.0.1/ws", "http://"),
    ("ws://127.0.0.1/ws", "a\nb"),
  ]

  @Test(arguments: refused) func `other schemes, and private addresses for a public gateway, are refused`(
    gateway: String, link: String
  ) throws {
    #expect(throws: TransferFailure.self) { try MediaURLRule.resolve(link, gateway: GatewayURL(gateway)).get() }
  }

  @Test func `names may lead to private addresses only if the gateway has one`() throws {
    let far = try MediaURLRule.resolve("https://cdn.example/a", gateway: GatewayURL("wss://agent.example/ws")).get()
    #expect(far.reach.isPublicOnly && far.reach.needsPublicAddress(far.url))
    let near = try MediaURLRule.resolve(
      "http://nas/a", gateway: GatewayURL("ws://agent.lan/ws"), scope: .privateNetwork
    ).get()
    #expect(!near.reach.needsPublicAddress(near.url))
    let own = try MediaURLRule.resolve("/a", gateway: GatewayURL("wss://agent.example/ws")).get()
    #expect(!own.reach.needsPublicAddress(own.url))
    #expect(own.reach.needsPublicAddress(far.url))
  }

  @Test func `media follow five redirects, and never from https to http`() throws {
    let from = try WebURL("https://h/a")
    func verdict(_ location: String, hops: Int) -> RedirectRule.Verdict {
      var reach = Reach()
      reach.maxRedirects = MediaURLRule.maxRedirects
      reach.isPublicOnly = true
      return RedirectRule.apply(
        from: from, status: 302, location: location, hops: hops, allowsDowngrade: false, reach: reach)
    }
    #expect(verdict("/b", hops: 4) == .follow(try WebURL("https://h/b"), keepsCredentials: true))
    guard case .refuse(let tooMany) = verdict("/b", hops: 5), case .refuse = verdict("http://h/b", hops: 0),
      case .refuse(let inside) = verdict("https://127.0.0.1/b", hops: 0)
    else {
      Issue.record("followed")
      return
    }
    #expect(tooMany.message == "server redirected more than 5 times, last to https://h/b")
    #expect(inside.message == "the link leads to the private address 127.0.0.1, the gateway is public")
  }
}
