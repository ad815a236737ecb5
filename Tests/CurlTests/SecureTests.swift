import Core
import Curl
import TestKit
import Testing

/// TLS and HTTP/2 with a server of somebody else.
@Suite(.timeLimit(.minutes(5)), .enabled(if: ForeignPeer.Kind.caddy.isInstalled, "Caddy is not installed"))
struct SecureTests {
  @Test func `Caddy is trusted by its authority only, and shares one HTTP 2 connection`() async throws {
    let caddy = try await ForeignPeer(.caddy)
    caddy.put(Pattern(1), byteCount: 3_000_000, as: "file")
    try await withLoop { loop, _ in
      let request = CurlRequest(url: caddy.url("/file"))
      var trusting = request
      trusting.options.caFile = caddy.authorityFile
      trusting.options.httpVersion = .http2
      let first = try await firstAnswer(to: trusting, on: loop)
      #expect(first.result.error == nil)
      #expect(first.head?.isMultiplexed == true && first.head?.contentLength == 3_000_000)
      #expect(first.result.httpVersion == "2")
      #expect(first.result.times.tls >= first.result.times.connect && first.result.times.connect > 0)
      #expect(first.body.count == 3_000_000)

      let stranger = await Fetch().run(request, on: loop)
      #expect(stranger.result.error?.fault == .tls(isCertificate: true))
      #expect(stranger.heads.isEmpty)

      // A stream that is stopped leaves the connection to the others.
      let stopped = Fetch()
      stopped.onBody = { _ in .stop }
      await stopped.run(trusting, on: loop)
      #expect(stopped.result.wasStopped && stopped.result.isReused && stopped.result.error == nil)
      let paused = Fetch()
      var isPausing = false
      paused.onBody = { _ in
        isPausing.toggle()
        if isPausing { loop.post { loop.resume(paused.transfer) } }
        return isPausing ? .pause : .proceed
      }
      await paused.run(trusting, on: loop)
      #expect(paused.result.isReused && paused.body == first.body)

      trusting.options.httpVersion = .http1
      trusting.range = "5-9"
      let part = await Fetch().run(trusting, on: loop)
      #expect(!part.result.isReused && part.result.httpVersion == "1.1" && part.head?.isMultiplexed == false)
      #expect(part.head?.contentRange == "bytes 5-9/3000000" && part.body == Array(first.body[5..<10]))

      var careless = request
      careless.options.isInsecure = true
      let unchecked = await Fetch().run(careless, on: loop)
      #expect(unchecked.result.error == nil && unchecked.body.count == 3_000_000)
    }
    await caddy.stop()
  }

  /// Caddy listens before its certificate is made, and refuses handshakes until then.
  private func firstAnswer(to request: CurlRequest, on loop: CurlLoop) async throws -> Fetch {
    for _ in 0..<500 {
      let fetch = await Fetch().run(request, on: loop)
      guard case .tls(isCertificate: false) = fetch.result.error?.fault else { return fetch }
      try await Task.sleep(for: .milliseconds(20))
    }
    return await Fetch().run(request, on: loop)
  }
}
