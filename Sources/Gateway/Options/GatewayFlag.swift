/// The flags of `hermes-gateway`: the one table behind the parser and the help.
enum GatewayFlag: String, CaseIterable {
  case listen, port, mediaDir, tokenFile, deviceTokens, share, noEcho, floor, inlineMax, partSize, maxMedia, baseURL
  case limitRate, digest, fault, quiet, help, version

  var name: String {
    switch self {
    case .mediaDir: "--media-dir"
    case .tokenFile: "--token-file"
    case .deviceTokens: "--device-tokens"
    case .noEcho: "--no-echo"
    case .inlineMax: "--inline-max"
    case .partSize: "--part-size"
    case .maxMedia: "--max-media"
    case .baseURL: "--base-url"
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
    case .tokenFile, .deviceTokens: "FILE"
    case .inlineMax, .partSize, .maxMedia: "SIZE"
    case .baseURL: "URL"
    case .limitRate: "RATE"
    case .fault: "SPEC"
    case .share, .noEcho, .floor, .digest, .quiet, .help, .version: nil
    }
  }

  var summary: String {
    switch self {
    case .listen: "numeric address to listen on (127.0.0.1)"
    case .port: "port to listen on (0: a free one, the default)"
    case .mediaDir: "folder served under /media/, where received files go"
    case .tokenFile: "file with the token that all must show"
    case .deviceTokens: "0600 file of device_id=token lines"
    case .share: "announce received media to all other devices too"
    case .noEcho: "echo no text and announce no media to their sender"
    case .floor: "no extensions: no media_status, no media_done"
    case .inlineMax: "announce longer media by URL, not in parts (1M)"
    case .partSize: "bytes of a part of media, both ways (3M)"
    case .maxMedia: "refuse media of more bytes (512M)"
    case .baseURL: "what to put before /media/NAME in announced URLs"
    case .limitRate: "most bytes of files a second for one connection (500k)"
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

      A gateway for one machine: Hermes sessions at /ws, whose media go to DIR, and
      the files below DIR at /media/NAME. Prints where it listens.

      \(lines.joined(separator: "\n"))

      faults:
      \(FaultSpec.knownForms.map { "  " + $0 }.joined(separator: "\n"))
      MOMENT is hello, ready, or a number of parts taken on the connection.

      """
  }
}
