extension FlagTable {
  /// How servers are reached and spoken to.
  static let network: [Flag] = [
    Flag(
      name: .header, short: "H", argument: FlagArgument("LINE", .text), commands: CommandName.networked,
      isRepeatable: true,
      summary: "send a header, 'Name: value'",
      details: """
        Send a header, as "Name: value". It goes to the host of the URL only, never along a redirect to another. It \
        may be given several times; in the environment, one a line.
        """),
    Flag(
      name: .userAgent, short: "A", argument: FlagArgument("TEXT", .text), commands: CommandName.networked,
      summary: "the User-Agent header",
      details: "Send TEXT as the User-Agent header."),
    Flag(
      name: .referer, short: "e", argument: FlagArgument("URL", .text), commands: [.download],
      summary: "the Referer header",
      details: "Send URL as the Referer header."),
    Flag(
      name: .bearerFile, argument: FlagArgument("FILE", .file), commands: [.download], group: .authorization,
      summary: "send the bearer token in FILE",
      details: "Send the first line of FILE as a bearer token."),
    Flag(
      name: .user, short: "u", argument: FlagArgument("NAME", .text), commands: [.download], group: .authorization,
      summary: "log in as NAME; the password is asked",
      details: """
        Log in as NAME. The password is asked on the terminal, unless --password-file tells it. It can't be given in \
        NAME: arguments are seen by every user of the machine.
        """),
    Flag(
      name: .passwordFile, argument: FlagArgument("FILE", .file), commands: [.download],
      summary: "the file with the password of --user",
      details: "Take the password of --user from the first line of FILE."),
    Flag(
      name: .netrc, commands: [.download],
      summary: "take logins from ~/.netrc",
      details: "Take user and password from ~/.netrc, by the host's name."),
    Flag(
      name: .netrcFile, argument: FlagArgument("FILE", .file), commands: [.download],
      summary: "take logins from FILE",
      details: "Like --netrc, with another file."),
    Flag(
      name: .cookieFile, argument: FlagArgument("FILE", .file), commands: [.download],
      summary: "send the cookies in FILE",
      details: "Send the cookies in FILE, in Netscape's format. The file is not written."),
    Flag(
      name: .proxy, short: "x", argument: FlagArgument("URL", .text), commands: CommandName.networked,
      summary: "go through a proxy",
      details: """
        Go through the proxy at URL: http, https, socks4, socks4a, socks5 or socks5h. The default comes from \
        http_proxy, https_proxy, ALL_PROXY and NO_PROXY in the environment.
        """),
    Flag(
      name: .cacert, argument: FlagArgument("FILE", .file), commands: CommandName.networked,
      summary: "trust the authorities in FILE",
      details: "Trust the certificate authorities in FILE, in PEM, instead of the system's."),
    Flag(
      name: .cert, short: "E", argument: FlagArgument("FILE", .file), commands: CommandName.networked,
      summary: "the client's certificate",
      details: "Show the client certificate in FILE, in PEM."),
    Flag(
      name: .key, argument: FlagArgument("FILE", .file), commands: CommandName.networked,
      summary: "the client certificate's key",
      details: "The private key of --cert, where it is not in the same file."),
    Flag(
      name: .insecure, short: "k", commands: CommandName.networked,
      summary: "do not check the server's certificate",
      details: "Do not check the server's certificate. Whoever sits on the line can then read and change everything."),
    Flag(
      name: .allowDowngrade, commands: [.download],
      summary: "follow redirects from https to http",
      details: "Follow redirects from https to http, which are refused otherwise."),
    Flag(
      name: .http1, commands: [.download], group: .httpVersion,
      summary: "speak HTTP/1.1 only",
      details: "Speak HTTP/1.1 only."),
    Flag(
      name: .http2, commands: [.download], group: .httpVersion,
      summary: "prefer HTTP/2",
      details: "Prefer HTTP/2 where the server offers it over TLS."),
    Flag(
      name: .ipv4, short: "4", commands: CommandName.networked, group: .addressFamily,
      summary: "use IPv4 only",
      details: "Use IPv4 addresses only."),
    Flag(
      name: .ipv6, short: "6", commands: CommandName.networked, group: .addressFamily,
      summary: "use IPv6 only",
      details: "Use IPv6 addresses only."),
    Flag(
      name: .interface, argument: FlagArgument("NAME", .text), commands: CommandName.networked,
      summary: "go out by an interface or address",
      details: "Go out by the network interface, host name or address NAME."),
    Flag(
      name: .resolve, argument: FlagArgument("HOST:PORT:ADDR", .text), commands: CommandName.networked,
      isRepeatable: true,
      summary: "use ADDR for HOST:PORT",
      details: "Use the address ADDR for HOST and PORT instead of asking the resolver. It may be given several times."),
    Flag(
      name: .unixSocket, argument: FlagArgument("PATH", .file), commands: CommandName.networked,
      summary: "connect through a Unix socket",
      details: "Connect through the Unix socket PATH instead of the network."),
  ]
}
