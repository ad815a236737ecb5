import Testing

@testable import Core

@Suite struct RedirectRuleTests {
  private func verdict(
    _ from: String, _ location: String, status: Int = 302, hops: Int = 0, allowsDowngrade: Bool = false
  ) throws -> RedirectRule.Verdict {
    RedirectRule.apply(
      from: try WebURL(from), status: status, location: location, hops: hops, allowsDowngrade: allowsDowngrade)
  }

  private func refusal(_ verdict: RedirectRule.Verdict) throws -> TransferFailure {
    guard case .refuse(let failure) = verdict else {
      Issue.record("\(verdict) is no refusal")
      throw CancellationError()
    }
    return failure
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `the five redirects are followed alike`(status: Int) throws {
    let target = RedirectRule.Verdict.follow(try WebURL("http://h/b"), keepsCredentials: true)
    #expect(try verdict("http://h/a", "b", status: status) == target)
  }

  @Test(arguments: [200, 300, 304, 305, 306, 404]) func `other statuses lead nowhere`(status: Int) throws {
    #expect(try refusal(verdict("http://h/a", "b", status: status)).code == .protocolViolation)
  }

  static let places: [(from: String, location: String, keeps: Bool)] = [
    ("https://h/a", "https://h/b", true), ("https://h/a", "/b", true), ("https://h/a", "//h/b", true),
    ("https://h/a", "https://h:443/b", true), ("https://H/a", "https://h/b", true),
    ("https://h/a", "//other/b", false), ("https://h/a", "https://h.other/b", false),
    ("https://h/a", "https://sub.h/b", false), ("https://h/a", "https://h:8443/b", false),
    ("http://h/a", "https://h/a", false), ("http://h/a", "http://h:443/a", false), ("http://h/a", "http://h./a", false),
  ]

  @Test(arguments: places) func `D73 credentials stay on scheme, host and port`(
    from: String, location: String, keeps: Bool
  ) throws {
    guard case .follow(_, let keepsCredentials) = try verdict(from, location) else {
      Issue.record("\(location) is not followed")
      return
    }
    #expect(keepsCredentials == keeps)
  }

  @Test func `a user in the URL goes along on its origin only`() throws {
    let secret = "https://u:p@h/a"
    #expect(try verdict(secret, "https://h/b") == .follow(try WebURL("https://u:p@h/b"), keepsCredentials: true))
    #expect(try verdict(secret, "b") == .follow(try WebURL("https://u:p@h/b"), keepsCredentials: true))
    #expect(try verdict(secret, "https://v:q@h/b") == .follow(try WebURL("https://v:q@h/b"), keepsCredentials: true))
    #expect(try verdict(secret, "https://o/b") == .follow(try WebURL("https://o/b"), keepsCredentials: false))
  }

  @Test func `https leads to http only when that was asked for`() throws {
    let failure = try refusal(verdict("https://h/a", "http://h/a?sig=geheim"))
    #expect(failure.code == .redirectRefused)
    #expect(failure.message == "server redirected from https to http://h/a")
    #expect(
      try verdict("https://h/a", "http://h/a", allowsDowngrade: true)
        == .follow(try WebURL("http://h/a"), keepsCredentials: false))
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://h/", "http://a b/", "//", "/\u{0}"])
  func `what is no http URL is not followed`(location: String) throws {
    #expect(try refusal(verdict("http://h/a", location)).code == .redirectRefused)
  }

  @Test func `a redirect to nowhere is the server's mistake`() throws {
    let failure = try refusal(verdict("http://h/a", ""))
    #expect(failure.code == .protocolViolation)
    #expect(failure.message == "server answered 302 without saying where to go")
  }

  @Test func `a loop ends at ten hops`() throws {
    var url = try WebURL("http://h/loop?n=0")
    var hops = 0
    while case .follow(let next, _) = RedirectRule.apply(
      from: url, status: 302, location: "/loop?n=\(hops + 1)", hops: hops, allowsDowngrade: false)
    {
      url = next
      hops += 1
      try #require(hops <= 10)
    }
    #expect(hops == 10)
    let failure = try refusal(verdict("http://h/a", "/b?sig=geheim", hops: 10))
    #expect(failure.code == .tooManyRedirects)
    #expect(failure.message == "server redirected more than 10 times, last to http://h/b")
    #expect(try refusal(verdict("http://h/a", "ftp://h", hops: 10)).message.hasSuffix("last to no URL"))
  }
}
