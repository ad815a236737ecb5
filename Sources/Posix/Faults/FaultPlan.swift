#if DEBUG
  internal import Glibc

  /// Calls of the system that fail on purpose; in debug builds only.
  ///
  /// A plan sees what happens below its folder, on whatever thread, so tests that run side by side with a folder each
  /// do not disturb one another.
  public final class FaultPlan: Sendable {
    /// One named fault. Calls are counted from 1, each attempt that follows an interruption too.
    public enum Fault: Sendable {
      /// The n-th call fails.
      case fail(Syscall, with: Errno, onCall: Int)
      /// The n-th call and all after it fail.
      case failAll(Syscall, with: Errno, fromCall: Int)
      /// The n-th call reads or writes no more than this.
      case short(Syscall, byteCount: Int, onCall: Int)
    }

    enum Outcome {
      case none
      case fail(Errno)
      case short(Int)
    }

    private struct Progress {
      var callCounts: [Syscall: Int] = [:]
      var hitCount = 0
    }

    private let faults: [Fault]
    private let folder: String
    private let progress = Guarded(Progress())
    private static let plans = Guarded<[FaultPlan]>([])

    private init(_ faults: [Fault], below folder: String) {
      self.faults = faults
      self.folder = Self.resolved(folder)
    }

    /// How often a call was made below the folder.
    public func callCount(_ call: Syscall) -> Int { progress.withLock { $0.callCounts[call] ?? 0 } }

    /// How many calls were disturbed: a test whose faults never struck proves nothing.
    public var hitCount: Int { progress.withLock { $0.hitCount } }
  }

  extension FaultPlan {
    /// Has the faults in force while `body` runs.
    @discardableResult
    public static func enforce<Result, Failure: Error>(
      _ faults: [Fault], below folder: String, _ body: (FaultPlan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let plan = FaultPlan(faults, below: folder)
      plans.withLock { $0.append(plan) }
      defer { plans.withLock { $0.removeAll { $0 === plan } } }
      return try body(plan)
    }

    /// Has the faults in force while the asynchronous `body` runs.
    @discardableResult
    public static func enforce<Result, Failure: Error>(
      _ faults: [Fault], below folder: String, isolation: isolated (any Actor)? = #isolation,
      _ body: (FaultPlan) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
      let plan = FaultPlan(faults, below: folder)
      plans.withLock { $0.append(plan) }
      defer { plans.withLock { $0.removeAll { $0 === plan } } }
      return try await body(plan)
    }

    /// What shall become of this call.
    static func outcome(of call: Syscall, _ subject: () -> SyscallSubject) -> Outcome {
      let active = plans.withLock { $0 }
      guard !active.isEmpty, let path = path(of: subject()) else { return .none }
      for plan in active where plan.covers(path) {
        if let outcome = plan.next(call) { return outcome }
      }
      return .none
    }

    private func covers(_ path: String) -> Bool {
      path == folder || path.utf8.starts(with: "\(folder)/".utf8)
    }

    private func next(_ call: Syscall) -> Outcome? {
      progress.withLock { progress in
        let number = (progress.callCounts[call] ?? 0) + 1
        progress.callCounts[call] = number
        for fault in faults {
          guard let outcome = fault.outcome(of: call, number: number) else { continue }
          progress.hitCount += 1
          return outcome
        }
        return nil
      }
    }

    private static func path(of subject: SyscallSubject) -> String? {
      switch subject {
      case .path(let path): path
      case .descriptor(let descriptor): Links.target("/proc/self/fd/\(descriptor)")
      case .entry(_, let name) where Paths.isAbsolute(name): name
      case .entry(let folder, let name): Links.target("/proc/self/fd/\(folder)").map { "\($0)/\(name)" }
      }
    }

    /// Links in the folder's own path resolved, as the kernel tells the paths of descriptors.
    private static func resolved(_ folder: String) -> String {
      guard let path = unsafe realpath(folder, nil) else { return folder }
      defer { unsafe free(path) }
      return unsafe String(cString: path)
    }
  }

  extension FaultPlan.Fault {
    fileprivate func outcome(of call: Syscall, number: Int) -> FaultPlan.Outcome? {
      switch self {
      case .fail(call, let error, number): .fail(error)
      case .failAll(call, let error, let first) where number >= first: .fail(error)
      case .short(call, let byteCount, number): .short(byteCount)
      default: nil
      }
    }
  }
#endif
