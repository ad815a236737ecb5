import Core
import Curl
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct FormTests {
  private func form(_ url: String, fileByteCount: Int64) -> CurlRequest {
    CurlRequest(
      url: url,
      body: .form([
        .field(name: "caption", value: "höflich"),
        .file(name: "file", fileName: "a \"b\" ü.bin", mediaType: "application/x-test", byteCount: fileByteCount),
        .field(name: "last", value: ""),
      ]))
  }

  /// The body that the form is to be, with the boundary that it said.
  private func expected(_ request: RecordedRequest, _ file: [UInt8]) -> [UInt8] {
    let boundary = request["content-type"]?.split(separator: "boundary=").last.map(String.init) ?? ""
    func part(_ lines: String) -> [UInt8] { Array("--\(boundary)\r\n\(lines)\r\n\r\n".utf8) }
    var bytes = part("Content-Disposition: form-data; name=\"caption\"") + Array("höflich\r\n".utf8)
    bytes += part(
      "Content-Disposition: form-data; name=\"file\"; filename=\"a %22b%22 ü.bin\"\r\nContent-Type: application/x-test")
    bytes += file + [13, 10]
    bytes += part("Content-Disposition: form-data; name=\"last\"") + [13, 10]
    return bytes + Array("--\(boundary)--\r\n".utf8)
  }

  @Test func `a form carries fields and the file, with its length`() async {
    await withFaultServer { loop, server in
      server.take("/form") { _ in UploadReply(201) }
      let upload = await Upload().run(form(server.url("/form"), fileByteCount: 3 << 20), on: loop)
      let request = server.requests("/form")[0]
      #expect(upload.result.error == nil)
      #expect(request.method == "POST" && request["expect"] == nil)
      #expect(request["content-length"] == "\(request.body.count)")
      let isEqual = request.body == expected(request, upload.pattern.bytes(0..<3 << 20))
      #expect(isEqual)
      #expect(upload.result.sentByteCount == Int64(request.body.count))
    }
  }

  @Test func `a paused file goes on inside its form`() async {
    await withFaultServer { loop, server in
      server.take("/form") { _ in UploadReply(201) }
      let upload = Upload()
      var isPausing = false
      upload.onWanted = { _ in
        isPausing.toggle()
        if isPausing { loop.post { loop.resume(upload.transfer) } }
        return isPausing ? .pause : nil
      }
      await upload.run(form(server.url("/form"), fileByteCount: 500_000), on: loop)
      let request = server.requests("/form")[0]
      #expect(upload.result.error == nil)
      let isEqual = request.body == expected(request, upload.pattern.bytes(0..<500_000))
      #expect(isEqual)
    }
  }

  @Test func `a file that ends early fails the form`() async {
    await withFaultServer { loop, server in
      server.take("/form") { _ in UploadReply(201) }
      let upload = Upload()
      upload.onWanted = { $0 >= 100_000 ? .bytes(0) : nil }
      await upload.run(form(server.url("/form"), fileByteCount: 500_000), on: loop)
      #expect(upload.result.error?.text.hasSuffix("of 500000 bytes") == true)
      #expect(upload.heads.isEmpty)
    }
  }

  @Test func `a handle serves a form, then the same form, then a GET`() async {
    await withFaultServer { loop, server in
      server.take("/form") { _ in UploadReply(200) }
      let transfer = CurlTransfer()
      let request = form(server.url("/form"), fileByteCount: 1000)
      await Upload(transfer).run(request, on: loop)
      let again = await Upload(transfer).run(request, on: loop)
      #expect(again.result.error == nil)
      await Upload(transfer).run(CurlRequest(url: server.url("/form")), on: loop)
      let requests = server.requests("/form")
      #expect(requests.map(\.method) == ["POST", "POST", "GET"])
      for request in requests.prefix(2) {
        let isEqual = request.body == expected(request, again.pattern.bytes(0..<1000))
        #expect(isEqual)
      }
      #expect(requests[2]["content-type"] == nil && requests[2].body.isEmpty)
    }
  }

  @Test func `a lost answer does not send a form twice`() async {
    await withFaultServer { loop, server in
      server.take("/form", .from(2, .loseAnswer)) { _ in UploadReply(200) }
      let transfer = CurlTransfer()
      let request = form(server.url("/form"), fileByteCount: 1000)
      await Upload(transfer).run(request, on: loop)
      let second = await Upload(transfer).run(request, on: loop)
      #expect(second.result.error?.fault == .sendReceive)
      #expect(server.requests("/form").count == 2)
    }
  }
}
