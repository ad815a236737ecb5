import Testing
import TestKit

@testable import Core

@Suite struct WebURLTests {
  @Test func `a URL is taken apart`() throws {
    let url = try WebURL("HTTPS://Us%65r:p%40ss@Example.ORG:8443/a/b%20c.iso?sig=1&x=/y?z#frag")
    #expect(url.scheme == .https && url.isSecure)
    #expect(try !WebURL("http://example.org").isSecure)
    #expect(url.userInfo == "Us%65r:p%40ss")
    #expect(url.host == "example.org")
    #expect(url.port == 8443)
    #expect(url.path == "/a/b%20c.iso")
    #expect(url.query == "sig=1&x=/y?z")
    #expect(url.fragment == "frag")
    #expect(url.origin == "https://example.org:8443")
    #expect(url.text == "https://Us%65r:p%40ss@example.org:8443/a/b%20c.iso?sig=1&x=/y?z")
    #expect(url.redacted == "https://example.org:8443/a/b%20c.iso")
    #expect(url.lastPathName == "b c.iso")
  }

  static let texts: [(given: String, sent: String, origin: String)] = [
    ("http://h", "http://h/", "http://h:80"),
    ("http://h:80/", "http://h/", "http://h:80"),
    ("https://h:443", "https://h/", "https://h:443"),
    ("https://h:80", "https://h:80/", "https://h:80"),
    ("http://h:", "http://h/", "http://h:80"),
    ("http://h:0080/", "http://h/", "http://h:80"),
    ("http://h?q", "http://h/?q", "http://h:80"),
    ("http://h/?", "http://h/?", "http://h:80"),
    ("http://h#f", "http://h/", "http://h:80"),
    ("http://@h/", "http://h/", "http://h:80"),
    ("http://[::1]:8080/x", "http://[::1]:8080/x", "http://[::1]:8080"),
    ("http://[FE80::1%25eth0]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]:80"),
    ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]:80"),
    ("http://127.0.0.1:1/", "http://127.0.0.1:1/", "http://127.0.0.1:1"),
    ("http://under_score.h./", "http://under_score.h./", "http://under_score.h.:80"),
    ("http://bücher.example/", "http://bücher.example/", "http://bücher.example:80"),
    ("http://h/ü?ü", "http://h/%C3%BC?%C3%BC", "http://h:80"),
    ("http://h/\u{301}x", "http://h/%CC%81x", "http://h:80"),
    ("http://h/a|b\\c^{}`\"<>[]%zz", "http://h/a%7Cb%5Cc%5E%7B%7D%60%22%3C%3E[]%zz", "http://h:80"),
    ("http://h/a/./b/../c/%2e%2E/d", "http://h/a/d", "http://h:80"),
    ("http://h/../../x/..", "http://h/", "http://h:80"),
    ("http://h/a//b", "http://h/a//b", "http://h:80"),
    ("http://h/x@y:z", "http://h/x@y:z", "http://h:80"),
    ("http://h/a?b#c?d", "http://h/a?b", "http://h:80"),
  ]

  @Test(arguments: texts) func `what is sent is normal and encoded`(given: String, sent: String, origin: String) throws
  {
    let url = try WebURL(given)
    #expect(url.text == sent)
    #expect(url.origin == origin)
    #expect(try WebURL(sent).text == sent)
  }

  static let refused: [(text: String, reason: WebURL.Invalid)] = [
    ("", .notURL), ("h", .notURL), ("h/path", .notURL), ("localhost:8080/x", .notURL), ("/path", .notURL),
    ("//h/path", .notURL), ("http:", .notURL), ("http:/h", .notURL), ("http:h", .notURL), ("://h", .notURL),
    ("1http://h", .notURL), ("?q", .notURL), ("#f", .notURL), ("./x", .notURL),
    ("ftp://h/x", .unsupportedScheme("ftp")), ("file:///etc/passwd", .unsupportedScheme("file")),
    ("MAGNET:?xt=urn", .unsupportedScheme("magnet")), ("ws://h", .unsupportedScheme("ws")),
    ("httpx://h", .unsupportedScheme("httpx")), ("javascript:alert(1)", .unsupportedScheme("javascript")),
    ("http://", .noHost), ("http:///path", .noHost), ("http://:80/", .noHost), ("http://user@/", .noHost),
    ("http://h:x/", .badPort), ("http://h:0/", .badPort), ("http://h:65536/", .badPort), ("http://h:-1/", .badPort),
    ("http://h:+1/", .badPort), ("http://h:99999999999999999999/", .badPort), ("http://h:80:80/", .badPort),
    ("http://a@b@c/", .badHost), ("http://h\\@evil/", .badHost), ("http://h%6f/", .badHost), ("http://h,i/", .badHost),
    ("http://[::1/", .badHost), ("http://[::1]x/", .badHost), ("http://[]/", .badHost), ("http://[h]/", .badHost),
    ("http://[::1%]/", .badHost), ("http://a\u{202e}b/", .badHost), ("http://a\u{ff0f}b/", .badHost),
    ("http://h/a b", .forbiddenCharacter), (" http://h/", .forbiddenCharacter), ("http://h/\n", .forbiddenCharacter),
    ("http://h/\u{0}", .forbiddenCharacter), ("http://h/\r\nHost: x", .forbiddenCharacter),
    ("http://h/\u{7f}", .forbiddenCharacter), ("http://h/\u{85}", .forbiddenCharacter),
    ("http://h/\u{a0}", .forbiddenCharacter), ("http://h/\u{2028}", .forbiddenCharacter),
  ]

  @Test(arguments: refused) func `everything else is refused with its reason`(text: String, reason: WebURL.Invalid) {
    #expect(throws: reason) { try WebURL(text) }
  }

  @Test func `a reason is a usage failure in one lower-case line`() {
    for (_, reason) in Self.refused {
      #expect(reason.failure.exitStatus == .usage)
      #expect(!reason.message.hasSuffix(".") && !reason.message.contains("\n"))
    }
  }

  @Test func `nothing that prints a URL shows its secrets`() throws {
    let url = try WebURL("https://user:geheim@h/f?sig=geheim#geheim")
    for shown in ["\(url)", String(reflecting: url), url.redacted, url.origin, "\([url])", String(reflecting: [url])] {
      #expect(!shown.contains("geheim"))
    }
  }

  static let lastNames: [(url: String, name: String)] = [
    ("http://h", ""), ("http://h/", ""), ("http://h/a/", ""), ("http://h/a/b.iso?x/y", "b.iso"),
    ("http://h/%E6%97%A5.txt", "日.txt"), ("http://h/a%2Fb%5Cc", "a/b\\c"), ("http://h/%FF%41", "\u{fffd}A"),
    ("http://h/100%", "100%"), ("http://h/a+b", "a+b"), ("http://h/日.txt", "日.txt"), ("http://h/%00", "\0"),
  ]

  @Test(arguments: lastNames) func `D79 the last segment is decoded`(url: String, name: String) throws {
    #expect(try WebURL(url).lastPathName == name)
  }

  // MARK: Resolving

  /// RFC 3986 §5.4 on `http://a/b/c/d;p?q`, but for what is no http URL.
  static let references: [(reference: String, target: String)] = [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
    ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("https://g:8443/x", "https://g:8443/x"), ("HTTP://G", "http://g/"),
    // What servers send although they should not.
    ("/a b?c d", "http://a/a%20b?c%20d"), ("/ü", "http://a/%C3%BC"), ("\u{301}", "http://a/b/c/%CC%81"),
  ]

  @Test(arguments: references) func `a Location is resolved as RFC 3986 has it`(reference: String, target: String)
    throws
  {
    #expect(try WebURL("http://a/b/c/d;p?q").resolve(reference).text == target)
  }

  @Test func `a relative Location keeps port, user and password, another authority does not`() throws {
    let base = try WebURL("https://u:p@h:8443/a/b?q")
    #expect(try base.resolve("c").text == "https://u:p@h:8443/a/c")
    #expect(try base.resolve("?r").text == "https://u:p@h:8443/a/b?r")
    #expect(try base.resolve("//h:8443/c").text == "https://h:8443/c")
    #expect(try WebURL("http://[::1]:99/a").resolve("b").text == "http://[::1]:99/b")
  }

  @Test func `a Location that is no http URL is refused`() throws {
    let base = try WebURL("http://h/")
    #expect(throws: WebURL.Invalid.unsupportedScheme("ftp")) { try base.resolve("ftp://h/") }
    #expect(throws: WebURL.Invalid.noHost) { try base.resolve("//") }
    #expect(throws: WebURL.Invalid.notURL) { try base.resolve("http:g") }
    #expect(throws: WebURL.Invalid.forbiddenCharacter) { try base.resolve("/a\r\nX: y") }
    #expect(throws: WebURL.Invalid.badHost) { try base.resolve("//a b/") }
    #expect(throws: WebURL.Invalid.notURL) { try base.resolve("") }
  }

  @Test func `what was read once is read the same again, and holds nothing a request line could break on`() throws {
    let pieces = [
      "http", "https", ":", "//", "/", "h", "example.org", "@", "u:p", ":80", "[::1]", "[", "]", "?", "#", "%", "%41",
      "..",
      ".", "\\", " ", "\t", "ü", "\u{301}", "a", "=", "&",
    ]
    for seed in Seeds.fromEnvironment(count: 5000) {
      var random = SeededRandom(seed: seed)
      let tail = random.text(of: pieces, maxCount: 12)
      let text = random.oneIn(2) ? "http://h" + tail : tail
      let base = try WebURL("https://base.example/x/y?z")
      for attempt in [{ try WebURL(text) }, { try base.resolve(text) }] {
        guard let url = try? attempt() else { continue }
        let again = try WebURL(url.text)
        #expect(again.text == url.text && again.origin == url.origin, "SEED=\(seed) \(text.debugDescription)")
        #expect((url.path + (url.query ?? "")).utf8.allSatisfy { (0x21...0x7e).contains($0) }, "SEED=\(seed)")
        #expect(url.path.hasPrefix("/") && !url.host.isEmpty && (1...65535).contains(url.port), "SEED=\(seed)")
        #expect(!url.redacted.contains("@") || url.path.contains("@"), "SEED=\(seed)")
      }
    }
  }
}
