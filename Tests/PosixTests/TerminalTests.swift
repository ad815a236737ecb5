import Glibc
import TestKit
import Testing

@testable import Posix

/// Both ends of a terminal that no one sits at.
private final class PseudoTerminal {
  let master: Int32
  let path: String

  init() throws(Errno) {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    // TIOCSPTLCK and TIOCGPTN of linux/ioctl_tty(2): unlockpt and ptsname are behind _GNU_SOURCE.
    guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
      throw .last
    }
    path = "/dev/pts/\(number)"
  }

  deinit { close(master) }

  func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

  func read(until end: String) -> String {
    var text = ""
    var room = [UInt8](repeating: 0, count: 256)
    while !text.hasSuffix(end) {
      let count = Glibc.read(master, &room, room.count)
      guard count > 0 else { return text }
      text += String(decoding: room[..<count], as: UTF8.self)
    }
    return text
  }
}

@Suite struct TerminalTests {
  @Test func `a terminal tells its size, a file has none`() throws {
    let pseudo = try PseudoTerminal()
    let terminal = try Files.openToRead(pseudo.path)
    #expect(Terminal.isTerminal(terminal.rawValue))
    #expect(Terminal.windowSize(terminal.rawValue) == nil, "it is 0 × 0 at first")
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(pseudo.master, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal.windowSize(terminal.rawValue) == .init(columns: 80, rows: 24))
    let file = try Files.openToRead("/dev/null")
    #expect(!Terminal.isTerminal(file.rawValue) && Terminal.windowSize(file.rawValue) == nil)
  }

  @Test func `an answer is read and not shown`() throws {
    let pseudo = try PseudoTerminal()
    let path = pseudo.path
    let answer = Guarded<String?>(nil)
    // Held open here, or the terminal would be reset when the question closes it.
    let terminal = try Files.openToRead(path)
    let thread = Thread(name: "test") {
      do {
        let line = try HiddenPrompt.ask("password: ", terminal: path)
        answer.withLock { $0 = line }
      } catch {
        Issue.record(error)
      }
    }
    #expect(pseudo.read(until: "password: ") == "password: ")
    pseudo.type("sécret\nnext")
    #expect(pseudo.read(until: "\r\n") == "\r\n")
    thread.join()
    #expect(answer.withLock { $0 } == "sécret")
    var settings = termios()
    #expect(tcgetattr(terminal.rawValue, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0)
  }

  @Test func `without a terminal there is no question`() {
    #expect(throws: Errno.notTerminal) { try HiddenPrompt.ask("?", terminal: "/dev/null") }
    #expect(throws: Errno.notFound) { try HiddenPrompt.ask("?", terminal: "/dev/missing") }
  }
}

@Suite struct LineReaderTests {
  let folder = TemporaryFolder("posix")

  private func lines(_ text: String) throws -> [String] {
    var reader = LineReader(try Files.openToRead(folder.write(text, to: "lines")))
    var lines: [String] = []
    while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(try reader.next() == nil)
    return lines
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\n\r\nb\r", ["a", "", "b"]),
    ("\n\n", ["", ""]), ("ä\nü\n", ["ä", "ü"]),
  ])
  func `lines come without their ends`(text: String, expected: [String]) throws {
    #expect(try lines(text) == expected)
  }

  @Test func `lines longer than a slice come whole`() throws {
    let expected = (0..<9).map { String(repeating: "\($0)", count: $0 * 20_000 + 1) }
    #expect(try lines(expected.joined(separator: "\n")) == expected)
  }

  @Test func `a line without end is refused`() throws {
    let path = folder.write([UInt8](repeating: 65, count: LineReader.maxLineByteCount + 65_537), to: "long")
    var reader = LineReader(try Files.openToRead(path))
    do throws(Errno) {
      _ = try reader.next()
      Issue.record("a line of more than 1 MiB was read")
    } catch {
      #expect(error == .fileTooLarge)
    }
  }

  @Test(arguments: Seeds.fromEnvironment(count: 4))
  func `whatever the cut, the lines are the file's`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bytes = (0..<100_000).map { _ in random.oneIn(1_000) ? 10 : UInt8.random(in: 32..<127, using: &random) }
    let expected = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
    var reader = LineReader(try Files.openToRead(folder.write(bytes, to: "lines")))
    var lines: [[UInt8]] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(lines == (expected.last == [] ? expected.dropLast() : expected), "seed \(seed)")
  }
}
