import Core
import Crypto
import TestKit
import Testing
import WebSocket

@testable import Gateway

/// What a medium of some bytes is sent as.
func parts(
  _ content: [UInt8], of size: Int, id: String = "m1", name: String? = "photo.jpg", caption: String? = nil
) -> [(frame: MediaFrame, bytes: [UInt8])] {
  let count = Int(MediaFrame.partCount(byteCount: Int64(content.count), partSize: size))
  return (0..<count).map { index in
    let frame = MediaFrame(
      id: id, kind: .image, mime: "image/jpeg", part: index, parts: count, fileName: name, caption: caption)
    return (frame, Array(content[(index * size)..<min((index + 1) * size, content.count)]))
  }
}

extension Scene {
  func client(_ device: String = "device", token: String? = nil, target: String = "/ws") async throws -> SessionClient {
    try await SessionClient.ready(port: gateway.port, device: device, token: token, target: target)
  }

  /// The names of what was received.
  var received: [String] { folder.names.filter { $0 != "film.mp4" } }
}

extension SessionClient {
  func sendAll(_ parts: [(frame: MediaFrame, bytes: [UInt8])]) async {
    for part in parts { await send(part.frame, part.bytes) }
  }

  var done: MediaDoneFrame? {
    get async { await first { frame, _ in if case .mediaDone(let done) = frame { done } else { nil } } }
  }

  /// The gateway's complaint.
  var complaint: ErrorFrame? {
    get async { await first { frame, _ in if case .error(let error) = frame { error } else { nil } } }
  }

  var status: MediaStatusFrame? {
    get async { await first { frame, _ in if case .mediaStatus(let status) = frame { status } else { nil } } }
  }

  func media(_ count: Int) async -> [MediaPart] {
    await all(count) { frame, data in
      if case .media(let media) = frame { MediaPart(frame: media, data: data) } else { nil }
    }
  }

  func ready() async -> ReadyFrame? {
    await first { frame, _ in if case .ready(let ready) = frame { ready } else { nil } }
  }
}

struct MediaPart: Sendable {
  let frame: MediaFrame
  let data: [UInt8]
}

@Suite struct SessionTests {
  @Test func `ready tells what the gateway offers, and on the floor nothing`() async throws {
    let scene = try Scene { $0.limits.mediaByteCount = 1000 }
    let ready = try await scene.client().ready()
    #expect(ready == ReadyFrame(media: MediaExtension(partByteCount: 3 << 20, maxByteCount: 1000, resumes: true)))
    let floor = try Scene { $0.speaksFloorOnly = true }
    #expect(try await floor.client().ready() == ReadyFrame())
  }

  @Test func `a text comes back as a message, between thinking and rest`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(.text(TextFrame(id: "1", text: "hello \"world\" é\u{1}")))
    let frames = await client.all(8) { frame, _ in frame }
    let messages = frames.compactMap { if case .message(let message) = $0 { message } else { nil } }
    #expect(messages.map(\.text) == ["hello \"world\" é\u{1}"] && messages[0].isFinal && !messages[0].isEdit)
    #expect(frames[1...4] == [.avatar(.idle), .typing(isOn: true), .avatar(.thinking), .avatar(.speaking)])
    #expect(frames[6...7] == [.typing(isOn: false), .avatar(.idle)])
  }

  @Test func `media in parts of any order is stored whole, proved and announced back`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    let content = bytes(250_001)
    let sent = parts(content, of: 60_000, caption: "look")
    await client.sendAll([sent[3], sent[0], sent[4], sent[0], sent[1], sent[2]])
    let done = await client.done
    #expect(done == MediaDoneFrame(id: "m1", byteCount: 250_001, sha256: sha256Hexadecimal(of: content)))
    // By digest: a failure would print a million numbers.
    #expect(TestFiles.read(scene.folder.path("photo.jpg")).map(sha256Hexadecimal) == done?.sha256)
    #expect(TestFiles.mode(scene.folder.path("photo.jpg")) == 0o600)
    #expect(scene.received == ["photo.jpg"])
    let announced = try #require(await client.media(1).first)
    #expect(sha256Hexadecimal(of: announced.data) == done?.sha256)
    #expect(announced.frame.fileName == "photo.jpg" && announced.frame.caption == "look")
    #expect(announced.frame.id != "m1" && announced.frame.kind == .image && announced.frame.mime == "image/jpeg")
  }

  @Test func `an empty medium is a file without bytes`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.sendAll(parts([], of: 100, name: nil))
    #expect(await client.done?.byteCount == 0)
    let name = "image-\(sha256Hexadecimal(of: "m1").prefix(12)).jpg"
    #expect(scene.received == [name])
    #expect(await client.media(1).first?.data == [])
  }

  @Test func `a recording is stored as a voice medium`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(text: #"{"t":"audio","id":"a","format":"ogg","data":"Zm9v","text":"hi"}"#)
    let announced = try #require(await client.media(1).first)
    #expect(announced.frame.kind == .voice && announced.frame.mime == "audio/ogg" && announced.frame.caption == "hi")
    #expect(announced.data == Array("foo".utf8))
    #expect(announced.frame.fileName?.hasSuffix(".ogg") == true)
  }

  @Test func `long media is announced by URL, and the URL serves it`() async throws {
    let scene = try Scene { $0.inlineByteCount = 1000 }
    let client = try await scene.client()
    let content = bytes(1001)
    await client.sendAll(parts(content, of: 600, name: "a b/../é 1.jpg"))
    let announced = try #require(await client.media(1).first).frame
    #expect(announced.url == "/media/%C3%A9%201.jpg" && !announced.hasData)
    let answer = await scene.get(announced.url ?? "", "Range: bytes=1-")
    #expect(answer.status == 206 && answer.body == Array(content[1...]))
    #expect(answer["Content-Disposition"]?.contains("filename*=UTF-8''%C3%A9%201.jpg") == true)
  }

  @Test func `media goes out in parts, caption on the first and last`() async throws {
    let scene = try Scene { $0.partByteCount = 300 }
    let client = try await scene.client()
    let content = bytes(1000)
    await client.sendAll(parts(content, of: 1000, caption: "c"))
    let announced = await client.media(4)
    #expect(announced.flatMap(\.data) == content)
    #expect(announced.map(\.frame.part) == [0, 1, 2, 3] && announced.allSatisfy { $0.frame.parts == 4 })
    #expect(announced.map(\.frame.caption) == ["c", nil, nil, "c"])
    #expect(announced.allSatisfy { $0.frame.fileName == "photo.jpg" && $0.frame.mime == "image/jpeg" })
  }

  @Test func `what is shared reaches every other device`() async throws {
    let scene = try Scene { $0.sharesWithAll = true }
    let sender = try await scene.client("one")
    let receiver = try await scene.client("two")
    await sender.sendAll(parts(bytes(10), of: 10))
    #expect(await receiver.media(1).first?.data == bytes(10))
    #expect(await sender.media(1).count == 1)
  }

  @Test func `without sharing other devices hear nothing, without an echo nobody`() async throws {
    let scene = try Scene { $0.echoes = false }
    let sender = try await scene.client("one")
    let other = try await scene.client("two")
    await sender.send(.text(TextFrame(id: "1", text: "hi")))
    await sender.sendAll(parts(bytes(10), of: 10))
    #expect(await sender.done != nil)
    for client in [sender, other] {
      await client.ping("behind")
      #expect(await client.event { $0 == .pong(Array("behind".utf8)) } != nil)
      #expect(await client.media(0).isEmpty)
    }
    #expect(await sender.all(0) { frame, _ in if case .message = frame { true } else { nil } }.isEmpty)
  }

  @Test func `a card is answered once, with one of its options`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(.text(TextFrame(id: "1", text: "/prompt slash_confirm delete it?")))
    let card = try #require(
      await client.first { frame, _ in if case .prompt(let card) = frame { card } else { nil } })
    #expect(card.kind == "slash_confirm" && card.text == "delete it?")
    #expect(card.options.map(\.isDangerous) == [true, false])
    for option in ["never", "CONFIRM", "cancel"] {
      await client.send(.prompt(try #require(PromptAnswer(promptID: card.id, optionID: option))))
    }
    let done = await client.first { frame, _ in if case .promptDone(let done) = frame { done } else { nil } }
    #expect(done == PromptDoneFrame(id: card.id, optionID: "confirm"))
    let errors = await client.all(2) { frame, _ in if case .error(let error) = frame { error.code } else { nil } }
    #expect(errors == ["unknown_option", "unknown_prompt"])
  }

  @Test func `a card that nobody answers expires`() async throws {
    let scene = try Scene { $0.limits.prompt = .milliseconds(50) }
    let client = try await scene.client()
    await client.send(.text(TextFrame(id: "1", text: "/prompt")))
    let done = await client.first { frame, _ in if case .promptDone(let done) = frame { done } else { nil } }
    #expect(done?.hasExpired == true && done?.optionID == nil)
  }

  @Test func `a file of the folder is announced when asked for, and nothing else is`() async throws {
    let scene = try Scene()
    scene.folder.write("secret", to: ".hidden")
    let client = try await scene.client()
    for name in ["../../etc/passwd", ".hidden", "none", ""] {
      await client.send(.text(TextFrame(id: "1", text: "/send \(name)")))
    }
    #expect(
      await client.all(4) { frame, _ in if case .error(let error) = frame { error.code } else { nil } }.count == 4)
    await client.send(.text(TextFrame(id: "1", text: "/send film.mp4")))
    let media = try #require(await client.media(1).first)
    #expect(sha256Hexadecimal(of: media.data) == sha256Hexadecimal(of: scene.content) && media.frame.kind == .video)
  }

  @Test func `a streamed answer grows and is replaced`() async throws {
    let scene = try Scene()
    let client = try await scene.client()
    await client.send(.text(TextFrame(id: "1", text: "/stream one two")))
    let pieces = await client.all(3) { frame, _ in if case .message(let message) = frame { message } else { nil } }
    #expect(pieces.map(\.text) == ["one ", "two ", "one two"] && Set(pieces.map(\.id)).count == 1)
    #expect(pieces.map(\.isEdit) == [false, false, true] && pieces.map(\.isFinal) == [false, false, true])
  }
}
