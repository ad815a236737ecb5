import Core
import Testing

struct ProxyRuleTests {
  private func proxy(_ url: String, given: String? = nil, _ variables: [String: String] = [:]) throws -> String? {
    try ProxyRule.proxy(for: WebURL(url), given: given) { variables[$0] }
  }

  @Test func `the user's choice comes before the environment, which goes by the scheme`() throws {
    let all = ["http_proxy": "http://p:1", "HTTPS_PROXY": "http://q:1", "ALL_PROXY": "socks5://r:1"]
    #expect(try proxy("http://h/", all) == "http://p:1")
    #expect(try proxy("https://h/", all) == "http://q:1")
    #expect(try proxy("https://h/", ["https_proxy": "", "ALL_PROXY": "socks5://r:1"]) == "socks5://r:1")
    #expect(try proxy("http://h/", ["HTTP_PROXY": "http://p:1"]) == nil)
    #expect(try proxy("http://h/", given: "s:2", all) == "s:2")
    #expect(try proxy("http://h/", given: "", all) == nil)
    #expect(try proxy("http://h/") == nil)
  }

  @Test func `no_proxy names hosts and domains`() throws {
    func isDirect(_ url: String, _ list: String) throws -> Bool {
      try proxy(url, given: "http://p:1", ["NO_PROXY": list]) == nil
    }
    #expect(try isDirect("http://a.example/", "x, .example"))
    #expect(try isDirect("http://EXAMPLE:8080/", "example"))
    #expect(try isDirect("http://[::1]/", "::1"))
    #expect(try isDirect("http://a/", "*"))
    #expect(try !isDirect("http://anexample/", "example"))
    #expect(try !isDirect("http://a/", "x,*"))
    #expect(try !isDirect("http://a/", ""))
  }
}
