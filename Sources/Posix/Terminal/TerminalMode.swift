internal import CPosix
internal import Glibc
internal import Synchronization

/// A terminal as it was, and as it is now.
private struct ChangedTerminal {
  var descriptor: Int32
  var before: termios
  var now: termios
}

/// The address of the one that is changed, 0 when none is. A signal handler may read it at any moment, on any thread: what it points
/// to is written before and never freed, a hundred bytes a change.
private let changedTerminal = Atomic<UInt>(0)

/// A terminal that shows nothing of what is typed, or hands over every key, until it is put back: at the end of the
/// program too, whatever ends it.
public enum TerminalMode {
  /// Turns xterm's bracketed paste on and off.
  public static let pasteMarksOn = "\u{1B}[?2004h"
  public static let pasteMarksOff = "\u{1B}[?2004l"

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
    let address = changedTerminal.exchange(0, ordering: .acquiringAndReleasing)
    guard let changed = unsafe UnsafeMutablePointer<ChangedTerminal>(bitPattern: address) else { return }
    // A terminal that is gone needs nothing.
    _ = unsafe tcsetattr(changed.pointee.descriptor, TCSADRAIN, &changed.pointee.before)
  }

  /// Stops the program as Control-Z does; it returns when the program goes on.
  public static func suspend() { raise(SIGTSTP) }

  private static func change(_ descriptor: Int32, _ change: (inout termios) -> Void) throws(Errno) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw .last }
    let changed = UnsafeMutablePointer<ChangedTerminal>.allocate(capacity: 1)
    unsafe changed.initialize(to: ChangedTerminal(descriptor: descriptor, before: settings, now: settings))
    unsafe change(&changed.pointee.now)
    changedTerminal.store(UInt(bitPattern: changed), ordering: .releasing)
    if unsafe tcsetattr(descriptor, TCSADRAIN, &changed.pointee.now) == 0 { return }
    let error = Errno.last
    changedTerminal.store(0, ordering: .releasing)
    throw error
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
    TerminalMode.setBefore()
    signal(number, SIG_DFL)
    raise(number)
  }

  private static var changed: UnsafeMutablePointer<ChangedTerminal>? {
    unsafe UnsafeMutablePointer(bitPattern: changedTerminal.load(ordering: .acquiring))
  }

  private static func setBefore() {
    guard let changed = unsafe changed else { return }
    _ = unsafe tcsetattr(changed.pointee.descriptor, TCSANOW, &changed.pointee.before)
  }

  private static let stopping: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    TerminalMode.setBefore()
    signal(number, SIG_DFL)
    raise(number)
    // Here the program goes on, and its window is drawn anew.
    if let changed = unsafe TerminalMode.changed {
      _ = unsafe tcsetattr(changed.pointee.descriptor, TCSANOW, &changed.pointee.now)
    }
    TerminalMode.install(number, TerminalMode.stopping)
    raise(SIGWINCH)
    errno = saved
  }
}
