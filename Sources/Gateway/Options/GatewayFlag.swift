/// The flags of `hermes-gateway`: the one table behind the parser and the help.
enum GatewayFlag: String, CaseIterable {
  case listen, port, mediaDir, tokenFile, limitRate, digest, fault, quiet, help, version

  var name: String {
    switch self {
    case .mediaDir: "--media-dir"
    case .tokenFile: "--token-file"
    case .limitRate: "--limit-rate"
    default: "--" + rawValue
    }
  }

  /// What the value is called; nil for a switch.
  var valueName: String? {
    switch self {
    case .listen: "ADDR"
    case .port: "N"
    case .mediaDir: "DIR"
    case .tokenFile: "FILE"
    case .limitRate: "RATE"
    case .fault: "SPEC"
    case .digest, .quiet, .help, .version: nil
    }
  }

  var summary: String {
    switch self {
    case .listen: "numeric address to listen on (127.0.0.1)"
    case .port: "port to listen on (0: a free one, the default)"
    case .mediaDir: "folder whose files are served under /media/"
    case .tokenFile: "file with the bearer token that every request must show"
    case .limitRate: "most bytes a second for one connection (k M G, kB MB GB)"
    case .digest: "send each file's SHA-256 as Repr-Digest"
    case .fault: "misbehave on purpose, may be given again; see below"
    case .quiet: "write no line a request on standard error"
    case .help: "show this text"
    case .version: "show the version"
    }
  }

  /// The text of `--help`.
  static var manual: String {
    let rows = allCases.map { ($0.name + ($0.valueName.map { " " + $0 } ?? ""), $0.summary) }
    let width = (rows.map(\.0.utf8.count).max() ?? 0) + 2
    let lines = rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.utf8.count) + $0.1 }
    return """
      usage: hermes-gateway --media-dir DIR [flags]

      Serves the files below DIR at /media/NAME and prints where it listens.

      \(lines.joined(separator: "\n"))

      faults:
      \(FaultSpec.knownForms.map { "  " + $0 }.joined(separator: "\n"))

      """
  }
}
