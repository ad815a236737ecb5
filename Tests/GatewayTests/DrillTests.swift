import Glibc
import TestKit
import Testing

@testable import Gateway

/// The faults as a client meets them.
@Suite struct DrillTests {
  @Test(arguments: [0, 1, 70_000, 299_999])
  func `a cut closes the connection after exactly its bytes, and only so often`(count: Int) async throws {
    let scene = try Scene(["cut=\(count):1"])
    let cut = await scene.get()
    #expect(cut.status == 200 && cut["Content-Length"] == "300000")
    #expect(cut.body == Array(scene.content[..<count]))
    #expect(cut.ending == .closed || cut.ending == .reset)
    #expect(await ByteContent(scene.get().body) == ByteContent(scene.content))
  }

  @Test func `a stall keeps the connection open and the rest back`() async throws {
    let scene = try Scene(["stall=70000"])
    let stalled = await RawClient.send("/media/film.mp4", port: scene.gateway.port, seconds: 2)
    #expect(stalled.ending == .timedOut)
    #expect(ByteContent(stalled.body) == ByteContent(Array(scene.content[..<70_000])))
  }

  @Test func `a stalled connection whose client has gone is closed`() async throws {
    let scene = try Scene(["stall=70000"])
    let path = scene.folder.path("film.mp4")
    async let stalled = RawClient.send("/media/film.mp4", port: scene.gateway.port, seconds: 1)
    #expect(await eventually { openFiles().contains(path) })
    #expect(await stalled.ending == .timedOut)
    #expect(await eventually { !openFiles().contains(path) })
  }

  @Test func `stopping ends a stalled connection`() async throws {
    let scene = try Scene(["stall=70000"])
    async let stalled = scene.get()
    _ = await scene.get("/")
    let gateway = scene.gateway
    await onThread { gateway.stop() }
    let ending = await stalled.ending
    #expect(ending == .closed || ending == .reset)
    gateway.stop()
  }

  @Test func `a refusal says when to come back, and then there is the file`() async throws {
    let scene = try Scene(["status=503:1:2"])
    let refused = await scene.get()
    #expect(refused.status == 503 && refused["Retry-After"] == "2")
    #expect(await scene.get().status == 200)
  }

  @Test func `the new file differs in every byte and in nothing else`() async throws {
    let scene = try Scene(["new-tag"])
    let old = await scene.get()
    let new = await scene.get()
    #expect(ByteContent(old.body) == ByteContent(scene.content))
    #expect(new.status == 200 && new["ETag"] != old["ETag"])
    #expect(new.body.count == old.body.count && zip(new.body, old.body).allSatisfy { $0 != $1 })
    let part = await scene.get("/media/film.mp4", "Range: bytes=100-199")
    #expect(ByteContent(part.body) == ByteContent(Array(new.body[100..<200])))
  }

  @Test func `a shifted range sends the bytes it says`() async throws {
    let answer = try await Scene(["shift-range=10"]).get("/media/film.mp4", "Range: bytes=100-199")
    #expect(answer["Content-Range"] == "bytes 90-199/300000")
    #expect(ByteContent(answer.body) == ByteContent(Array(bytes(300_000)[90..<200])))
  }

  @Test func `without a length the body is chunked and whole`() async throws {
    let answer = try await Scene(["no-length"]).get("/media/film.mp4", "Connection: close", "Range: bytes=0-9")
    #expect(answer.status == 206 && answer["Content-Length"] == nil && answer["Transfer-Encoding"] == "chunked")
    #expect(String(decoding: answer.body.prefix(3), as: UTF8.self) == "A\r\n")
    #expect(Array(answer.body.dropFirst(3).prefix(10)) == bytes(10))
    #expect(answer.body.suffix(7) == Array("\r\n0\r\n\r\n".utf8)[...])
  }

  @Test func `a connection gets no more than its rate`() async throws {
    let scene = try Scene { $0.bytesPerSecond = 1_000_000 }
    let start = ContinuousClock.now
    #expect(await ByteContent(scene.get().body) == ByteContent(scene.content))
    // 300,000 bytes less the first 50 ms' worth take a quarter of a second.
    #expect(ContinuousClock.now - start >= .milliseconds(240))
  }

  @Test(arguments: [1, 3, 1000, 5_000_000, 2_000_000_000] as [Int64])
  func `a paced connection keeps its rate within five per cent`(bytesPerSecond: Int64) {
    var pace = RatePace(bytesPerSecond: bytesPerSecond)
    var now: Int64 = 1_000_000_000
    var sent: Int64 = 0
    while now < 11_000_000_000 {
      switch pace.take(upTo: 131_072, now: now) {
      case .byteCount(let count): sent += count
      case .wait(let until):
        #expect(until > now)
        now = until
      }
    }
    let expected = Double(bytesPerSecond * 10)
    #expect(Double(sent) >= expected * 0.95 && Double(sent) <= expected * 1.05 + 1)
  }

  @Test func `time without anything to send is not saved up`() {
    var pace = RatePace(bytesPerSecond: 1000)
    #expect(pace.take(upTo: 1000, now: 0) == .byteCount(50))
    #expect(pace.take(upTo: 1000, now: 3_600_000_000_000) == .byteCount(50))
    #expect(pace.take(upTo: 1000, now: 3_600_000_000_000) == .wait(untilNanoseconds: 3_600_050_000_000))
  }
}

/// What the descriptors of this process lead to.
func openFiles() -> Set<String> {
  Set(
    TestFiles.names(in: "/proc/self/fd").compactMap { name in
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
      return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    })
}
