internal import Glibc

/// Our ends of the pipes to a child. One thread at a time uses them.
struct ChildPipes: ~Copyable, Sendable {
  let input: Guarded<Int32?>
  let output: Guarded<Int32?>
  let error: Guarded<Int32?>

  init(input: consuming Descriptor?, output: consuming Descriptor?, error: consuming Descriptor?) {
    self.input = Guarded(Self.release(input))
    self.output = Guarded(Self.release(output))
    self.error = Guarded(Self.release(error))
  }

  deinit { for end in [input, output, error] { Self.close(end) } }

  private static func release(_ descriptor: consuming Descriptor?) -> Int32? {
    guard let descriptor else { return nil }
    return descriptor.release()
  }

  static func close(_ end: Guarded<Int32?>) {
    end.withLock { end in
      if let number = end { _ = Glibc.close(number) }
      end = nil
    }
  }
}

extension ChildProcess {
  /// What it wrote to its pipes.
  public struct Output: Hashable, Sendable {
    public var output: [UInt8] = []
    public var error: [UInt8] = []
    /// Whether there was more than was kept.
    public var isCut = false
  }

  /// Gives it its input, ends that, and reads both outputs to their ends, all at the same time; of each at most
  /// `maxByteCount` bytes are kept. Streams that are no pipes are left alone.
  public func communicate(input bytes: [UInt8] = [], maxByteCount: Int = 64 << 20) throws(Errno) -> Output {
    var result = Output()
    var rest = bytes[...]
    var slice = [UInt8](repeating: 0, count: 64 << 10)
    if rest.isEmpty { ChildPipes.close(pipes.input) }
    while let ready = try waitUntilReady() {
      if ready.input { try feed(&rest) }
      if ready.output { try drain(pipes.output, &slice, &result.output, maxByteCount, &result.isCut) }
      if ready.error { try drain(pipes.error, &slice, &result.error, maxByteCount, &result.isCut) }
    }
    return result
  }

  /// Which pipes can go on; nil when all are closed.
  private func waitUntilReady() throws(Errno) -> (input: Bool, output: Bool, error: Bool)? {
    // A negative number is left alone by poll(2).
    var watched = [(pipes.input, POLLOUT), (pipes.output, POLLIN), (pipes.error, POLLIN)].map { end, event in
      pollfd(fd: end.withLock { $0 } ?? -1, events: Int16(event), revents: 0)
    }
    guard watched.contains(where: { $0.fd >= 0 }) else { return nil }
    while unsafe Glibc.poll(&watched, 3, -1) < 0 { guard errno == EINTR else { throw .last } }
    return (watched[0].revents != 0, watched[1].revents != 0, watched[2].revents != 0)
  }

  private func feed(_ rest: inout ArraySlice<UInt8>) throws(Errno) {
    guard let end = pipes.input.withLock({ $0 }) else { return }
    do throws(Errno) {
      // A ready pipe takes PIPE_BUF bytes without waiting (pipe(7)); more might wait for ever for a child that waits
      // for us.
      let piece = Array(rest.prefix(Int(PIPE_BUF)))
      rest = rest.dropFirst(try BrokenPipe.write(piece, to: end))
    } catch .brokenPipe {
      rest = []  // it doesn't want to know
    }
    if rest.isEmpty { ChildPipes.close(pipes.input) }
  }

  private func drain(
    _ end: Guarded<Int32?>, _ slice: inout [UInt8], _ bytes: inout [UInt8], _ maxByteCount: Int, _ isCut: inout Bool
  ) throws(Errno) {
    guard let number = end.withLock({ $0 }) else { return }
    let count = try unsafe slice.withUnsafeMutableBufferPointer { (room) throws(Errno) -> Int in
      try unsafe Syscalls.read(number, into: UnsafeMutableRawBufferPointer(room))
    }
    if count == 0 { return ChildPipes.close(end) }
    let kept = min(count, maxByteCount - bytes.count)
    bytes += slice[..<kept]
    if kept < count { isCut = true }
  }
}

/// Writing to a pipe whose reader may be gone, without a SIGPIPE that would end a process that doesn't ignore it.
private enum BrokenPipe {
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) -> Int {
    var pipe = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    do throws(Errno) {
      return try unsafe bytes.span.withUnsafeBytes { (bytes) throws(Errno) -> Int in
        try unsafe Syscalls.write(descriptor, bytes)
      }
    } catch {
      // The signal is for this thread (signal(7)) and waits: taken away before it is let through.
      var now = timespec()
      if error == .brokenPipe { _ = unsafe sigtimedwait(&pipe, nil, &now) }
      throw error
    }
  }
}
