import Core
import Testing

/// The machine alone: what happened in, what to do out.
@Suite struct DownloadMachineTests {
  private static let total: Int64 = 32 << 20

  /// An answer to an ask, from a server that serves ranges of a file with a strong tag.
  private func answer(_ ask: DownloadMachine.Ask) -> ResponseHead {
    var head = ResponseHead(status: 206)
    let start = ask.start ?? 0
    let end = min(ask.end ?? Self.total, Self.total)
    head.entityTag = "\"E\""
    head.contentRange = "bytes \(start)-\(end - 1)/\(Self.total)"
    head.contentLength = end - start
    return head
  }

  private func asks(_ actions: [DownloadMachine.Action]) -> [(lane: Int, ask: DownloadMachine.Ask)] {
    actions.compactMap { if case .open(let lane, let ask) = $0 { (lane, ask) } else { nil } }
  }

  /// Runs all lanes in turn until the end and gives every ask that was made.
  private func run(_ machine: inout DownloadMachine) -> [DownloadMachine.Ask] {
    var now = Instant.zero
    var open = asks(machine.start(now: now))
    var made = open.map(\.ask)
    while let (lane, ask) = open.first {
      open.removeFirst()
      now = now + 0.01
      let (verdict, actions) = machine.headReceived(lane, answer(ask), roundTripSeconds: 0, now: now)
      #expect(verdict == .take)
      open += asks(actions)
      made += asks(actions).map(\.ask)
      let count = (ask.end ?? Self.total) - (ask.start ?? 0)
      _ = machine.bodyReceived(lane, byteCount: Int(count))
      let next = asks(machine.laneEnded(lane, .complete, now: now))
      open += next
      made += next.map(\.ask)
    }
    return made
  }

  @Test func `one connection asks once, for everything`() {
    var machine = DownloadMachine(DownloadMachine.Settings())
    #expect(run(&machine).map(\.rangeText) == ["0-"])
    #expect(machine.isWhole)
  }

  @Test(arguments: [2, 4, 16, 32]) func `several connections ask for every byte once`(count: Int) {
    var settings = DownloadMachine.Settings()
    settings.connections = count
    var machine = DownloadMachine(settings)
    let made = run(&machine)
    #expect(machine.isWhole)
    #expect(made.reduce(0) { $0 + (($1.end ?? Self.total) - ($1.start ?? 0)) } == Self.total)
    // All but the first are bound to the version that the first one met.
    #expect(made.dropFirst().allSatisfy { $0.ifRange == "\"E\"" })
  }

  @Test func `a server that turns extra connections away gets fewer, and it is remembered`() {
    var settings = DownloadMachine.Settings()
    settings.connections = 4
    var machine = DownloadMachine(settings)
    let first = asks(machine.start(now: .zero))[0]
    let (_, actions) = machine.headReceived(first.lane, answer(first.ask), roundTripSeconds: 0, now: .zero)
    let extra = asks(actions)
    #expect(extra.count == 3)
    let (verdict, refused) = machine.headReceived(
      extra[0].lane, ResponseHead(status: 503), roundTripSeconds: 0, now: .zero)
    #expect(verdict == .drop)
    #expect(refused.contains(.rememberLimit(3)))
    #expect(asks(machine.timerFired(now: .zero + 10)).isEmpty)
  }

  @Test func `a finished file is asked for only if it changed`() {
    var settings = DownloadMachine.Settings()
    settings.finished = Validator(entityTag: "\"E\"", lastModified: nil, isLastModifiedStrong: false)
    var machine = DownloadMachine(settings)
    let first = asks(machine.start(now: .zero))[0]
    #expect(first.ask.unless?.entityTag == "\"E\"")
    let (_, actions) = machine.headReceived(first.lane, ResponseHead(status: 304), roundTripSeconds: 0, now: .zero)
    #expect(actions.contains(.alreadyComplete))
  }

  // MARK: What is not the end, and what must end

  /// A part of a file, as its server tells of it.
  private func part(_ start: Int64, _ end: Int64, of total: Int64?, tag: String? = "\"E\"") -> ResponseHead {
    var head = ResponseHead(status: 206)
    head.entityTag = tag
    head.contentRange = "bytes \(start)-\(end - 1)/\(total.map(String.init) ?? "*")"
    head.contentLength = end - start
    return head
  }

  @Test(arguments: [nil, "bytes */1048576"])
  func `the end of a range of unknown length is not taken for the end of the file`(refusal: String?) throws {
    var settings = DownloadMachine.Settings()
    settings.connections = 4
    var machine = DownloadMachine(settings)
    _ = machine.start(now: .zero)
    _ = machine.headReceived(0, part(0, 1 << 20, of: nil), roundTripSeconds: 0, now: .zero)
    _ = machine.bodyReceived(0, byteCount: 1 << 20)
    let behind = try #require(asks(machine.laneEnded(0, .complete, now: .zero)).first)
    #expect(behind.ask.start == 1 << 20)
    #expect(behind.ask.ifRange == "\"E\"")
    var refused = ResponseHead(status: 416)
    refused.contentRange = refusal
    let (_, actions) = machine.headReceived(behind.lane, refused, roundTripSeconds: 0, now: .zero)
    #expect(actions.contains(.finish), "\(actions)")
    #expect(machine.total == 1 << 20)
  }

  @Test func `a server that refuses a condition nobody made is not asked for ever`() throws {
    var machine = DownloadMachine(DownloadMachine.Settings())
    var actions = machine.start(now: .zero)
    var count = 0
    while let (lane, _) = asks(actions).first, count < 10 {
      count += 1
      actions = machine.headReceived(lane, ResponseHead(status: 412), roundTripSeconds: 0, now: .zero).1
    }
    #expect(count == 1 + 3)
    let isEnd = actions.contains { if case .fail(let failure) = $0 { failure.code == .contentChanged } else { false } }
    #expect(isEnd, "\(actions)")
  }

  @Test(arguments: [false, true])
  func `bytes that are held already are no progress, and no proof`(onlyCompares: Bool) {
    var settings = DownloadMachine.Settings()
    settings.onlyCompares = onlyCompares
    var saved = DownloadMachine.Saved()
    saved.total = 2 << 20
    saved.held = RangeSet(ByteRange(0, 1 << 20))
    var machine = DownloadMachine(settings, saved: saved)
    let start: Int64 = (1 << 20) - (64 << 10)
    _ = machine.start(now: .zero)
    _ = machine.headReceived(0, part(start, start + 10, of: 2 << 20, tag: nil), roundTripSeconds: 0, now: .zero)
    #expect(machine.bodyReceived(0, byteCount: 10).compare == 10)
    let actions = machine.laneEnded(0, .complete, now: .zero)
    #expect(asks(actions).isEmpty && !actions.contains(.finish), "\(actions)")
    let waits = actions.contains { if case .wait(_, .network, _) = $0 { true } else { false } }
    #expect(waits, "\(actions)")
  }

  @Test func `nothing is asked where nothing can be compared`() {
    var settings = DownloadMachine.Settings()
    settings.onlyCompares = true
    var machine = DownloadMachine(settings)
    #expect(machine.start(now: .zero) == [.finish])
  }

  @Test func `a mirror's tag is not the first server's, and it gets one connection`() {
    var settings = DownloadMachine.Settings()
    settings.connections = 4
    settings.sourceCount = 2
    var machine = DownloadMachine(settings)
    _ = machine.start(now: .zero)
    _ = machine.headReceived(0, part(0, 1 << 20, of: Self.total), roundTripSeconds: 0, now: .zero)
    _ = machine.bodyReceived(0, byteCount: 1 << 19)
    let gone = TransferFault.permanent(TransferFailure(.notFound, "gone"))
    var opened = asks(machine.laneEnded(0, .fault(gone), now: .zero))
    for lane in 1...3 { opened += asks(machine.laneEnded(lane, .fault(gone), now: .zero)) }
    #expect(opened.map(\.ask.source) == [1])
    let start: Int64 = (1 << 19) - (64 << 10)
    let (_, actions) = machine.headReceived(0, part(start, Self.total, of: Self.total), roundTripSeconds: 0, now: .zero)
    #expect(asks(actions + machine.timerFired(now: .zero + 60)).isEmpty)
  }
}
