import Core
import TestKit
import Testing

@testable import CLI

/// A stream that remembers.
@MainActor
final class Memory: TextSink {
  private(set) var text = ""
  var outcome = WriteOutcome.written

  func write(_ text: String) -> WriteOutcome {
    if outcome == .written { self.text += text }
    return outcome
  }
}

@MainActor
@Suite struct ProgressViewTests {
  private let output = Memory()
  private let error = Memory()
  private let console: Console

  init() { console = Console(output: output, error: error) }

  private func moment(_ seconds: Double) -> Moment {
    Moment(instant: Instant(nanoseconds: Int64(seconds * 1e9)), wall: Samples.epoch + seconds)
  }

  private func progress(_ done: Int64) throws -> TransferEvent {
    TransferEvent(.progress, try Samples.snapshot("00000001", "f", done: done, total: 1000, rate: 10, eta: 9))
  }

  @Test func `nothing is drawn in the first half second`() throws {
    let view = BarView(console: console) { WindowSize(columns: 80, rows: 24) }
    view.take([try progress(1)], at: moment(0))
    view.take([try progress(2)], at: moment(0.49))
    #expect(error.text.isEmpty)
    view.take([try progress(3)], at: moment(0.5))
    #expect(!error.text.isEmpty)
  }

  @Test func `at most ten frames a second are drawn, without a new line`() throws {
    let view = BarView(console: console) { WindowSize(columns: 80, rows: 24) }
    for step in 0..<1500 { view.take([try progress(Int64(step))], at: moment(Double(step) / 1000)) }
    let frames = error.text.split(separator: "\r", omittingEmptySubsequences: true).count
    #expect(frames >= 8 && frames <= 11)
    #expect(!error.text.contains("\n"))
  }

  @Test func `the last frame stays above what comes`() throws {
    let view = BarView(console: console) { WindowSize(columns: 80, rows: 24) }
    for second in 0..<3 { view.take([try progress(Int64(second))], at: moment(Double(second))) }
    view.finish(at: moment(3))
    #expect(error.text.hasSuffix("\n"))
  }

  @Test func `a fast transfer leaves no bar`() throws {
    let view = BarView(console: console) { WindowSize(columns: 80, rows: 24) }
    view.take([try progress(1000)], at: moment(0))
    view.finish(at: moment(0.3))
    #expect(error.text.isEmpty)
  }

  @Test func `a result is written where the bars were, and they are drawn again`() throws {
    console.draw(["one", "two"], columns: 80)
    console.results(["/tmp/f"])
    #expect(output.text == "/tmp/f\n")
    #expect(error.text == "one\ntwo\r\u{1B}[1A\u{1B}[Jone\ntwo")
  }

  @Test func `bars that a narrower window has wrapped are taken away whole`() {
    let drawing = Drawing(lines: [String(repeating: "x", count: 79), "日本語"])
    #expect(drawing.eraser(columns: 80) == "\r\u{1B}[1A\u{1B}[J")
    #expect(drawing.eraser(columns: 40) == "\r\u{1B}[2A\u{1B}[J")
    #expect(drawing.eraser(columns: 4) == "\r\u{1B}[21A\u{1B}[J")
  }

  @Test func `a line comes every ten seconds and at the end`() throws {
    let view = LineView(console: console)
    for second in 0..<26 { view.take([try progress(Int64(second))], at: moment(Double(second))) }
    let ended = try Samples.snapshot("00000001", "f", .completed, done: 1000, total: 1000)
    view.take([TransferEvent(.completed, ended)], at: moment(26))
    view.finish(at: moment(26))
    Golden.check(error.text, "progress-line")
    #expect(output.text.isEmpty)
  }

  @Test func `every event is one object a line`() throws {
    let view = JSONView(console: console)
    var ended = try Samples.snapshot("00000001", "f", .completed, done: 1000, total: 1000)
    ended.path = "/tmp/f \"ü\""
    ended.sha256 = "00ff"
    var waiting = try Samples.snapshot("00000002", "g", .waiting)
    waiting.reason = .serverBackoff
    waiting.nextTry = Samples.epoch + 5
    var failed = try Samples.snapshot("00000002", "g", .failed, done: 10)
    failed.failure = TransferFailure(.notFound, "server answered 404", hint: "look at the URL")
    let unknown = try Samples.snapshot("00000003", "h", rate: .infinity, eta: .nan)
    let kinds: [TransferEvent] = [
      TransferEvent(.added, unknown), TransferEvent(.started, unknown), try progress(10),
      TransferEvent(.progress, unknown),
      TransferEvent(.waiting, waiting), TransferEvent(.note, waiting, note: "server ignores ranges"),
      TransferEvent(.completed, ended), TransferEvent(.failed, failed), TransferEvent(.paused, unknown),
      TransferEvent(.cancelled, unknown),
    ]
    try view.take(kinds, at: moment(0.125))
    #expect(output.text.split(separator: "\n").count == kinds.count)
    Golden.check(output.text, "progress-json")
    #expect(error.text.isEmpty)
  }

  @Test(
    arguments: [
      (true, "xterm", false, false, false, .bar), (true, "dumb", false, false, false, .line),
      (true, nil, false, false, false, .line), (true, "xterm", true, false, false, .line),
      (false, "xterm", false, false, false, .line), (true, "xterm", false, true, false, .json),
      (true, "xterm", false, false, true, .none),
    ] as [(Bool, String?, Bool, Bool, Bool, ProgressKind)])
  func `auto is bars only where somebody can see them`(
    isTerminal: Bool, name: String?, isCI: Bool, isJSON: Bool, isQuiet: Bool, expected: ProgressKind
  ) {
    let kind = ProgressKind.automatic(
      isTerminal: isTerminal, terminalName: name, isCI: isCI, isJSON: isJSON, isQuiet: isQuiet)
    #expect(kind == expected)
  }

  @Test func `a closed standard output is noticed, and is no error`() {
    output.outcome = .readerGone
    console.results(["/tmp/f"])
    #expect(console.isOutputBroken && console.outputFailure == nil && error.text.isEmpty)
  }

  @Test func `a full disk behind standard output is an error`() {
    output.outcome = .failed(TransferFailure(.diskFull, "cannot write to standard output: no space left on device"))
    console.results(["/tmp/f"])
    #expect(console.outputFailure?.code == .diskFull)
  }

  @Test func `a window of another width is drawn anew`() {
    console.draw(["one"], columns: 80)
    console.draw(["one"], columns: 80)
    #expect(error.text == "one")
    console.draw(["one"], columns: 40)
    #expect(error.text == "one\r\u{1B}[Jone")
  }

  @Test func `an error is one line, and one more where something can be done`() {
    console.fail(ErrorLine(TransferFailure(.notFound, "server answered 404"), cannot: "download https://h/f"))
    console.fail(ErrorLine(TransferFailure(.usage, "unknown \u{1B}[2J flag\n--x", hint: "did you mean --xy?")))
    Golden.check(error.text, "errors")
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_399.9996, "2000-02-28T23:59:59.999Z"),
    (951_782_400, "2000-02-29T00:00:00.000Z"), (1_709_251_199, "2024-02-29T23:59:59.000Z"),
    (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"),
    (1e300, "9999-12-31T23:59:59.000Z"), (Double.nan, "1970-01-01T00:00:00.000Z"),
  ])
  func `moments are ISO 8601`(seconds: Double, text: String) {
    #expect(Timestamp.precise(seconds) == text)
  }
}
