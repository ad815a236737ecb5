import Core
import HermesTransfer
import TestKit
import Testing

/// How far a link that came over a session may lead.
@Suite(.timeLimit(.minutes(2))) struct ReachTests {
  private let trial = EngineTrial()
  /// A name that stands for an address of this machine.
  private var named: String { "http://cdn.example:\(trial.server.port)" }

  private func request(
    _ url: String, name: String = "f", _ change: (inout DownloadRequest) -> Void = { _ in }
  ) -> DownloadRequest {
    var request = DownloadRequest(url: url, output: "\(trial.downloads)/\(name)")
    request.network.resolve = ["cdn.example:\(trial.server.port):127.0.0.1"]
    request.limits.maxAttempts = 2
    change(&request)
    return request
  }

  private func run(_ request: DownloadRequest, on engine: TransferEngine) async throws -> TransferSnapshot? {
    _ = try await engine.download([request])
    return await trial.events(of: engine).last?.snapshot
  }

  @Test func `a name that stands for a private address is refused, also over a connection that stands`() async throws {
    trial.server.serve("/f", .pattern(1, byteCount: 1000))
    let engine = try trial.engine()
    #expect(try await run(request("\(named)/f", name: "free"), on: engine)?.state == .completed)
    for name in ["a", "b"] {
      let refused = try await run(
        request("\(named)/f?\(name)", name: name) { $0.reach.isPublicOnly = true }, on: engine)
      #expect(refused?.failure?.code == .redirectRefused, "\(String(describing: refused))")
      #expect(refused?.failure?.message.contains("127.0.0.1, which cdn.example stands for") == true)
      #expect((refused?.attempts ?? 9) <= 1)
    }
    #expect(trial.server.requests.count == 1)
    await engine.stop()
    trial.server.stop()
  }

  @Test func `the gateway's own place may be private, and what it redirects to may not`() async throws {
    let own = "http://127.0.0.1:\(trial.server.port)"
    trial.server.serve("/f", .pattern(1, byteCount: 1000))
    trial.server.serve("/far", .text(""), .always(.redirect(to: "\(named)/f")))
    trial.server.serve("/near", .text(""), .always(.redirect(to: "http://localhost:\(trial.server.port)/f")))
    let engine = try trial.engine()
    func state(_ path: String) async throws -> TransferSnapshot? {
      try await run(
        request("\(own)\(path)", name: String(path.dropFirst())) {
          $0.reach.isPublicOnly = true
          $0.reach.exemptOrigin = own
        }, on: engine)
    }
    #expect(try await state("/f")?.state == .completed)
    #expect(try await state("/far")?.failure?.code == .redirectRefused)
    #expect(try await state("/near")?.failure?.code == .redirectRefused)
    #expect(trial.server.requests("/f").count == 1)
    await engine.stop()
    trial.server.stop()
  }

  @Test func `a proxy's address is not the host's`() async throws {
    // A server that is asked as a proxy gets the whole URL.
    trial.server.serve("http://cdn.example/f", .pattern(1, byteCount: 1000))
    let engine = try trial.engine()
    let through = try await run(
      request("http://cdn.example/f") {
        $0.reach.isPublicOnly = true
        $0.network.proxy = trial.server.url("")
      }, on: engine)
    #expect(through?.state == .completed, "\(String(describing: through))")
    await engine.stop()
    trial.server.stop()
  }

  @Test func `five redirects are followed and a sixth is not, in a later life too`() async throws {
    for hop in 0..<6 {
      trial.server.serve("/\(hop)", .text(""), .always(.redirect(to: hop == 5 ? "/f" : "/\(hop + 1)")))
    }
    trial.server.serve("/f", .pattern(1, byteCount: 1 << 20), .on(1, .cut(after: 1 << 19)))
    let first = try trial.engine()
    let five = request(trial.server.url("/1")) {
      $0.reach.maxRedirects = 5
      $0.limits.maxAttempts = 1
    }
    let id = try await first.download([five])[0].id
    _ = await trial.events(of: first)
    await first.stop()
    let second = try trial.engine()
    try await second.resume([id])
    #expect(await trial.events(of: second).last?.snapshot.state == .completed)
    let six = try await run(request(trial.server.url("/0"), name: "six") { $0.reach.maxRedirects = 5 }, on: second)
    #expect(six?.failure?.code == .tooManyRedirects)
    #expect(trial.server.requests("/f").count == 2)
    await second.stop()
    trial.server.stop()
  }
}
