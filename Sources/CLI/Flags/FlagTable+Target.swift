extension FlagTable {
  /// What is fetched, and where it goes.
  static let target: [Flag] = [
    Flag(
      name: .output, short: "o", argument: FlagArgument("FILE", .file), commands: [.download], isLasting: false,
      summary: "write to FILE; - is standard output",
      details: """
        Write to FILE. With -, the bytes go to standard output and nothing is kept for resuming. Without this flag \
        the name comes from the Content-Disposition header, else from the final URL.
        """),
    Flag(
      name: .directory, short: "d", argument: FlagArgument("DIR", .folder), commands: [.download],
      summary: "put files into DIR",
      details: "Put files into DIR instead of the current folder. A relative --output is taken from there."),
    Flag(
      name: .inputFile, short: "i", argument: FlagArgument("FILE", .file), commands: [.download], isRepeatable: true,
      isLasting: false,
      summary: "read URLs from FILE; - is standard input",
      details: """
        Read URLs from FILE, one a line, each optionally followed by a tab and a name. Empty lines and lines that \
        start with # are skipped. With -, the list is read from standard input.
        """),
    Flag(
      name: .connections, short: "n", argument: FlagArgument("N", .countOr("auto", 1..<33)), commands: [.download],
      summary: "connections for one file: 1 to 32 or auto",
      details: """
        How many connections fetch one file at once, 1 to 32. With auto, the default, a large file starts with one \
        connection and gets more, up to 16, while they raise the rate.
        """),
    Flag(
      name: .noResume, commands: [.download],
      summary: "start anew, whatever is held",
      details: "Throw away what an earlier run left of the same download and start from the first byte."),
    Flag(
      name: .checksum, argument: FlagArgument("ALG:HEX", .text), commands: [.download], isLasting: false,
      summary: "the digest that the file must have",
      details: """
        The digest that the file must have, as sha-256, sha-512, sha-1 or md5, a colon and hexadecimal digits. On \
        another digest the exit status is 8 and the file stays under its hidden partial name.
        """),
    Flag(
      name: .ifExists, argument: FlagArgument("WHAT", .choice(["fail", "rename", "overwrite", "skip"])),
      commands: [.download],
      summary: "fail, rename, overwrite or skip",
      details: """
        What to do when the name is taken by another file: fail, rename to a free name such as "file (1).bin", \
        overwrite once the new file is complete, or skip the download. The default is fail with --output, else rename.
        """),
    Flag(
      name: .onChange, argument: FlagArgument("WHAT", .choice(["restart", "fail"])), commands: [.download],
      summary: "the remote file changed: restart or fail",
      details: """
        What to do when the remote file changed since the bytes that are held came: restart, the default, or fail \
        with exit status 8.
        """),
    Flag(
      name: .mirror, argument: FlagArgument("URL", .url), commands: [.download], isRepeatable: true, isLasting: false,
      summary: "another place that holds the same bytes",
      details: """
        Another place that holds the same bytes; it must agree in length. It may be given several times, with one URL \
        to download.
        """),
    Flag(
      name: .waitForDisk, commands: [.download],
      summary: "wait for room on a full disk",
      details: "Wait until there is room on a full disk and go on by itself, instead of ending with exit status 10."),
    Flag(
      name: .priority, argument: FlagArgument("N", .count(0..<10)), commands: [.download, .upload],
      summary: "0 to 9, higher goes first",
      details: "Which of several waiting transfers goes first, 0 to 9, higher ones first. The default is 5."),
  ]
}
