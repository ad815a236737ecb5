import TestKit
import Testing

/// Redirects, credentials, and what a server learns of us.
@Suite(.fewAtOnce) struct RedirectTests {
  private let trial = Trial(total: 10_000)
  private let secrets = [
    "--header", "X-Api-Key: key-5157", "--header", "Authorization: Bearer token-5157", "--header", "Cookie: jar=5157",
  ]

  private func download(_ flags: [String]) async -> ProgramResult {
    await trial.sandbox.start(["download", trial.server.url("/start"), "-o", "f"] + flags).wait()
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `D73 another origin gets no secret`(status: Int) async {
    let other = FaultServer()
    defer { for server in [trial.server, other] { server.stop() } }
    other.serve("/f", trial.resource)
    trial.server.serve("/start", .text(""), .always(.redirect(to: other.url("/f"), status: status)))
    trial.expectWhole(await download(secrets))
    let asked = other.requests[0]
    for name in ["authorization", "cookie", "x-api-key"] { #expect(asked[name] == nil) }
    #expect(trial.server.requests[0]["x-api-key"] == "key-5157")
  }

  @Test func `D73 another origin does not get them on a retry or a resume either`() async {
    let other = FaultServer()
    defer { for server in [trial.server, other] { server.stop() } }
    other.serve("/f", trial.resource, .upTo(2, .cut(after: 3000)))
    trial.server.serve("/start", .text(""), .always(.redirect(to: other.url("/f"))))
    trial.expectWhole(await download(secrets))
    #expect(other.requests.count == 3)
    #expect(other.requests.allSatisfy { $0["authorization"] == nil && $0["x-api-key"] == nil && $0["cookie"] == nil })
  }

  @Test(arguments: ["/f", "f", "//127.0.0.1:PORT/f", "./x/../f"])
  func `D73 the same origin keeps them, however the place is written`(place: String) async {
    defer { trial.server.stop() }
    trial.serve()
    let place = place.replacing("PORT", with: "\(trial.server.port)")
    trial.server.serve("/start", .text(""), .always(.redirect(to: place)))
    trial.expectWhole(await download(secrets))
    #expect(trial.requests.allSatisfy { $0["authorization"] == "Bearer token-5157" })
    #expect(trial.requests.allSatisfy { $0["x-api-key"] == "key-5157" })
  }

  @Test func `D47 a loop ends after ten hops`() async {
    defer { trial.server.stop() }
    trial.server.serve("/start", .text(""), .always(.redirect(to: "/start")))
    trial.expectNothing(await download([]), exit: 7)
    #expect(trial.server.requests.count <= 11)
  }

  @Test(arguments: ["ftp://127.0.0.1/f", "file:///etc/passwd", "gopher://127.0.0.1/", "http://"])
  func `a redirect to anything but http is refused`(place: String) async {
    defer { trial.server.stop() }
    trial.server.serve("/start", .text(""), .always(.redirect(to: place)))
    trial.expectNothing(await download([]), exit: 7)
    #expect(trial.server.requests.count == 1)
  }

  @Test func `D74 the first request is a GET from byte 0, and there is no HEAD`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.headRefused))
    trial.expectWhole(await trial.download())
    #expect(trial.requests.map(\.method) == ["GET"])
    #expect(trial.requests.map(\.range) == ["bytes=0-"])
  }

  @Test func `a resume follows a redirect that leads elsewhere now`() async {
    defer { trial.server.stop() }
    trial.server.serve("/a", trial.resource, .always(.cut(after: 4000)))
    trial.server.serve("/b", trial.resource)
    trial.server.serve("/start", .text(""), .on(1, .redirect(to: "/a")), .from(2, .redirect(to: "/b")))
    trial.expectWhole(await download([]))
    #expect(trial.server.requests("/b").map(\.range) == ["bytes=4000-"])
  }

  @Test func `D94 secrets stand in no output and no readable file`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .cut(after: 4000)), .from(2, .status(403)))
    let url = "http://user:pass-5157@127.0.0.1:\(trial.server.port)/f?signature=sig-5157"
    let result = await trial.sandbox.start(
      ["download", url, "-o", "f", "--verbose", "--header", "X-Api-Key: key-5157"]
    ).wait()
    #expect(result.exitStatus == 5, "\(result)")
    // Not in its description: how long it took has digits too.
    #expect(!(result.output + result.standardError).contains("5157"), "\(result)")
    for command in [["list"], ["list", "--json"]] {
      let shown = await trial.sandbox.start(command).wait()
      #expect(!(shown.output + shown.standardError).contains("5157"), "\(shown)")
    }
    for path in TestFiles.tree(trial.sandbox.stateFolder) {
      #expect(TestFiles.mode(path) & 0o077 == 0, "\(path)")
    }
  }
}
