import Core
import Curl
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransferTests {
  @Test func `a body comes whole, in many pieces`() async {
    let bytes = pattern(1 << 20)
    await withLoop { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nETag: \"e\"\r\n\r\n")
      peer.send(bytes)
    } _: { loop, server in
      let fetch = await Fetch().run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.result.error == nil)
      #expect(ByteContent(fetch.body) == ByteContent(bytes))
      #expect(fetch.pieceCounts.count > 16)
      #expect(fetch.pieceCounts.allSatisfy { $0 <= 16 << 10 })
      #expect(fetch.heads.map(\.entityTag) == ["\"e\""])
      #expect(fetch.result.byteCount == Int64(bytes.count))
      #expect(fetch.result.httpStatus == 200)
      #expect(fetch.result.httpVersion == "1.1")
      #expect(fetch.result.primaryIP == "127.0.0.1")
      #expect(fetch.result.times.total > 0 && fetch.result.times.firstByte > 0)
      #expect(!fetch.result.isReused && !fetch.result.wasStopped)
      #expect(!fetch.transfer.isRunning)
    }
  }

  @Test func `informational heads and trailers are not told`() async {
    await withLoop { peer in
      _ = peer.readHead()
      peer.send(
        "HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      peer.send("3\r\nabc\r\n0\r\nHTTP/1.1 206 Fake\r\nETag: \"late\"\r\n\r\n")
    } _: { loop, server in
      let fetch = await Fetch().run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.heads == [ResponseHead(status: 200)])
      #expect(fetch.text == "abc")
    }
  }

  @Test func `two requests of one handle share a connection and change what they ask`() async {
    await withLoop { peer in
      while let head = peer.readHead() { peer.answer("\(peer.number) \(head)") }
    } _: { loop, server in
      let transfer = CurlTransfer()
      let one = await Fetch(transfer).run(
        CurlRequest(
          url: server.url("/a"), headerLines: ["X-One: 1", "Accept-Encoding: identity"], range: "0-"), on: loop)
      let two = await Fetch(transfer).run(CurlRequest(url: server.url("/b"), headerLines: ["X-Two: 2"]), on: loop)
      #expect(one.text.hasPrefix("0 GET /a HTTP/1.1\r\n"))
      #expect(one.text.contains("\r\nRange: bytes=0-\r\n"))
      #expect(one.text.contains("\r\nX-One: 1\r\n") && one.text.contains("\r\nAccept-Encoding: identity\r\n"))
      #expect(two.text.hasPrefix("0 GET /b HTTP/1.1\r\n"))
      #expect(two.text.contains("\r\nX-Two: 2\r\n"))
      #expect(!two.text.contains("Range") && !two.text.contains("X-One") && !two.text.contains("Accept-Encoding"))
      #expect(two.result.isReused)
      // The handshake's, then the request's own.
      #expect(one.roundTripSeconds > 0 && one.roundTripSeconds <= one.result.times.connect)
      #expect(two.roundTripSeconds > 0 && two.roundTripSeconds <= two.result.times.firstByte)
    }
  }

  @Test func `HEAD has no body, and GET after it has one`() async {
    await withLoop { peer in
      while let head = peer.readHead() {
        if head.hasPrefix("HEAD") {
          peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        } else {
          peer.answer("hello")
        }
      }
    } _: { loop, server in
      let transfer = CurlTransfer()
      let head = await Fetch(transfer).run(CurlRequest(url: server.url(), isHead: true), on: loop)
      #expect(head.result.error == nil)
      #expect(head.head?.contentLength == 5)
      #expect(head.body.isEmpty)
      let get = await Fetch(transfer).run(CurlRequest(url: server.url()), on: loop)
      #expect(get.text == "hello")
      #expect(get.result.isReused)
    }
  }

  @Test func `a paused body goes on with the same bytes`() async {
    let bytes = pattern(300_000)
    await withLoop { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
      peer.send(bytes)
    } _: { loop, server in
      let fetch = Fetch()
      var isPausing = false
      fetch.onBody = { _ in
        // Each piece is put off once.
        isPausing.toggle()
        if isPausing { loop.post { loop.resume(fetch.transfer) } }
        return isPausing ? .pause : .proceed
      }
      await fetch.run(CurlRequest(url: server.url()), on: loop)
      #expect(ByteContent(fetch.body) == ByteContent(bytes))
      #expect(fetch.result.error == nil)
    }
  }

  @Test func `a body that was paused in its head waits for the resume`() async {
    await withLoop { peer in
      _ = peer.readHead()
      peer.answer("hello")
    } _: { loop, server in
      let fetch = Fetch()
      var isResumed = false
      fetch.onHead = { _ in
        loop.tick = { now in
          guard !isResumed else { return nil }
          isResumed = true
          loop.resume(fetch.transfer)
          return nil
        }
        return .pause
      }
      fetch.onBody = { _ in
        #expect(isResumed)
        return .proceed
      }
      await fetch.run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.text == "hello")
      #expect(fetch.heads.count == 1)
    }
  }

  @Test func `a stop in the middle closes the connection and is no error`() async {
    await withLoop { peer in
      while peer.readHead() != nil {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\nhello")
      }
    } _: { loop, server in
      let fetch = Fetch()
      fetch.onBody = { _ in .stop }
      await fetch.run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.result.wasStopped)
      #expect(fetch.result.error == nil)
      #expect(fetch.result.httpStatus == 200)
      let next = Fetch(fetch.transfer)
      next.onHead = { _ in .stop }
      await next.run(CurlRequest(url: server.url()), on: loop)
      #expect(next.result.wasStopped)
      #expect(!next.result.isReused)
      #expect(next.body.isEmpty)
    }
  }

  @Test func `a stop while the body is unpaused ends the transfer`() async {
    await withLoop { peer in
      _ = peer.readHead()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
      peer.waitForEnd()
    } _: { loop, server in
      let fetch = Fetch()
      var verdicts: [BodyVerdict] = [.stop, .pause]
      fetch.onBody = { _ in
        if verdicts.count == 2 { loop.post { loop.resume(fetch.transfer) } }
        return verdicts.removeLast()
      }
      await fetch.run(CurlRequest(url: server.url()), on: loop)
      #expect(fetch.result.wasStopped)
      #expect(fetch.result.error == nil)
      #expect(verdicts.isEmpty)
    }
  }

  @Test func `a short answer that nobody wants is read past and its connection serves again`() async {
    await withLoop { peer in
      while let head = peer.readHead() {
        if head.hasPrefix("GET /old") {
          peer.answer("moved", status: "302 Found", headers: "Location: /new\r\n")
        } else {
          peer.answer("here")
        }
      }
    } _: { loop, server in
      let old = Fetch()
      old.onHead = { _ in .stop }
      await old.run(CurlRequest(url: server.url("/old")), on: loop)
      #expect(old.head?.location == "/new")
      #expect(old.result.wasStopped && old.result.error == nil)
      #expect(old.body.isEmpty)
      let new = await Fetch(old.transfer).run(CurlRequest(url: server.url("/new")), on: loop)
      #expect(new.text == "here")
      #expect(new.result.isReused)
    }
  }

  @Test func `a cancelled transfer tells nothing more and may start again`() async {
    await withLoop { peer in
      while let head = peer.readHead() {
        if head.hasPrefix("GET /slow") {
          peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
        } else {
          peer.answer("quick")
        }
      }
    } _: { loop, server in
      let slow = Fetch()
      let request = CurlRequest(url: server.url("/slow"))
      await handedOver { done in
        loop.post {
          slow.onBody = { _ in
            // From inside libcurl: it is gone when libcurl has returned.
            loop.cancel(slow.transfer)
            loop.post { done(()) }
            return .proceed
          }
          slow.transfer.prepare(request)
          loop.start(slow.transfer, owner: slow)
        }
      }
      let count = await loop.onThread { loop.transferCount }
      #expect(count == 0)
      let quick = await Fetch(slow.transfer).run(CurlRequest(url: server.url("/quick")), on: loop)
      #expect(quick.text == "quick")
      #expect(slow.results.isEmpty)
      slow.forget()
    }
  }

  @Test func `a transfer may be started inside the callback and at the end of another`() async {
    await withLoop { peer in
      while let head = peer.readHead() { peer.answer(head) }
    } _: { loop, server in
      let (one, two) = (Fetch(), Fetch())
      let (first, second) = (CurlRequest(url: server.url("/1")), CurlRequest(url: server.url("/2")))
      let third = CurlRequest(url: server.url("/3"))
      await handedOver { done in
        loop.post {
          one.onHead = { _ in
            two.transfer.prepare(second)
            loop.start(two.transfer, owner: two)
            return .proceed
          }
          two.onEnd = { _ in
            two.onEnd = { _ in done(()) }
            two.transfer.prepare(third)
            loop.start(two.transfer, owner: two)
          }
          one.transfer.prepare(first)
          loop.start(one.transfer, owner: one)
        }
      }
      #expect(one.results.count == 1)
      #expect(two.results.count == 2)
      #expect(two.text.hasPrefix("GET /2 ") && two.text.contains("GET /3 "))
    }
  }

  @Test func `many transfers run side by side`() async {
    await withLoop { peer in
      while let head = peer.readHead() { peer.answer(String(head.prefix { !$0.isNewline })) }
    } _: { loop, server in
      let texts = await withTaskGroup(of: [String].self) { group in
        for lane in 0..<16 {
          group.addTask {
            let transfer = await loop.onThread { Fetch() }.transfer
            var texts: [String] = []
            for round in 0..<8 {
              let path = "/\(lane)/\(round)"
              texts.append(await Fetch(transfer).run(CurlRequest(url: server.url(path)), on: loop).text)
            }
            return texts
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      let expected = (0..<16).flatMap { lane in (0..<8).map { "GET /\(lane)/\($0) HTTP/1.1" } }
      #expect(texts.sorted() == expected.sorted())
    }
  }
}
