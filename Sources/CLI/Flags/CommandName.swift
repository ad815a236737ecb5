/// Every command; the raw value is the word typed.
enum CommandName: String, CaseIterable, Hashable, Sendable {
  case download, upload, listen, send, answer, chat, list, show, watch, wait, resume, retry, relink, cancel, remove,
    profile, doctor, completion, help
  /// Prints what is made from the tables for the tree: the manual and the completions. Not for people.
  case generate
}

/// One command, told once, as a flag is.
struct Command: Sendable {
  let name: CommandName
  /// What follows it, as the help writes it.
  let operands: String
  let operandCount: Range<Int>
  let summary: String
  let details: String
}

extension CommandName {
  /// What goes over the network.
  static let networked: [CommandName] = [.download, .upload, .listen, .send, .answer, .chat]
  /// What talks to a gateway.
  static let ofSession: [CommandName] = [.upload, .listen, .send, .answer, .chat]
}

enum CommandTable {
  /// The commands that people see, in the order of the help.
  static let all: [Command] = [
    Command(
      name: .download, operands: "URL…", operandCount: 0..<Int.max,
      summary: "fetch files, going on with what is held",
      details: """
        Fetch every URL to a file. What an earlier run of the same command left is gone on with. The final path of \
        each finished file is printed on standard output, in the order of finishing.
        """),
    Command(
      name: .upload, operands: "FILE…", operandCount: 1..<Int.max,
      summary: "send files to the agent",
      details: """
        Send files over the session of the profile, as media: in parts, going on where a break or a crash left them. \
        The ID and the end state of each are printed on standard output: "delivered" when the gateway has proved that it \
        has the file, "sent" when it has read every byte and gives no proof.
        """),
    Command(
      name: .listen, operands: "", operandCount: 0..<1,
      summary: "receive what the agent says and sends",
      details: """
        Hold the session of the profile and print one line for each thing that comes, until interrupted. Files go into \
        the folder of --media-dir; those that are announced by a link are fetched. What other processes want to be \
        sent over the same session goes out as well.
        """),
    Command(
      name: .send, operands: "TEXT", operandCount: 1..<2,
      summary: "say something to the agent",
      details: """
        Send a text, or a slash command, and wait until the gateway has read it. Its ID is printed. When the gateway \
        cannot be reached the text stays in the state and goes out with the next session.
        """),
    Command(
      name: .answer, operands: "PROMPT OPTION", operandCount: 2..<3,
      summary: "answer a card of the agent's",
      details:
        "Choose OPTION on the card PROMPT, and wait until the gateway has read it. The option other needs --text."),
    Command(
      name: .chat, operands: "", operandCount: 0..<1,
      summary: "talk with the agent",
      details: """
        Hold the session of the profile and talk: what is typed goes to the agent, its replies grow in place, its cards \
        are answered with /answer, files go out with /upload PATH. Up and Down bring back what was typed before, also in \
        earlier chats. Control-C clears the line, and on an empty one ends the chat, as Control-D does. Without a \
        terminal each line of standard input is one message, and the chat ends when all of them were read over there.
        """),
    Command(
      name: .list, operands: "[ID…]", operandCount: 0..<Int.max,
      summary: "what there is",
      details: "List the transfers that the state knows, all or those whose ID starts as given."),
    Command(
      name: .show, operands: "ID…", operandCount: 1..<Int.max,
      summary: "one transfer in detail",
      details: "Show everything about a transfer, with the times of its last attempts."),
    Command(
      name: .watch, operands: "[ID…]", operandCount: 0..<Int.max,
      summary: "follow transfers that another process runs",
      details:
        "Show the progress of transfers that other processes run, until they end. Ending the watch ends nothing else."),
    Command(
      name: .wait, operands: "ID…", operandCount: 1..<Int.max,
      summary: "block until transfers have ended",
      details: "Block until every transfer named has ended, then exit with the highest of their statuses."),
    Command(
      name: .resume, operands: "ID…", operandCount: 0..<Int.max,
      summary: "go on with unfinished transfers",
      details: "Go on, in the foreground, with transfers that were interrupted or wait, or all of these with --all."),
    Command(
      name: .retry, operands: "ID…", operandCount: 0..<Int.max,
      summary: "try failed transfers again",
      details: """
        Try transfers that failed or were cancelled again, in the foreground, with their counters and deadline set \
        anew. What is held of a failed transfer is kept. With --all, every failed transfer is tried.
        """),
    Command(
      name: .relink, operands: "ID URL", operandCount: 2..<3,
      summary: "give a transfer a fresh URL",
      details: """
        Give an unfinished transfer a fresh URL for the same bytes, as when a signed URL has expired. The new URL is \
        asked for the last 64 KiB of what is held: its length and these bytes must agree, else nothing is changed and \
        the exit status is 8. After it, resume goes on.
        """),
    Command(
      name: .cancel, operands: "ID…", operandCount: 0..<Int.max,
      summary: "end transfers and drop their partials",
      details: "End unfinished transfers, whichever process runs them, and remove their partial files."),
    Command(
      name: .remove, operands: "ID…", operandCount: 0..<Int.max,
      summary: "forget transfers and drop their partials",
      details: """
        Forget transfers and remove their partial files. A finished file stays. A transfer that another process runs \
        is ended first. With --all, every transfer that no process runs is forgotten.
        """),
    Command(
      name: .profile, operands: "add|list|show|remove NAME", operandCount: 1..<3,
      summary: "set up gateways",
      details: """
        Set up the Hermes gateways that other commands talk to. "profile add NAME --url URL" adds one to the \
        configuration, "profile list" and "profile show NAME" show what is set up, "profile remove NAME" takes one \
        away. A token is read from a file or from standard input, never from an argument; it is shown by its last \
        four characters.
        """),
    Command(
      name: .doctor, operands: "", operandCount: 0..<1,
      summary: "what this machine offers, what would fail",
      details: """
        Look at libraries, the state, the configuration, the disk, the network and the terminal, and say what would \
        fail and why. The exit status is 1 when something would.
        """),
    Command(
      name: .completion, operands: "bash|zsh|fish", operandCount: 1..<2,
      summary: "print a shell's completion script",
      details: "Print the completion script of a shell on standard output."),
    Command(
      name: .help, operands: "[COMMAND]", operandCount: 0..<2,
      summary: "show help, of one command or of all",
      details: "Show the help of a command, or of the whole."),
  ]

  static let hidden = Command(
    name: .generate, operands: "man|bash|zsh|fish", operandCount: 1..<2,
    summary: "print what the tree keeps", details: "Print a file made from the tables.")

  static func command(_ name: CommandName) -> Command { all.first { $0.name == name } ?? hidden }
}
