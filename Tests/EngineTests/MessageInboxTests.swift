import Core
import State
import Testing

@testable import HermesTransfer

struct MessageInboxTests {
  private let key = SessionKey(gateway: "ws://h:1/ws", device: "d")

  @Test func `W35 what comes again after a reconnect or a restart is known, what streams is not`() {
    var inbox = MessageInbox(key)
    let piece = MessageFrame(id: "m", text: "ha")
    #expect(inbox.take(piece, connection: 1, now: 1) != nil)
    // The same piece twice on one connection is what the agent said.
    #expect(inbox.take(piece, connection: 1, now: 1) != nil)
    #expect(inbox.take(piece, connection: 2, now: 2) == nil)
    #expect(inbox.take(MessageFrame(id: "m", text: "ho"), connection: 2, now: 2) != nil)
    #expect(inbox.take(MessageFrame(id: "n", text: "ha"), connection: 2, now: 2) != nil)
    // A replacement replaces, however often it comes.
    #expect(inbox.take(MessageFrame(id: "m", text: "ha", isEdit: true), connection: 3, now: 3) != nil)
  }

  @Test func `W35 an earlier life's messages are known, and memory is bounded`() {
    var inbox = MessageInbox(key)
    let record = inbox.take(MessageFrame(id: "m", text: "x"), connection: 1, now: 1)
    var next = MessageInbox(key)
    next.restore([(idDigest: record?.idDigest ?? "", sha256: record?.sha256 ?? "")])
    #expect(next.take(MessageFrame(id: "m", text: "x"), connection: 1, now: 2) == nil)
    for number in 0..<25_000 { _ = next.take(MessageFrame(id: "\(number)", text: ""), connection: 1, now: 2) }
    #expect(next.take(MessageFrame(id: "24999", text: ""), connection: 2, now: 2) == nil)
    #expect(next.take(MessageFrame(id: "m", text: "x"), connection: 2, now: 2) != nil)
  }
}
