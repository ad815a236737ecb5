import Core

extension FlagTable {
  /// The commands that run transfers in this process.
  static let running: [CommandName] = [.download, .resume, .retry]

  /// How much, how fast and for how long; and which transfers a command means.
  static let limits: [Flag] = [
    Flag(
      name: .limitRate, argument: FlagArgument("RATE", .rate), commands: running + [.listen, .chat],
      summary: "at most RATE a second over all, such as 2M",
      details: """
        Receive at most RATE bytes a second over all transfers together. RATE is a number with k, M or G for powers of \
        1024, or kB, MB or GB for powers of 1000.
        """),
    Flag(
      name: .maxTransfers, short: "j", argument: FlagArgument("N", .count(1..<1025)), commands: running,
      summary: "transfers at once (5)",
      details: "Run at most N transfers at once. The default is 5."),
    Flag(
      name: .maxPerHost, argument: FlagArgument("N", .count(1..<1025)), commands: running,
      summary: "transfers at once from one host (4)",
      details: "Run at most N transfers at once from one host. The default is 4."),
    Flag(
      name: .connectTimeout, argument: FlagArgument("DURATION", .duration), commands: [.download],
      summary: "time to connect, TLS included (30s)",
      details: "Give up an attempt that is not connected after DURATION, TLS included. The default is 30s."),
    Flag(
      name: .stallTimeout, argument: FlagArgument("DURATION", .duration), commands: [.download],
      summary: "time without a byte (60s)",
      details: "Give up an attempt after DURATION without a byte, at least 1s. The default is 60s."),
    Flag(
      name: .deadline, argument: FlagArgument("DURATION", .duration), commands: [.download, .upload],
      summary: "time from acceptance to the end (7d)",
      details: "Fail a transfer that is not complete DURATION after it was accepted. The default is 7d."),
    Flag(
      name: .maxAttempts, argument: FlagArgument("N", .count(1..<1_000_001)),
      commands: [.download, .upload, .send, .answer],
      summary: "attempts in a row without progress (5)",
      details: """
        Fail a transfer after N attempts in a row that brought no byte. Over a session: give up after N attempts in a row \
        that did not reach the gateway; what was to be sent stays in the state and goes out with the next session. The \
        default is 5.
        """),
    Flag(
      name: .retryMaxWait, argument: FlagArgument("DURATION", .duration), commands: [.download],
      summary: "longest pause between attempts (5m)",
      details: "Pause at most DURATION between two attempts. The default is 5m."),
  ]

  static let selection: [Flag] = [
    Flag(
      name: .all, short: "a", commands: [.resume, .retry, .cancel, .remove], isLasting: false,
      summary: "every transfer that the command can act on",
      details: "Act on every transfer that the command can act on, instead of those named."),
    Flag(
      name: .state, argument: FlagArgument("STATE", .choice(TransferState.allCases.map(\.rawValue))),
      commands: [.list], isRepeatable: true, isLasting: false,
      summary: "only transfers in this state",
      details: "List only transfers in STATE, such as running or failed. It may be given several times."),
  ]
}
