internal import CPosix
internal import Glibc

/// What posix_spawn(3) is told before it starts a program.
@safe final class SpawnSetup {
  private let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
  private let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
  /// The child's ends of pipes; closed here once it has them.
  private var theirs: [Int32] = []

  init() {
    unsafe posix_spawn_file_actions_init(actions)
    unsafe posix_spawnattr_init(attributes)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(attributes, &none)
    var pipe = none
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(attributes, &pipe)
    unsafe posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  }

  deinit {
    for end in theirs { _ = close(end) }
    unsafe posix_spawnattr_destroy(attributes)
    unsafe posix_spawn_file_actions_destroy(actions)
    unsafe attributes.deallocate()
    unsafe actions.deallocate()
  }

  func start(in folder: String) throws(Errno) {
    try Syscalls.refuseNUL(in: folder)
    try check(unsafe posix_spawn_file_actions_addchdir_np(actions, folder))
  }

  /// Makes a stream what it shall be; gives our end of a pipe.
  func arrange(_ stream: ChildProcess.Stream, as number: Int32) throws(Errno) -> Descriptor? {
    switch stream {
    case .inherited:
      return nil
    case .nowhere:
      try open("/dev/null", as: number)
      return nil
    case .file(let path):
      try Syscalls.refuseNUL(in: path)
      try open(path, as: number)
      return nil
    case .pipe:
      return try makePipe(as: number)
    }
  }

  private func open(_ path: String, as number: Int32) throws(Errno) {
    let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
    try check(unsafe posix_spawn_file_actions_addopen(actions, number, path, flags, 0o600))
  }

  private func makePipe(as number: Int32) throws(Errno) -> Descriptor {
    var ends: (read: Int32, write: Int32) = (-1, -1)
    let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
      unsafe pipe2(ends.baseAddress?.assumingMemoryBound(to: Int32.self), O_CLOEXEC)
    }
    guard result == 0 else { throw .last }
    let (our, their) = number == 0 ? (ends.write, ends.read) : (ends.read, ends.write)
    theirs.append(their)
    let end = Descriptor(owning: our)
    try check(unsafe posix_spawn_file_actions_adddup2(actions, their, number))
    return end
  }

  /// Starts the program and gives its number.
  func spawn(_ path: String, _ arguments: [String], _ environment: [String: String]?) throws(Errno) -> Int32 {
    try Syscalls.refuseNUL(in: path)
    let words = try CStrings([path] + arguments)
    let variables = try environment.map { (variables) throws(Errno) in
      try CStrings(variables.map { "\($0.key)=\($0.value)" })
    }
    var id: pid_t = 0
    let pointers = unsafe variables?.pointers ?? hermes_environment()
    let result = unsafe posix_spawn(&id, path, actions, attributes, words.pointers, pointers)
    // The texts must stay until the child has them.
    withExtendedLifetime((words, variables)) {}
    try check(result)
    return id
  }

  private func check(_ result: Int32) throws(Errno) {
    guard result == 0 else { throw Errno(rawValue: result) }
  }
}

/// Texts as execve(2) takes them: an array of pointers with a nil at its end.
@safe private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) throws(Errno) {
    for text in texts { try Syscalls.refuseNUL(in: text) }
    count = texts.count
    unsafe pointers = .allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { unsafe (pointers + index).initialize(to: strdup(text)) }
    unsafe (pointers + texts.count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
}
