import Core
import Curl
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
  private func put(_ url: String, _ byteCount: Int64?, method: String? = nil) -> CurlRequest {
    var request = CurlRequest(url: url, method: method, body: .source(byteCount: byteCount))
    request.options.httpVersion = .http1
    request.keepsFields = true
    return request
  }

  @Test func `a body of known length goes out whole, without waiting for a 100`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(201, [("Upload-Offset", "300000")], text: "thanks") }
      let upload = await Upload().run(put(server.url("/up"), 300_000, method: "PATCH"), on: loop)
      let request = server.requests("/up")[0]
      #expect(upload.result.error == nil)
      #expect(upload.heads.map(\.status) == [201])
      #expect(upload.heads[0].fields["upload-offset"] == "300000")
      #expect(upload.text == "thanks")
      #expect(upload.result.sentByteCount == 300_000)
      #expect(request.method == "PATCH" && request["content-length"] == "300000" && request["expect"] == nil)
      #expect(request["content-type"] == nil)
      #expect(request.body.count == 300_000 && upload.pattern.isEqual(to: request.body))
      // libcurl's own buffer, and the tail.
      #expect(upload.roomCounts == [65_536, 300_000 % 65_536])
    }
  }

  @Test func `a body of unknown length goes out in chunks`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(200) }
      let upload = Upload()
      upload.onWanted = { $0 >= 150_000 ? .bytes(0) : nil }
      await upload.run(put(server.url("/up"), nil), on: loop)
      let request = server.requests("/up")[0]
      #expect(upload.result.error == nil)
      #expect(request.method == "PUT" && request["transfer-encoding"] == "chunked")
      #expect(request["content-length"] == nil && request.isBodyWhole)
      #expect(request.body.count >= 150_000 && upload.pattern.isEqual(to: request.body))
    }
  }

  @Test func `a source that ends early fails with both numbers`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(200) }
      let upload = Upload()
      upload.onWanted = { $0 >= 131_072 ? .bytes(0) : nil }
      await upload.run(put(server.url("/up"), 300_000), on: loop)
      #expect(upload.result.error?.text == "the body ended at 131072 of 300000 bytes")
      #expect(upload.result.error?.fault == .other)
      #expect(upload.heads.isEmpty)
    }
  }

  @Test func `bytes at hand, an empty body and no body are three things`() async {
    await withFaultServer { loop, server in
      server.take("/up") { UploadReply(200, text: String(decoding: $0.body, as: UTF8.self)) }
      let transfer = CurlTransfer()
      let url = server.url("/up")
      let bytes = await Upload(transfer).run(
        CurlRequest(url: url, method: "POST", body: .bytes(Array("hello".utf8))), on: loop)
      #expect(bytes.text == "hello")
      await Upload(transfer).run(CurlRequest(url: url, method: "POST", body: .bytes([])), on: loop)
      await Upload(transfer).run(CurlRequest(url: url, method: "DELETE"), on: loop)
      await Upload(transfer).run(CurlRequest(url: url, isHead: true), on: loop)
      await Upload(transfer).run(CurlRequest(url: url), on: loop)
      let requests = server.requests("/up")
      #expect(requests.map(\.method) == ["POST", "POST", "DELETE", "HEAD", "GET"])
      #expect(requests.map { $0["content-length"] } == ["5", "0", nil, nil, nil])
      #expect(requests.allSatisfy { $0["expect"] == nil && $0["transfer-encoding"] == nil })
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `a method that is none is refused`() async {
    await withFaultServer { loop, server in
      let upload = await Upload().run(
        CurlRequest(url: server.url("/up"), method: "GET / HTTP/1.1\r\nX:", body: .bytes([])), on: loop)
      #expect(upload.result.error?.fault == .other)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `informational heads are told while the body goes out`() async {
    await withFaultServer { loop, server in
      server.take(
        "/up",
        .always(
          .informational(104, [("Location", "/up/1"), ("Upload-Draft-Interop-Version", "8")]),
          .informational(104, [("Upload-Offset", "65536")], after: 65_536))
      ) { _ in UploadReply(200) }
      let upload = Upload()
      var offsetAtFirst: Int64 = 0
      // The body waits for the first of them: so it came before the body's end.
      upload.onInformational = { head in
        guard head.fields["location"] != nil else { return }
        offsetAtFirst = upload.offsets.last ?? 0
        loop.resume(upload.transfer)
      }
      upload.onWanted = { $0 > 0 && upload.informational.isEmpty ? .pause : nil }
      await upload.run(put(server.url("/up"), 8 << 20), on: loop)
      #expect(upload.result.error == nil)
      #expect(offsetAtFirst < 8 << 20)
      #expect(upload.informational.map(\.status) == [104, 104])
      #expect(upload.informational.map(\.location) == ["/up/1", nil])
      #expect(upload.informational[1].fields["Upload-Offset"] == "65536")
      #expect(upload.heads.map(\.status) == [200])
      #expect(upload.pattern.isEqual(to: server.requests("/up")[0].body))
    }
  }

  @Test func `a paused body goes on where it was`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(200) }
      let upload = Upload()
      var isPausing = false
      upload.onWanted = { _ in
        isPausing.toggle()
        if isPausing { loop.post { loop.resume(upload.transfer) } }
        return isPausing ? .pause : nil
      }
      await upload.run(put(server.url("/up"), 1_000_000), on: loop)
      #expect(upload.result.error == nil)
      #expect(upload.pattern.isEqual(to: server.requests("/up")[0].body))
      #expect(server.requests("/up")[0].body.count == 1_000_000)
    }
  }

  @Test func `an owner that stops ends the transfer without an error`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(200) }
      let upload = Upload()
      upload.onWanted = { $0 >= 131_072 ? .stop : nil }
      await upload.run(put(server.url("/up"), 1_000_000), on: loop)
      #expect(upload.result.error == nil && upload.result.wasStopped)
      #expect(upload.heads.isEmpty)
    }
  }

  @Test(arguments: [409, 413, 423, 500, 201])
  func `an answer that comes early is the answer`(status: Int) async {
    await withFaultServer { loop, server in
      server.take("/up", .always(.early(after: 1 << 20))) { _ in
        UploadReply(status, [("Upload-Offset", "7")], text: "why")
      }
      let upload = await Upload().run(put(server.url("/up"), 256 << 20), on: loop)
      #expect(upload.heads.map(\.status) == [status])
      #expect(upload.heads.first?.fields["upload-offset"] == "7")
      #expect(upload.result.httpStatus == status)
      #expect(upload.result.sentByteCount < 256 << 20 || status < 300)
    }
  }

  @Test func `an answer that comes while the body is paused ends the transfer`() async {
    await withFaultServer { loop, server in
      server.take("/up", .always(.early(after: 65_536))) { _ in UploadReply(413, text: "too much") }
      let upload = Upload()
      upload.onWanted = { $0 >= 131_072 ? .pause : nil }
      upload.onHead = { _ in
        upload.onWanted = { _ in
          Issue.record("the body is asked for after the answer")
          return .stop
        }
        return .proceed
      }
      await upload.run(put(server.url("/up"), 1 << 20), on: loop)
      #expect(upload.heads.map(\.status) == [413])
      #expect(upload.text == "too much")
      #expect(upload.result.error == nil)
    }
  }

  @Test func `chunks that nobody wants any more do not end as if they were whole`() async {
    let ending = Tail()
    await withLoop { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 5\r\n\r\n")
      ending.bytes = peer.readUntil(Array("\r\n0\r\n\r\n".utf8))
      peer.send("sorry")
    } _: { loop, server in
      let upload = await Upload().run(put(server.url("/up"), nil), on: loop)
      #expect(upload.heads.map(\.status) == [503])
      #expect(upload.result.error == nil && !upload.result.wasStopped)
    }
    #expect(!ending.bytes.isEmpty && !ending.bytes.elementsEqual(Array("\r\n0\r\n\r\n".utf8)))
  }

  @Test func `a connection that ends while the body is paused is noticed once it goes on`() async {
    await withFaultServer { loop, server in
      server.take("/up", .always(.cutUpload(after: 65_536))) { _ in UploadReply(200) }
      let upload = Upload()
      upload.onWanted = { offset in
        if offset < 131_072 || server.requests("/up").first?.isFinished == true { return nil }
        loop.post { loop.resume(upload.transfer) }
        return .pause
      }
      await upload.run(put(server.url("/up"), 64 << 20), on: loop)
      #expect(upload.heads.isEmpty)
      #expect(upload.result.error?.fault == .sendReceive || upload.result.error?.fault == .emptyReply)
    }
  }

  @Test func `a cut upload has no final answer`() async {
    await withFaultServer { loop, server in
      server.take("/up", .always(.informational(104, []), .resetUpload(after: 1 << 20))) { _ in UploadReply(200) }
      let upload = await Upload().run(put(server.url("/up"), 256 << 20), on: loop)
      #expect(upload.result.error?.fault == .sendReceive)
      #expect(upload.heads.isEmpty)
      #expect(upload.result.httpStatus == 104)
      #expect(upload.result.sentByteCount >= 1 << 20)
      let isTold = server.wait { $0[0].isFinished }
      #expect(isTold && server.requests("/up")[0].body.count == 1 << 20)
    }
  }

  @Test func `a body is not sent twice when a used connection breaks without an answer`() async {
    await withFaultServer { loop, server in
      server.take("/up", .from(2, .loseAnswer)) { _ in UploadReply(200) }
      let transfer = CurlTransfer()
      await Upload(transfer).run(put(server.url("/up"), 1000), on: loop)
      let second = await Upload(transfer).run(put(server.url("/up"), 1000, method: "PATCH"), on: loop)
      #expect(second.result.error?.fault == .sendReceive)
      #expect(server.requests("/up").count == 2)
    }
  }

  @Test func `a body that may be repeated is sent again from its start`() async {
    await withFaultServer { loop, server in
      server.take("/up", .on(2, .loseAnswer)) { _ in UploadReply(200) }
      let transfer = CurlTransfer()
      var request = put(server.url("/up"), 100_000)
      request.isRepeatable = true
      await Upload(transfer).run(request, on: loop)
      let second = await Upload(transfer).run(request, on: loop)
      #expect(second.result.error == nil)
      #expect(server.requests("/up").count == 3)
      #expect(second.pattern.isEqual(to: server.requests("/up")[2].body))
      #expect(server.requests("/up")[2].body.count == 100_000)
    }
  }

  @Test(arguments: [false, true])
  func `Expect goes out when asked for, and a 417 is the answer`(isConnectionKept: Bool) async {
    await withFaultServer { loop, server in
      // A server that keeps the connection after it, or doesn't.
      let script: Scripted = isConnectionKept ? .on(1, .noContinue) : .on(1, .early(after: 0))
      server.take("/up", script) { _ in UploadReply(417, text: "no") }
      var request = put(server.url("/up"), 100_000)
      request.expectsContinue = true
      let upload = await Upload().run(request, on: loop)
      #expect(upload.result.error == nil && !upload.result.wasStopped)
      #expect(upload.heads.map(\.status) == [417])
      #expect(server.requests("/up").map { $0["expect"] } == ["100-continue"])
    }
  }

  @Test func `a 100 that comes lets the body go`() async {
    await withFaultServer { loop, server in
      server.take("/up") { _ in UploadReply(200) }
      var request = put(server.url("/up"), 100_000)
      request.expectsContinue = true
      let upload = await Upload().run(request, on: loop)
      #expect(upload.informational.map(\.status) == [100])
      #expect(upload.heads.map(\.status) == [200])
      #expect(server.requests("/up")[0].isBodyWhole)
    }
  }
}

/// The last bytes that a server got; written by its thread, read after its end.
private final class Tail: @unchecked Sendable {
  // Sendable by hand: the server's threads are joined before it is read.
  var bytes: [UInt8] = []
}
