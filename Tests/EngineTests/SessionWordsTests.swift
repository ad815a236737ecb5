import Core
import HermesTransfer
import Posix
import TestKit
import Testing
import WebSocket

/// What a gateway says, and how much of it is kept.
@Suite(.timeLimit(.minutes(5))) struct SessionWordsTests {
  @Test func `T14 W55 a gateway that repeats the token makes no error show it`() async throws {
    let scene = try LinkScene { _ in
    } script: { peer, _ in
      peer.send(#"{"t":"error","code":"bad \#(LinkScene.token)","message":"the token \#(LinkScene.token) is old"}"#)
      peer.close(.policyViolation, "token \(LinkScene.token) is wrong")
    }
    let (events, _) = await scene.run { events, _ in
      events.contains { if case .stateChanged(.failed) = $0 { true } else { false } }
    }
    let text = String(describing: events)
    #expect(!text.contains(LinkScene.token), "\(text)")
    #expect(text.contains("is old") && text.contains("is wrong"), "\(text)")
  }

  @Test func `a media without content and without a link is told as such`() async throws {
    let scene = try LinkScene { _ in
    } script: { peer, _ in
      peer.send(#"{"t":"media","id":"e","kind":"image","mime":"image/png"}"#)
    }
    let (events, _) = await scene.run { events, _ in events.contains(.mediaEmpty(id: "e")) }
    #expect(events.contains(.mediaEmpty(id: "e")))
  }

  @Test func `W48 a picture that gateways refuse is sent as a document, and the user is told`() async throws {
    let scene = try LinkScene { _ in
    } script: { _, _ in
    }
    scene.folder.write(
      [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8), to: "photo.jpg")
    _ = try await scene.session.upload([MediaRequest(path: scene.folder.path("photo.jpg"))])
    let (_, events) = await scene.run { _, events in events.contains { $0.kind == .note } }
    let note = try #require(events.first { $0.kind == .note }?.note)
    #expect(note == "gateways refuse HEIC as a picture: it is sent as a document")
  }

  @Test func `where nobody asks for events the gateway has to wait, and nothing is lost`() async throws {
    let count = 3000
    let isOver = Guarded(false)
    let scene = try LinkScene { _ in
    } script: { peer, _ in
      let words = String(repeating: "w", count: 32 << 10)
      for number in 0..<count { peer.send(#"{"t":"message","id":"m\#(number)","text":"\#(words)","final":true}"#) }
      isOver.withLock { $0 = true }
    }
    await scene.session.hold(true)
    await scene.session.connect()
    // 96 MiB: the kernel's buffers hold a few, we four.
    #expect(await !eventually(seconds: 2) { isOver.withLock { $0 } })
    var told = 0
    while told < count, let events = await scene.session.nextEvents() {
      told += events.filter { if case .message = $0 { true } else { false } }.count
    }
    #expect(told == count)
    await scene.session.disconnect()
    await scene.engine.stop()
    scene.peer.stop()
    scene.server.stop()
  }
}
