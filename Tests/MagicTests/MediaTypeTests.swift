import Glibc
import Posix
import TestKit
import Testing

@testable import Magic

struct MediaTypeTests {
  let folder = TemporaryFolder("types")

  /// How files of each kind begin.
  private static let heads: [(name: String, head: [UInt8], type: String)] = [
    ("jpeg", [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0], "image/jpeg"),
    (
      "png",
      [0x89] + Array("PNG\r\n".utf8) + [0x1a, 10, 0, 0, 0, 13] + Array("IHDR".utf8) + [
        0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0,
      ], "image/png"
    ),
    ("gif", Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0], "image/gif"),
    (
      "webp", Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [UInt8](repeating: 0, count: 24),
      "image/webp"
    ),
    ("heic", [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8), "image/heic"),
    ("avif", [0, 0, 0, 28] + Array("ftypavif".utf8) + [0, 0, 0, 0] + Array("avifmif1miaf".utf8), "image/avif"),
    ("tiff", Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0], "image/tiff"),
    ("svg", Array(#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>"#.utf8), "image/svg+xml"),
    (
      "wav",
      Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8) + [
        16, 0, 0, 0, 1, 0, 1, 0, 0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0,
      ] + Array("data".utf8) + [0, 0, 0, 0], "audio/wav"
    ),
    ("pdf", Array("%PDF-1.7\n".utf8), "application/pdf"),
    ("mp4", [0, 0, 0, 24] + Array("ftypmp42".utf8) + [0, 0, 0, 0] + Array("mp42isom".utf8), "video/mp4"),
    ("json", Array(#"{"a": [1, 2]}"#.utf8), "application/json"),
    ("gzip", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], "application/gzip"),
    ("text", Array("just some words\n".utf8), "text/plain"),
  ]

  @Test(arguments: heads.indices) func `the content tells the type, whatever the name says`(index: Int) throws {
    let (name, head, type) = Self.heads[index]
    for ending in ["", ".jpg", ".bin", ".pdf", ".mp3"] {
      let path = folder.write(head, to: name + ending)
      #expect(try MediaType.sniff(path).text == type, "\(name + ending)")
    }
  }

  @Test(arguments: [
    ("notes.md", "text/markdown"), ("notes.txt", "text/plain"), ("NOTES.MD", "text/markdown"), ("notes", "text/plain"),
    ("photo.jpg", "text/plain"), ("script.sh", "application/x-sh"), (".md", "text/plain"),
    ("a.b.yaml", "application/yaml"),
  ]) func `of plain text the name says which`(name: String, type: String) {
    #expect(MediaType(head: Array("key is some words\n".utf8), name: name).text == type)
  }

  @Test func `an empty file and one of noise are of no known type, whatever their names`() throws {
    #expect(MediaType(head: [], name: "photo.jpg") == .unknown)
    var random = SeededRandom(seed: 7)
    let noise = [UInt8(0)] + (0..<4096).map { _ in UInt8.random(in: 0x80...0xff, using: &random) }
    #expect(MediaType(head: noise, name: "photo.jpg") == .unknown)
  }

  @Test func `without a database the name decides, and it is said why`() {
    let missing = Result { () throws(MagicProblem) in try MagicDatabase(path: "/nowhere/magic.mgc") }
    guard case .failure(let problem) = missing else {
      Issue.record("a database was found")
      return
    }
    #expect(!problem.message.isEmpty)
    #expect(MediaType(head: Self.heads[0].head, name: "a.PNG", missing).text == "image/png")
    #expect(MediaType(head: Self.heads[0].head, name: "a", missing) == .unknown)
    #expect(MediaType(head: [], name: "a.xyzzy", missing) == .unknown)
  }

  @Test func `the system's database is there`() {
    #expect(MediaType.problem == nil)
    #expect(MediaType.library.hasPrefix("libmagic 5."))
  }

  @Test func `where a file is read from does not change`() throws {
    let path = folder.write(Self.heads[0].head, to: "photo")
    let file = try Files.openToRead(path)
    #expect(lseek(file.rawValue, 3, SEEK_SET) == 3)
    #expect(try MediaType.sniff(file, name: "photo").text == "image/jpeg")
    #expect(lseek(file.rawValue, 0, SEEK_CUR) == 3)
  }

  @Test func `only the first MiB is read`() throws {
    let path = folder.write(Self.heads[0].head, to: "large")
    #expect(truncate(path, 1 << 40) == 0)
    #expect(try MediaType.sniff(path).text == "image/jpeg")
  }

  @Test func `what is no file is refused, without waiting for it`() throws {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(throws: Errno.invalid) { try MediaType.sniff(fifo) }
    #expect(throws: Errno.invalid) { try MediaType.sniff(folder.path) }
    #expect(throws: Errno.notFound) { try MediaType.sniff(folder.path("none")) }
  }

  @Test func `many threads ask at once`() async {
    let types = await withTaskGroup(of: String.self) { group in
      for index in 0..<200 {
        group.addTask { MediaType(head: Self.heads[index % 7].head, name: "x").text }
      }
      return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(types.count == 7 && types.values.reduce(0, +) == 200)
  }

  @Test func `any bytes have a type of one word, a slash and one word`() {
    for seed in Seeds.fromEnvironment(count: 300) {
      var random = SeededRandom(seed: seed)
      var head = Self.heads.randomElement(using: &random)?.head ?? []
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        let byte = UInt8.random(in: 0...255, using: &random)
        if head.isEmpty || Bool.random(using: &random) {
          head.append(byte)
        } else {
          head[Int.random(in: head.indices, using: &random)] = byte
        }
      }
      let type = MediaType(head: head, name: "x").text
      #expect(type.split(separator: "/", omittingEmptySubsequences: false).count == 2, "seed \(seed): \(type)")
      #expect(type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "seed \(seed): \(type)")
    }
  }
}
