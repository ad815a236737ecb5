import Core
import Testing

@testable import Gateway

/// The time of every request here: Sun, 13 Sep 2020 12:26:40 GMT.
let now: Int64 = 1_600_000_000

/// A file of 1000 bytes that last changed 1000 s before `now`.
let file = FileEntity(
  name: "film.mp4", byteCount: 1000, device: 1, inode: 2, modifiedNanoseconds: (now - 1000) * 1_000_000_000 + 7)
let tag = "\"\(file.tagText)\""
let modified = HTTPDate(secondsSince1970: now - 1000).text

func get(_ fields: (String, String)...) -> RequestHead {
  RequestHead("GET", "/media/film.mp4", fields.map { HeaderField($0.0, $0.1) })
}

func head(_ fields: (String, String)...) -> RequestHead {
  RequestHead("HEAD", "/media/film.mp4", fields.map { HeaderField($0.0, $0.1) })
}

func plan(_ request: RequestHead, _ file: FileEntity? = file, faults: [FaultSpec] = []) -> ResponsePlan {
  var server = FileServer(faults: FaultPlan(faults))
  return server.plan(request, for: file, now: now)
}

extension ResponsePlan {
  func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

@Suite struct FileServerTests {
  @Test func `a plain GET answers with the whole file and everything a resume needs`() {
    let answer = plan(get())
    #expect(answer.status == 200)
    #expect(answer.body == .file(ByteRange(0, 1000)))
    #expect(answer.value("ETag") == tag)
    #expect(answer.value("Last-Modified") == modified)
    #expect(answer.value("Accept-Ranges") == "bytes")
    #expect(answer.value("Content-Type") == "video/mp4")
    #expect(answer.value("Content-Disposition") == "attachment; filename=\"film.mp4\"")
    #expect(answer.value("Content-Range") == nil)
    #expect(answer.value("Content-Encoding") == nil)
    #expect(answer.delivery == Delivery())
  }

  @Test func `HEAD answers like GET but for ranges`() {
    #expect(plan(head()) == plan(get()))
    #expect(plan(head(("Range", "bytes=0-9"))).status == 200)
  }

  @Test func `a range answers 206 with its place in the file`() {
    let answer = plan(get(("Range", "bytes=100-199")))
    #expect(answer.status == 206)
    #expect(answer.body == .file(ByteRange(100, 200)))
    #expect(answer.value("Content-Range") == "bytes 100-199/1000")
    #expect(answer.value("ETag") == tag)
  }

  @Test func `a range past the end answers 416 with the length`() {
    let answer = plan(get(("Range", "bytes=1000-")))
    #expect(answer.status == 416)
    #expect(answer.value("Content-Range") == "bytes */1000")
    #expect(answer.body == .text("the file has 1000 bytes\n"))
  }

  @Test func `a missing file answers 404 in one line`() {
    let answer = plan(get(), nil)
    #expect(answer.status == 404)
    #expect(answer.body == .text("no such file\n"))
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
  func `other methods answer 405 with those that work`(method: String) {
    let answer = plan(RequestHead(method, "/media/film.mp4"))
    #expect(answer.status == 405)
    #expect(answer.value("Allow") == "GET, HEAD")
  }

  @Test func `an empty file is whole at any suffix and has no first byte`() {
    let empty = FileEntity(name: "e", byteCount: 0, device: 1, inode: 3, modifiedNanoseconds: 0)
    #expect(plan(get(), empty).body == .file(ByteRange(0, 0)))
    #expect(plan(get(("Range", "bytes=-5")), empty).status == 200)
    #expect(plan(get(("Range", "bytes=0-")), empty).value("Content-Range") == "bytes */0")
  }

  @Test func `the date of the last change is never ahead of the message`() {
    let future = FileEntity(
      name: "f", byteCount: 1, device: 1, inode: 2, modifiedNanoseconds: (now + 50) * 1_000_000_000)
    #expect(plan(get(), future).value("Last-Modified") == HTTPDate(secondsSince1970: now).text)
  }

  @Test func `each of size, inode and nanosecond changes the tag`() {
    let others = [
      FileEntity(name: "f", byteCount: 1001, device: 1, inode: 2, modifiedNanoseconds: file.modifiedNanoseconds),
      FileEntity(name: "f", byteCount: 1000, device: 2, inode: 2, modifiedNanoseconds: file.modifiedNanoseconds),
      FileEntity(name: "f", byteCount: 1000, device: 1, inode: 3, modifiedNanoseconds: file.modifiedNanoseconds),
      FileEntity(name: "f", byteCount: 1000, device: 1, inode: 2, modifiedNanoseconds: file.modifiedNanoseconds + 1),
    ]
    #expect(Set(others.map(\.tagText) + [file.tagText]).count == 5)
  }

  @Test func `repeated fields are one list`() {
    let request = get(("If-None-Match", "\"a\""), ("if-none-match", tag))
    #expect(plan(request).status == 304)
  }
}
