public import Core

/// One file to fetch: where from, where to, and how.
public struct DownloadRequest: Sendable {
  /// An absolute `http` or `https` URL.
  public var url: String
  /// Other places that hold the same bytes; they must agree in length, and in digest where one is known.
  public var mirrors: [String] = []
  /// The absolute path to write, or nil to take the name from the answer and put it into `folder`.
  public var output: String?
  /// The absolute path of the folder that the file goes to when `output` is nil.
  public var folder: String
  /// A name to use instead of the answer's, within `folder`; cleaned like every name from outside.
  public var name: String?
  /// 1…32, or nil to let the measured rate decide.
  public var connections: Int?
  public var ifExists: IfExists
  public var onChange: OnChange = .restart
  public var checksum: Checksum?
  /// False throws an earlier run's partial away.
  public var resumes = true
  /// Wait for room on a full disk instead of failing.
  public var waitsForDisk = false
  /// 0…9; higher goes first.
  public var priority = 5
  public var limits = TransferLimits()
  public var network = NetworkOptions()
  /// How far redirects may lead, and to which addresses.
  public var reach = Reach()
  /// Where the link came from, when the agent sent it: what it brings is for nobody else to read.
  var media: MediaOrigin?

  public init(url: String, folder: String) {
    self.url = url
    self.folder = folder
    ifExists = .rename
  }

  public init(url: String, output: String) {
    self.url = url
    self.output = output
    folder = "/"
    ifExists = .fail
  }
}

/// What to do when the target's name is taken.
public enum IfExists: String, Sendable, CaseIterable, Codable { case fail, rename, overwrite, skip }

/// What to do when the remote file changed while we were away.
public enum OnChange: String, Sendable, CaseIterable, Codable { case restart, fail }

/// A digest the finished file must have.
public struct Checksum: Sendable, Hashable, Codable {
  public enum Algorithm: String, Sendable, CaseIterable, Codable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case sha1 = "sha-1"
    case md5
  }
  public let algorithm: Algorithm
  /// Lower-case hexadecimal of the algorithm's length.
  public let hexadecimal: String

  /// Reads `sha-256:HEX`; `sha256`, `SHA-256` and upper-case digits are taken too. Nil when it is neither.
  public init?(_ text: String) {
    let pieces = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard pieces.count == 2 else { return nil }
    let name = pieces[0].lowercased().filter { $0 != "-" }
    guard let algorithm = Algorithm.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == name }) else {
      return nil
    }
    let digits = pieces[1].lowercased()
    guard digits.utf8.count == 2 * algorithm.byteCount,
      digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    self.algorithm = algorithm
    hexadecimal = digits
  }
}

extension Checksum.Algorithm {
  public var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    case .sha1: 20
    case .md5: 16
    }
  }
}

/// How long one transfer may take and how often it is tried.
public struct TransferLimits: Sendable, Hashable, Codable {
  /// Seconds to connect, TLS included.
  public var connectSeconds: Double = 30
  /// Seconds without a byte before an attempt is given up; at least 1.
  public var stallSeconds: Double = 60
  /// Seconds from acceptance to the end, by the wall clock.
  public var deadlineSeconds: Double = 7 * 86_400
  /// Attempts in a row without progress; nil for no limit.
  public var maxAttempts: Int? = 5
  /// The longest pause between two attempts, in seconds.
  public var retryMaxWaitSeconds: Double = 300

  public init() {}
}

/// libcurl's options, as far as they are ours to give.
public struct NetworkOptions: Sendable, Hashable {
  public enum HTTPVersion: String, Sendable, CaseIterable, Codable { case http1 = "1.1", http2 = "2" }
  public enum AddressFamily: String, Sendable, CaseIterable, Codable { case ipv4, ipv6 }

  /// `Name: value`; sent to the URL's own origin only. Secret.
  public var headers: [String] = []
  public var userAgent: String?
  public var referer: String?
  /// Sent as `Authorization: Bearer`. Secret.
  public var bearerToken: String?
  public var user: String?
  /// Secret.
  public var password: String?
  /// Read credentials from `~/.netrc`, or from `netrcFile`.
  public var usesNetrc = false
  public var netrcFile: String?
  public var cookieFile: String?
  /// May hold a password, so it is kept as a secret.
  public var proxy: String?
  public var caFile: String?
  public var certificateFile: String?
  public var keyFile: String?
  /// Do not check the server's certificate.
  public var isInsecure = false
  public var httpVersion: HTTPVersion?
  public var addressFamily: AddressFamily?
  public var interface: String?
  /// `host:port:address`, as curl takes it.
  public var resolve: [String] = []
  public var unixSocket: String?
  /// Follow a redirect from https to http.
  public var allowsDowngrade = false

  public init() {}

  /// Everything that says who asks.
  mutating func forgetCredentials() {
    headers = []
    bearerToken = nil
    user = nil
    password = nil
    certificateFile = nil
    keyFile = nil
  }
}
