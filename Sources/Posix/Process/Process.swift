internal import CPosix
internal import Glibc

/// This process, and what it was told at its start.
public enum Process {
  /// Its number; the C function is `getpid`.
  public static var id: Int32 { getpid() }

  /// The user whose rights it has; the C function is `geteuid`.
  public static var userID: UInt32 { geteuid() }

  /// A variable of the environment; nil when it isn't set. The C function is `getenv`.
  public static func environment(_ name: String) -> String? {
    // Nothing of ours changes the environment, so the text stays where it is while it is copied.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// All variables of the environment; of two with one name the first counts, as for `getenv`.
  public static var environment: [String: String] {
    var variables: [String: String] = [:]
    guard var entry = unsafe hermes_environment() else { return variables }
    while let text = unsafe entry.pointee {
      let variable = unsafe String(cString: text)
      if let sign = variable.utf8.firstIndex(of: UInt8(ascii: "=")), variables[String(variable[..<sign])] == nil {
        variables[String(variable[..<sign])] = String(variable[variable.utf8.index(after: sign)...])
      }
      unsafe entry += 1
    }
    return variables
  }

  /// The user's folder: HOME, else what the system's list of users says; nil when neither knows.
  public static var homeFolder: String? {
    if let home = environment("HOME"), Paths.isAbsolute(home) { return home }
    var room = [CChar](repeating: 0, count: 16 << 10)
    var user = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    return unsafe room.withUnsafeMutableBufferPointer { room in
      guard let start = room.baseAddress, unsafe getpwuid_r(getuid(), &user, start, room.count, &found) == 0
      else { return nil }
      return unsafe found.flatMap { unsafe $0.pointee.pw_dir }.map { unsafe String(cString: $0) }
    }
  }

  /// The machine's own name, as people know it; `localhost` where it has none. The C function is `gethostname`.
  public static var hostName: String {
    var room = [CChar](repeating: 0, count: 256)
    let outcome = unsafe room.withUnsafeMutableBufferPointer { room -> Int32 in
      guard let start = room.baseAddress else { return -1 }
      return unsafe gethostname(start, room.count - 1)
    }
    let name = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return outcome == 0 && !name.isEmpty ? name : "localhost"
  }

  /// The program that runs; nil where /proc is missing.
  public static var executablePath: String? { Links.target("/proc/self/exe") }

  /// Whether a process of this number lives, whoever it belongs to. Numbers are given out again: it may be another one.
  public static func isAlive(_ id: Int32) -> Bool {
    guard id > 0 else { return false }
    return kill(id, 0) == 0 || errno == EPERM
  }

  /// How many files it may have open, now and at most; the C function is `getrlimit`.
  public static func openFileLimit() throws(Errno) -> (now: UInt64, most: UInt64) {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0 else { throw .last }
    return (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
  }

  /// Allows it as many open files as it may allow itself; the C function is `setrlimit`.
  public static func raiseOpenFileLimit() throws(Errno) {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0 else { throw .last }
    guard limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    guard unsafe setrlimit(openFiles, &limit) == 0 else { throw .last }
  }

  private static var openFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// Ends the process at once: no handler of exit(3) runs, so none can stumble over threads that still work.
  public static func exitNow(_ status: Int32) -> Never { _exit(status) }
}
