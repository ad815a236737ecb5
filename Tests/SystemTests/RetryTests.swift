import TestKit
import Testing

/// When to try again, when to wait, when to stop.
@Suite(.fewAtOnce) struct RetryTests {
  private let trial = Trial()

  @Test(arguments: [429, 503]) func `D62 D63 Retry-After in seconds is waited for`(status: Int) async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .status(status, retryAfter: "2")))
    let result = await trial.download()
    trial.expectWhole(result)
    #expect(result.seconds >= 2)
    #expect(result.seconds < 12)
  }

  @Test func `D62 D65 Retry-After as a date is waited for`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .status(503, retryAfter: HTTPDate.text(secondsFromNow: 4))))
    let result = await trial.download()
    trial.expectWhole(result)
    // The date has whole seconds, and starting took some of them.
    #expect(result.seconds >= 2)
  }

  @Test(arguments: ["abc", "-5", "Sun, 06 Nov 1994 08:49:37 GMT", ""])
  func `D65 a Retry-After that says nothing is an ordinary retry`(value: String) async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .status(503, retryAfter: value)))
    let result = await trial.download()
    trial.expectWhole(result)
    #expect(result.seconds < 10)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func `D47 D62 passing trouble passes`(status: Int) async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .status(status)))
    trial.expectWhole(await trial.download())
    #expect(trial.requests.map(\.status) == [status, 206])
  }

  @Test(arguments: [(401, 5), (403, 5), (404, 6), (410, 6), (400, 7), (405, 7), (451, 7)] as [(Int, Int32)])
  func `D47 D70 what stays refused is asked once`(status: Int, exit: Int32) async {
    defer { trial.server.stop() }
    trial.serve(.always(.status(status, body: "<html>no</html>")))
    let result = await trial.download()
    trial.expectNothing(result, exit: exit)
    #expect(trial.requests.count == 1)
    #expect(result.standardError.contains("\(status)"), "\(result)")
  }

  @Test func `D47 D70 a server that fails for ever is given up, with growing pauses`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.status(500)))
    let result = await trial.download("--max-attempts", "3")
    trial.expectNothing(result, exit: 7)
    #expect(trial.requests.count == 3)
    #expect(result.seconds >= 1)
  }

  @Test func `D66 a body that falls silent is resumed on another connection`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .stall(after: Trial.held)))
    let result = await trial.download("--stall-timeout", "2s")
    trial.expectWhole(result)
    #expect(result.seconds < 15)
    #expect(Set(trial.requests.map(\.connection)).count == 2)
  }

  @Test func `D66 a server that never answers ends as stalled`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.silence))
    let result = await trial.download("--stall-timeout", "1s", "--max-attempts", "2")
    trial.expectNothing(result, exit: 4)
    #expect(trial.requests.count == 2)
  }

  @Test func `D67 slow is not silent`() async {
    let trial = Trial(total: 80_000)
    defer { trial.server.stop() }
    trial.serve(.always(.drip(bytesPerSecond: 20_000)))
    let result = await trial.download("--stall-timeout", "1s", "--connect-timeout", "1s")
    trial.expectWhole(result)
    #expect(trial.requests.count == 1)
    #expect(result.seconds >= 3)
  }

  @Test func `a deadline ends it and keeps the partial`() async {
    defer { trial.server.stop() }
    trial.serve(.always(.drip(bytesPerSecond: 200_000)))
    trial.expectNothing(await trial.download("--deadline", "2s"), exit: 13)
    #expect(trial.sandbox.partNames.count == 1)
  }

  @Test func `D71 a server that is not up yet is waited for`() async {
    let port = FreePort.next()
    let sandbox = trial.sandbox
    trial.server.stop()
    let life = sandbox.start(["download", "http://127.0.0.1:\(port)/f", "-o", "f", "--progress", "json"])
    let hasWaited = await eventually { life.outputSoFar.contains("\"waiting\"") }
    #expect(hasWaited)
    let server = FaultServer(port: port)
    defer { server.stop() }
    server.serve("/f", .text("at last"))
    let result = await life.wait()
    #expect(result.exitStatus == 0, "\(result)")
    #expect(TestFiles.text(trial.target) == "at last")
  }

  @Test func `D71 a server that never comes up is given up`() async {
    trial.server.stop()
    let result = await trial.sandbox.run(
      "download", "http://127.0.0.1:\(FreePort.next())/f", "-o", "f", "--max-attempts", "2")
    trial.expectNothing(result, exit: 3)
  }

  @Test func `D62 a wait for one file of a host is a wait for its others`() async {
    defer { trial.server.stop() }
    trial.serve(.on(1, .status(429, retryAfter: "2")))
    for index in 0..<6 { trial.server.serve("/g\(index)", .text("g\(index)")) }
    let list = ([trial.server.url("/f")] + (0..<6).map { trial.server.url("/g\($0)") }).joined(separator: "\n")
    let result = await trial.sandbox.run("download", "-i", "-", "--max-per-host", "1", input: list)
    #expect(result.exitStatus == 0, "\(result)")
    #expect(trial.sandbox.names.count == 7)
    #expect(result.seconds >= 2)
  }
}
