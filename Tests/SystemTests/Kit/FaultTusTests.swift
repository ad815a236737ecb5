import TestKit
import Testing

/// The tus server of the tests must break just the rule that it is told to.
@Suite struct FaultTusTests {
  private let server = FaultServer()

  private func send(
    _ method: String, _ path: String, _ headers: [String] = [], _ body: [UInt8]? = nil
  ) async -> RawResponse {
    await RawClient.send(path, method: method, port: server.port, headers: headers, body: body)
  }

  private func patch(_ offset: Int, _ count: Int) async -> RawResponse {
    let headers = ["Content-Type: application/offset+octet-stream", "Upload-Offset: \(offset)"]
    return await send("PATCH", "/files/1", headers, [UInt8](repeating: 7, count: count))
  }

  private func create(_ length: Int = 100) async -> RawResponse {
    await send("POST", "/files", ["Upload-Length: \(length)", "Content-Length: 0"])
  }

  private func offset() async -> String? { await send("HEAD", "/files/1")["upload-offset"] }

  @Test func `an upload grows by what comes, and knows its offset`() async {
    let tus = FaultTus(on: server)
    #expect(await create()["location"] == "/files/1")
    #expect(await offset() == "0")
    #expect(await patch(0, 60)["upload-offset"] == "60")
    #expect(await patch(50, 10).status == 409)
    #expect(await patch(60, 40)["upload-offset"] == "100")
    #expect(tus.uploads[0].isComplete && tus.uploads[0].bytes.count == 100)
    #expect(await send("DELETE", "/files/1").status == 204)
    #expect(await send("HEAD", "/files/1").status == 410)
    #expect(await send("HEAD", "/files/2").status == 404)
    server.stop()
  }

  @Test func `what came of a cut body is kept`() async {
    let tus = FaultTus(on: server, script: [.on(1, .cutUpload(after: 30))])
    _ = await create()
    #expect(await patch(0, 60).status == 0)
    #expect(server.wait { $0.last?.isFinished == true })
    #expect(await offset() == "30")
    #expect(tus.uploads[0].bytes.count == 30)
    server.stop()
  }

  @Test(
    arguments: [
      (.dropsCutBodies, ["0"]), (.lags(2), ["0", "0", "30"]), (.locks(2), [nil, nil, "30"]), (.countsAnnounced, ["60"]),
    ] as [(FaultTus.Quirk, [String?])])
  func `after a cut it tells what it was told to`(quirk: FaultTus.Quirk, offsets: [String?]) async {
    _ = FaultTus(on: server, quirk, script: [.on(1, .cutUpload(after: 30))])
    _ = await create()
    _ = await patch(0, 60)
    #expect(server.wait { $0.last?.isFinished == true })
    for expected in offsets { #expect(await offset() == expected) }
    server.stop()
  }

  @Test func `each other rule can be broken`() async {
    func statuses(_ quirk: FaultTus.Quirk, _ path: String, _ offset: Int = 0, _ count: Int = 100) async -> [Int] {
      let tus = FaultTus(on: server, path: path, quirk)
      _ = await send("POST", path, ["Upload-Length: 100", "Content-Length: 0"])
      let answer = await send(
        "PATCH", "\(path)/1", ["Content-Type: application/offset+octet-stream", "Upload-Offset: \(offset)"],
        [UInt8](repeating: 7, count: count))
      let head = await send("HEAD", "\(path)/1")
      return [answer.status, head.status, answer["upload-offset"] == nil ? 0 : 1, tus.uploads[0].bytes.count]
    }
    #expect(await statuses(.vanishesWhenComplete, "/a") == [204, 410, 1, 100])
    #expect(await statuses(.expiresAt(50), "/b", 0, 50) == [204, 410, 1, 50])
    #expect(await statuses(.limitsBodies(99), "/c") == [413, 200, 0, 0])
    #expect(await statuses(.hidesOffsets, "/d") == [204, 200, 0, 100])
    #expect(await statuses(.ignoresOffsets, "/e", 7, 10) == [204, 200, 1, 10])
    server.stop()
  }

  @Test func `creation can lie about the place, and be refused a question`() async {
    let tus = FaultTus(on: server, .reusesUploads, .location("http://else.example/x"), .refusesOptions)
    #expect(await send("OPTIONS", "/files").status == 405)
    #expect(await create()["location"] == "http://else.example/x/1")
    #expect(await create()["location"] == "http://else.example/x/1")
    #expect(tus.uploads.count == 1)
    server.stop()
  }
}
