internal import CPosix
internal import Glibc

/// How a terminal was before the program changed it, plain memory that a signal handler may read: it is written while no
/// handler can run for it.
private nonisolated(unsafe) var savedSettings = termios()
private nonisolated(unsafe) var changedSettings = termios()
private nonisolated(unsafe) var savedDescriptor: Int32 = -1

/// A terminal that shows nothing of what is typed, or hands over every key, until it is put back: at the end of the
/// program too, whatever ends it.
public enum TerminalMode {
  /// Turns xterm's bracketed paste on and off.
  public static let pasteMarksOn = "\u{1B}[?2004h"
  public static let pasteMarksOff = "\u{1B}[?2004l"

  private static let lock = Guarded(())

  /// Nothing that is typed shows; lines come as usual.
  static func hideTyping(_ descriptor: Int32) throws(Errno) {
    try change(descriptor) { $0.c_lflag &= ~tcflag_t(ECHO) }
  }

  /// Every key comes at once and as it is; what is written is still ended by line feeds.
  public static func takeKeys(_ descriptor: Int32) throws(Errno) {
    try change(descriptor) {
      $0.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
      $0.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    }
    for number in endings { install(number, ending) }
    install(SIGTSTP, stopping)
  }

  /// Puts the terminal back; nothing happens when it is as it was.
  public static func restore() {
    lock.withLock { _ in
      guard unsafe savedDescriptor >= 0 else { return }
      // A terminal that is gone needs nothing.
      _ = unsafe tcsetattr(savedDescriptor, TCSADRAIN, &savedSettings)
      unsafe savedDescriptor = -1
    }
  }

  /// Stops the program as Control-Z does; it returns when the program goes on.
  public static func suspend() { raise(SIGTSTP) }

  private static func change(_ descriptor: Int32, _ change: (inout termios) -> Void) throws(Errno) {
    try lock.withLock { (_) throws(Errno) in
      var settings = termios()
      guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .last }
      unsafe savedSettings = settings
      change(&settings)
      unsafe changedSettings = settings
      unsafe savedDescriptor = descriptor
      if unsafe tcsetattr(descriptor, TCSADRAIN, &settings) == 0 { return }
      let error = Errno.last
      unsafe savedDescriptor = -1
      throw error
    }
  }

  // MARK: Signals

  /// What ends a program that has gone wrong.
  private static let endings = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

  private static func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    action.sa_flags = SA_RESTART | SA_NODEFER
    unsafe sigaction(number, &action, nil)
  }

  /// tcsetattr(3) and raise(3) are among the functions that may be called here (signal-safety(7)).
  private static let ending: @convention(c) (Int32) -> Void = { number in
    if unsafe savedDescriptor >= 0 { _ = unsafe tcsetattr(savedDescriptor, TCSANOW, &savedSettings) }
    signal(number, SIG_DFL)
    raise(number)
  }

  private static let stopping: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    if unsafe savedDescriptor >= 0 { _ = unsafe tcsetattr(savedDescriptor, TCSANOW, &savedSettings) }
    signal(number, SIG_DFL)
    raise(number)
    // Here the program goes on, and its window is drawn anew.
    if unsafe savedDescriptor >= 0 { _ = unsafe tcsetattr(savedDescriptor, TCSANOW, &changedSettings) }
    TerminalMode.install(number, TerminalMode.stopping)
    raise(SIGWINCH)
    errno = saved
  }
}
