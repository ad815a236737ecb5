import Core
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
      name: .mediaDir, argument: FlagArgument("DIR", .folder), commands: [.profile, .listen, .chat], isLasting: false,
      isOfProfile: true,
      summary: "save media into DIR",
      details: """
        Save media that come from the gateway into DIR instead of the profile's folder, or, without one, \
        $XDG_DATA_HOME/hermes-transfer/media.
        """),
    Flag(
      name: .allowPlaintext, commands: [.profile], isLasting: false, isOfProfile: true,
      summary: "send the token unencrypted to any host",
      details: """
        Allow a ws:// URL whose host is no loopback or private address: whoever sits on the line can then read the \
        token and everything else.
        """),
  ]

  /// What is sent over a session, and what is waited for.
  static let media: [Flag] = [
    Flag(
      name: .caption, argument: FlagArgument("TEXT", .text), commands: [.upload], isLasting: false,
      summary: "words that go with the file",
      details: "Words that go with the file."),
    Flag(
      name: .kind, argument: FlagArgument("KIND", .choice(MediaKind.allCases.map(\.rawValue))), commands: [.upload],
      isLasting: false,
      summary: "image, voice, video, document or animation",
      details: "Send as this kind of media. Without this flag the file's content decides."),
    Flag(
      name: .mime, argument: FlagArgument("TYPE", .text), commands: [.upload], isLasting: false,
      summary: "the media type, such as image/png",
      details: "The media type to be told. Without this flag the file's content decides."),
    Flag(
      name: .name, argument: FlagArgument("NAME", .text), commands: [.upload], isLasting: false,
      summary: "the name to be told",
      details: "The name to be told instead of the file's own."),
    Flag(
      name: .partSize, argument: FlagArgument("SIZE", .size), commands: [.upload],
      summary: "bytes in one part: 3M",
      details: """
        Bytes of the file in one part, rounded down to a multiple of three; 3M without this flag, or what the gateway is \
        known to take. A gateway that refuses a part as too large gets smaller ones.
        """),
    Flag(
      name: .atMostOnce, commands: [.upload],
      summary: "never send again what may have arrived",
      details: """
        When the connection breaks before the gateway has read the last part for certain, do not send the file a second \
        time: it ends as uncertain, with exit status 15.
        """),
    Flag(
      name: .once, argument: FlagArgument("KIND", .choice(SessionEventKind.allCases.map(\.rawValue))),
      commands: [.listen], isLasting: false,
      summary: "end after the first of this kind",
      details: "End after the first event of this kind: message, prompt or media."),
    Flag(
      name: .timeout, argument: FlagArgument("TIME", .duration),
      commands: CommandName.ofSession.filter { $0 != .upload && $0 != .chat },
      summary: "wait no longer than this",
      details: """
        Wait no longer than this. What was to come and did not is exit status 4; what was to be sent stays in the state \
        and goes out with the next session.
        """),
    Flag(
      name: .text, argument: FlagArgument("TEXT", .text), commands: [.answer], isLasting: false,
      summary: "words that go with the answer",
      details: "Words that go with the answer; the option other needs them."),
  ]

  /// How much of what comes over a session is taken.
  static let mediaLimits: [Flag] = [
    Flag(
      name: .maxMessage, argument: FlagArgument("SIZE", .size), commands: CommandName.ofSession,
      summary: "longest message taken (16M)",
      details: """
        Take no message longer than SIZE; the session is closed with code 1009 by a longer one. The default is 16M; \
        less than 64k cannot be told.
        """),
    Flag(
      name: .maxMedia, argument: FlagArgument("SIZE", .size), commands: CommandName.ofSession,
      summary: "largest media taken in parts (512M)",
      details: "Refuse media of more than SIZE that come in parts; nothing of them stays. The default is 512M."),
    Flag(
      name: .maxOpenMedia, argument: FlagArgument("N", .count(1..<1025)), commands: CommandName.ofSession,
      summary: "media that may be incomplete at once (16)",
      details: "Refuse to begin another media while N are incomplete. The default is 16."),
    Flag(
      name: .maxAssembly, argument: FlagArgument("SIZE", .size), commands: CommandName.ofSession,
      summary: "what incomplete media may hold together (2G)",
      details: "Refuse parts that bring what all incomplete media hold above SIZE. The default is 2G."),
  ]
}
