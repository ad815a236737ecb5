import Glibc
import Testing

/// The executables of this build: they stand beside the tests' own.
public enum Binary {
  /// Whether the build has the thread sanitizer in it, which holds signals back until it sees fit.
  public static let holdsSignalsBack = dlsym(nil, "__tsan_init") != nil
  /// Whether it has this or the address sanitizer.
  public static let isSanitised = holdsSignalsBack || dlsym(nil, "__asan_init") != nil

  /// The path of `hermes-transfer` or `hermes-gateway`.
  public static func path(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/\(name)"
  }
}

/// One user's world for one test: a home, a state folder and a folder for what is fetched, gone afterwards.
public final class Sandbox: Sendable {
  public let root: TemporaryFolder
  /// Where programs run and files go.
  public let folder: String
  /// What every program of this sandbox gets, beside what a call adds.
  public let environment: [String: String]

  public init(_ label: String = "sandbox") {
    root = TemporaryFolder(label)
    folder = root.folder("downloads")
    root.folder("home")
    root.folder("state")
    var environment = [
      "HOME": root.path("home"), "XDG_STATE_HOME": root.path("state"), "XDG_CONFIG_HOME": root.path("home/.config"),
      "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no",
    ]
    // Sanitised builds and toolchains outside the system's folders need these.
    for name in ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    self.environment = environment
  }

  /// The absolute path of a name in the folder for what is fetched.
  public func path(_ name: String) -> String { "\(folder)/\(name)" }
  /// The state folder of `hermes-transfer`.
  public var stateFolder: String { root.path("state/hermes-transfer") }
  /// The names in the folder for what is fetched, hidden ones too.
  public var names: [String] { TestFiles.names(in: folder) }
  /// The names of partials there.
  public var partNames: [String] { names.filter { $0.hasSuffix(".hermes-part") } }

  /// Starts `hermes-transfer`, or another program of this build, and lets it run.
  public func start(
    program: String = "hermes-transfer", _ arguments: [String], environment more: [String: String] = [:],
    input: String = "", terminal: PseudoTerminal? = nil
  ) -> RunningProgram {
    RunningProgram(
      Binary.path(program), arguments, environment: environment.merging(more) { $1 }, folder: folder,
      input: Array(input.utf8), terminal: terminal)
  }

  /// Runs `hermes-transfer` to its end.
  public func run(
    _ arguments: String..., environment more: [String: String] = [:], input: String = "", seconds: Double = 120,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ProgramResult {
    await start(arguments, environment: more, input: input).wait(seconds: seconds, sourceLocation: sourceLocation)
  }
}

/// Lets only so many tests that start programs run at once: two cores time out under a hundred.
public struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }
  private static let turnstile = Turnstile(places: 6)

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turnstile.enter()
    do {
      try await function()
    } catch {
      await Self.turnstile.leave()
      throw error
    }
    await Self.turnstile.leave()
  }
}

extension Trait where Self == FewAtOnce {
  /// Lets only six such tests run at once.
  public static var fewAtOnce: FewAtOnce { FewAtOnce() }
}

/// Lets so many in, the rest in the order they came.
actor Turnstile {
  private var freePlaces: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { freePlaces = places }

  func enter() async {
    if freePlaces > 0 {
      freePlaces -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      freePlaces += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
