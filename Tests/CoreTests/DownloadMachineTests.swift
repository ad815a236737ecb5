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
}
