import HermesTransfer

extension FlagTable {
  /// How a gateway is reached; most of it stands in the section of a profile.
  static let session: [Flag] = [
    Flag(
      name: .url, argument: FlagArgument("URL", .url), commands: [.profile], isLasting: false, isOfProfile: true,
      summary: "where the gateway is: wss://host:8787/ws",
      details: """
        Where the gateway is, such as wss://host:8787/ws or ws://127.0.0.1:8787/ws. A token does not belong into it.
        """),
    Flag(
      name: .tokenFile, argument: FlagArgument("FILE", .file), commands: [.profile], isLasting: false,
      isOfProfile: true,
      summary: "the file with the token, mode 0600",
      details: """
        Take the token from FILE each time it is needed. FILE must be ours and have mode 0600. The variable \
        HERMES_TRANSFER_TOKEN goes before every file.
        """),
    Flag(
      name: .tokenStdin, commands: [.profile], isLasting: false,
      summary: "read the token from standard input",
      details: "Read the token from the first line of standard input and keep it in a file of mode 0600."),
    Flag(
      name: .auth,
      argument: FlagArgument("HOW", .choice(SessionProfile.Authorization.allCases.map(\.rawValue))),
      commands: [.profile], isLasting: false, isOfProfile: true,
      summary: "query+hello, header or hello",
      details: """
        How the token gets to the gateway: in the query of the first request and in the first frame, the default; in \
        an Authorization header only; or in the first frame only.
        """),
    Flag(
      name: .mediaDir, argument: FlagArgument("DIR", .folder), commands: [.profile], isLasting: false,
      isOfProfile: true,
      summary: "save media into DIR",
      details: "Save media that come from the gateway into DIR."),
    Flag(
      name: .allowPlaintext, commands: [.profile], isLasting: false, isOfProfile: true,
      summary: "send the token unencrypted to any host",
      details: """
        Allow a ws:// URL whose host is no loopback or private address: whoever sits on the line can then read the \
        token and everything else.
        """),
  ]
}
