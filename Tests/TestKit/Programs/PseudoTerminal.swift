import Glibc

/// A terminal for a program to run on; what it writes there is collected by a thread.
public final class PseudoTerminal: Sendable {
  private let master: Int32
  /// Held open, so that it keeps its settings when the program ends.
  private let slave: Int32
  /// The program's end.
  public let path: String
  private let received = Guarded<[UInt8]>([])

  public init() {
    var (ours, theirs): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    precondition(openpty(&ours, &theirs, &name, nil, nil) == 0, "no pseudo terminal")
    // Programs that other tests start at this moment must not hold it open.
    for one in [ours, theirs] { _ = fcntl(one, F_SETFD, FD_CLOEXEC) }
    (master, slave) = (ours, theirs)
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    startThread { [master, received] in
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(master, &chunk, chunk.count)
        if count <= 0 { return }
        received.withLock { $0 += chunk[..<count] }
      }
    }
  }

  /// Types at its keyboard.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// All that was written to it.
  public var shown: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

  /// Whether it shows what is typed and hands it over in lines, as a shell leaves it.
  public var isAsUsual: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
      && settings.c_lflag & tcflag_t(ICANON) != 0
  }
}
