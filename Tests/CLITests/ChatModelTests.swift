import Core
import HermesTransfer
import TestKit
import Testing

@testable import CLI

struct ChatModelTests {
  private func text(_ lines: [ChatModel.Line]) -> [String] { lines.map(\.text) }

  @Test func `a reply grows in place and stays when it is final`() {
    var model = ChatModel()
    _ = model.take(.stateChanged(.connected), now: 0)
    #expect(model.take(.message(MessageFrame(id: "1", text: "one ")), now: 0) == [])
    #expect(model.take(.message(MessageFrame(id: "1", text: "two")), now: 0) == [])
    #expect(text(model.live(width: 40, height: 5, now: 0)) == ["agent: one two"])
    let final = MessageFrame(id: "1", text: "three\nfour", isEdit: true, isFinal: true)
    #expect(text(model.take(.message(final), now: 0)) == ["agent: three", "  four"])
    #expect(model.live(width: 40, height: 5, now: 0) == [])
    #expect(
      text(model.take(.message(MessageFrame(id: "1", text: "five", isEdit: true)), now: 0)) == ["agent, again: five"])
  }

  @Test func `without an end a reply stays once the agent rests, or the user goes on`() {
    var model = ChatModel()
    _ = model.take(.message(MessageFrame(id: "1", text: "one")), now: 0)
    #expect(text(model.take(.avatar(.idle), now: 0)) == ["agent: one"])
    _ = model.take(.message(MessageFrame(id: "2", text: "two")), now: 0)
    #expect(text(model.said("me", id: "m")) == ["agent: two", "you: me"])
  }

  @Test func `nothing from the wire steers the terminal, and what is live stays small`() {
    var model = ChatModel()
    let evil = "\u{1B}[2J\u{9B}31m\u{7}" + String(repeating: "x", count: 5000)
    _ = model.take(.message(MessageFrame(id: "1", text: evil)), now: 0)
    _ = model.take(
      .prompt(PromptFrame(id: evil, kind: evil, text: evil, options: [.init(id: evil, label: evil)])), now: 0)
    _ = model.take(.message(MessageFrame(id: "2", text: evil)), now: 0)
    let lines = model.live(width: 20, height: 6, now: 0) + model.finishReplies()
    #expect(model.live(width: 20, height: 6, now: 0).count <= 6)
    for line in lines { #expect(!line.text.unicodeScalars.contains { $0.properties.generalCategory == .control }) }
    for line in model.live(width: 20, height: 6, now: 0) { #expect(DisplayWidth.of(line.text) <= 20) }
  }

  @Test func `an option is chosen by its number, its name, on the newest card or on the one that is named`() {
    var model = ChatModel()
    #expect(model.choice(["1"]) == nil)
    let options = [PromptFrame.Option(id: "once", label: "Allow once"), .init(id: "other", label: "Other")]
    for id in ["a", "b"] {
      _ = model.take(.prompt(PromptFrame(id: id, kind: "clarify", text: "?", options: options)), now: 0)
    }
    let newest = model.choice(["1"])
    #expect(newest?.card.id == "b" && newest?.option == "once")
    let named = model.choice(["a", "2", "my", "words"])
    #expect(named?.card.id == "a" && named?.option == "other" && named?.text == "my words")
    #expect(model.choice(["ONCE"])?.option == "once")
    #expect(
      text(model.take(.promptDone(PromptDoneFrame(id: "b", optionID: "once")), now: 0)) == [
        "card b: answered: Allow once"
      ])
    #expect(text(model.take(.promptDone(PromptDoneFrame(id: "a", hasExpired: true)), now: 0)) == ["card a: it expired"])
    #expect(model.cards.isEmpty)
  }
}
