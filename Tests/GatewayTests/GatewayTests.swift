import Glibc
import TestKit
import Testing

@testable import Gateway

/// Bytes that differ from their neighbours over any distance that a mistake in offsets makes.
func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

/// Made once: in a debug build it takes its time.
private let filmContent = bytes(300_000)

/// A running gateway over a folder of its own.
struct Scene {
  let folder = TemporaryFolder("gateway")
  let gateway: Gateway
  let content = filmContent

  init(_ faults: [String] = [], change: (inout GatewayOptions) -> Void = { _ in }) throws {
    folder.write(content, to: "film.mp4")
    var options = GatewayOptions(mediaFolder: folder.path)
    options.isQuiet = true
    // However slow the machine.
    options.limits.hello = .seconds(120)
    options.faults = try faults.map { try FaultSpec($0) }
    change(&options)
    gateway = try Gateway(options)
  }

  func get(_ path: String = "/media/film.mp4", _ headers: String..., method: String = "GET") async -> RawResponse {
    await RawClient.send(path, method: method, port: gateway.port, headers: headers)
  }
}

@Suite struct ServedFileTests {
  @Test func `a file comes whole, in parts and as a head`() async throws {
    let scene = try Scene()
    let whole = await scene.get()
    #expect(whole.status == 200 && whole.ending == .complete)
    #expect(ByteContent(whole.body) == ByteContent(scene.content))
    #expect(whole["Content-Length"] == "300000" && whole["Date"] != nil)
    let part = await scene.get("/media/film.mp4", "Range: bytes=1000-", "If-Range: \(whole["ETag"] ?? "")")
    #expect(part.status == 206 && part["Content-Range"] == "bytes 1000-299999/300000")
    #expect(ByteContent(part.body) == ByteContent(Array(scene.content[1000...])))
    let head = await scene.get(method: "HEAD")
    #expect(head.status == 200 && head["Content-Length"] == "300000" && head.body.isEmpty)
  }

  @Test func `304 announces the length of the whole and sends nothing`() async throws {
    let scene = try Scene()
    let tag = await scene.get(method: "HEAD")["ETag"] ?? ""
    let answer = await scene.get("/media/film.mp4", "If-None-Match: \(tag)", "Connection: close")
    #expect(answer.status == 304 && answer["ETag"] == tag && answer["Content-Length"] == "300000")
    #expect(answer.body.isEmpty)
  }

  @Test func `an empty file is an empty body`() async throws {
    let scene = try Scene()
    scene.folder.write([], to: "empty")
    let answer = await scene.get("/media/empty")
    #expect(answer.status == 200 && answer["Content-Length"] == "0")
  }

  @Test func `sub-folders and names of any script are served`() async throws {
    let scene = try Scene()
    scene.folder.folder("a b")
    scene.folder.write("hi", to: "a b/é 100%.txt")
    let answer = await scene.get("/media/a%20b/%C3%A9%20100%25.txt?token=x")
    #expect(answer.status == 200 && answer.body == Array("hi".utf8))
    #expect(answer["Content-Disposition"]?.hasSuffix("filename*=UTF-8''%C3%A9%20100%25.txt") == true)
  }

  @Test func `a changed file has another tag`() async throws {
    let scene = try Scene()
    let first = await scene.get(method: "HEAD")["ETag"]
    scene.folder.write(bytes(5), to: "film.mp4")
    let second = await scene.get()
    #expect(first != second["ETag"])
    #expect(ByteContent(second.body) == ByteContent(bytes(5)))
  }

  @Test func `the digest is that of the whole, whatever part is asked for, and follows the content`() async throws {
    let scene = try Scene(["new-tag=2"]) { $0.sendsDigest = true }
    scene.folder.write("hello world", to: "hello.txt")
    let whole = await scene.get("/media/hello.txt")
    // printf 'hello world' | openssl dgst -sha256 -binary | base64
    #expect(whole["Repr-Digest"] == "sha-256=:uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=:")
    let part = await scene.get("/media/hello.txt", "Range: bytes=1-2")
    #expect(part["Repr-Digest"] == whole["Repr-Digest"])
    let altered = await scene.get("/media/hello.txt")
    // The same with every byte XORed with 0xA5.
    #expect(altered["Repr-Digest"] == "sha-256=:rR520it5X4DhhdEGFM09ZwgGOmIw/jhr7x+xXW6Q6oc=:")
    #expect(await scene.get("/media/none")["Repr-Digest"] == nil)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
  ])
  func `base64 is as in RFC 4648 section 10`(text: String, coded: String) {
    #expect(Base64.encode(Array(text.utf8)) == coded)
  }

  @Test func `one connection carries many requests`() async throws {
    let scene = try Scene()
    let port = scene.gateway.port
    let text = await onThread {
      Wire.exchange(
        port: port,
        "GET /media/film.mp4 HTTP/1.1\r\nHost: x\r\nRange: bytes=0-0\r\n\r\n"
          + "HEAD /media/film.mp4 HTTP/1.1\r\nHost: x\r\n\r\n" + "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
          + "GET /media/film.mp4 HTTP/1.1\r\nHost: x\r\nRange: bytes=-1\r\nConnection: close\r\n\r\n")
    }
    let statuses = text.split(separator: "HTTP/1.1 ").dropFirst(text.hasPrefix("HTTP") ? 0 : 1).map { $0.prefix(3) }
    #expect(statuses == ["206", "200", "404", "206"])
  }

  @Test func `junk in place of a request ends the connection and nothing else`() async throws {
    let scene = try Scene()
    let port = scene.gateway.port
    for seed in Seeds.fromEnvironment(count: 20) {
      var random = SeededRandom(seed: seed)
      let junk = random.bytes(200)
      let text = await onThread { Wire.exchange(port: port, String(decoding: junk, as: UTF8.self) + "\r\n\r\n") }
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "seed \(seed)")
    }
    #expect(await scene.get().status == 200)
  }
}

@Suite struct OutsideTests {
  @Test(arguments: [
    "link", "sub/etc/passwd", "fifo", ".hidden", ".private/a", "sub", "..", "../../etc/passwd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%2f..%2fetc%2fpasswd", "sub/../film.mp4", "/etc/passwd", "film.mp4/", "none",
  ])
  func `links, folders, pipes, hidden names and everything outside are not there`(name: String) async throws {
    let scene = try Scene()
    scene.folder.folder("sub")
    scene.folder.folder(".private")
    scene.folder.write("secret", to: ".hidden")
    scene.folder.write("secret", to: ".private/a")
    #expect(symlink("/etc/passwd", scene.folder.path("link")) == 0)
    #expect(symlink("/etc", scene.folder.path("sub/etc")) == 0)
    #expect(mkfifo(scene.folder.path("fifo"), 0o600) == 0)
    let answer = await scene.get("/media/" + name)
    #expect(answer.status == 404)
    #expect(answer.body.count < 20)
  }

  @Test func `a path that is none is a bad request`() async throws {
    #expect(try await Scene().get("/media/a%00").status == 400)
  }

  @Test func `with a token everything needs it`() async throws {
    let secret = TemporaryFolder("secret")
    secret.write("s3cret\n", to: "token")
    let scene = try Scene { $0.tokenFile = secret.path("token") }
    let refused = await scene.get("/")
    #expect(refused.status == 401 && refused["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
    #expect(await scene.get("/media/film.mp4", "Authorization: Bearer s3creT").status == 401)
    #expect(await scene.get("/media/film.mp4", "Authorization: Bearer s3cret").status == 200)
  }

  @Test func `other methods are refused without taking their body`() async throws {
    let answer = try await Scene().get("/media/film.mp4", "Content-Length: 1000000", method: "PUT")
    #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD")
  }
}

/// A connection whose bytes nobody interprets.
enum Wire {
  /// Sends a text and gives everything that comes back until the other side closes.
  static func exchange(port: UInt16, _ text: String) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let outcome = withUnsafeBytes(of: &address) {
      connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard outcome == 0 else { return "not connected" }
    let bytes = Array(text.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { answer += chunk[..<count] }
    return String(decoding: answer, as: UTF8.self)
  }
}
