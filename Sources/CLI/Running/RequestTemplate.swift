import Core
import HermesTransfer

/// What all requests of one command share, read from its flags once.
struct RequestTemplate: Sendable {
  let folder: String
  let name: String?
  private let connections: Int?
  private let ifExists: IfExists?
  private let onChange: OnChange
  private let checksum: Checksum?
  private let mirrors: [String]
  private let resumes: Bool
  private let waitsForDisk: Bool
  private let priority: Int
  private let limits: TransferLimits
  private let network: NetworkOptions

  /// `secrets` are those that were read from files or asked for.
  @MainActor
  init(_ context: CommandContext, secrets: Secrets) throws(TransferFailure) {
    let settings = context.settings
    let folder = context.surroundings.absolute(settings.text(.directory) ?? ".")
    self.folder = folder
    name = settings.text(.output).map { context.surroundings.absolute($0, from: folder) }
    connections = settings.count(.connections)
    ifExists = settings.text(.ifExists).flatMap(IfExists.init)
    onChange = settings.text(.onChange).flatMap(OnChange.init) ?? .restart
    checksum = try Self.checksum(settings.text(.checksum))
    mirrors = settings.texts(.mirror)
    resumes = !settings.isOn(.noResume)
    waitsForDisk = settings.isOn(.waitForDisk)
    priority = settings.count(.priority) ?? 5
    limits = try Self.limits(settings)
    network = try Self.network(context, secrets)
  }

  func request(_ url: String, name: String? = nil) -> DownloadRequest {
    var request = self.name.map { DownloadRequest(url: url, output: $0) } ?? DownloadRequest(url: url, folder: folder)
    request.name = name
    request.mirrors = mirrors
    request.connections = connections
    if let ifExists { request.ifExists = ifExists }
    request.onChange = onChange
    request.checksum = checksum
    request.resumes = resumes
    request.waitsForDisk = waitsForDisk
    request.priority = priority
    request.limits = limits
    request.network = network
    return request
  }

  private static func checksum(_ text: String?) throws(TransferFailure) -> Checksum? {
    guard let text else { return nil }
    guard let checksum = Checksum(text) else {
      let names = Checksum.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw TransferFailure(
        .usage, "--checksum cannot be \"\(text)\"",
        hint: "it takes one of \(names), a colon and the digest's hexadecimal digits")
    }
    return checksum
  }

  static func limits(_ settings: Settings) throws(TransferFailure) -> TransferLimits {
    var limits = TransferLimits()
    if let seconds = settings.seconds(.connectTimeout) { limits.connectSeconds = seconds }
    if let seconds = settings.seconds(.stallTimeout) {
      guard seconds >= 1 else {
        throw TransferFailure(.usage, "--stall-timeout cannot be shorter than 1s")
      }
      limits.stallSeconds = seconds
    }
    if let seconds = settings.seconds(.deadline) { limits.deadlineSeconds = seconds }
    if let count = settings.count(.maxAttempts) { limits.maxAttempts = count }
    if let seconds = settings.seconds(.retryMaxWait) { limits.retryMaxWaitSeconds = seconds }
    return limits
  }

  @MainActor
  static func network(
    _ context: CommandContext, _ secrets: Secrets
  ) throws(TransferFailure) -> NetworkOptions {
    let settings = context.settings
    let file = { (name: FlagName) throws(TransferFailure) in
      try NetworkFlags.file(settings.text(name), context.surroundings)
    }
    var options = NetworkOptions()
    options.headers = try NetworkFlags.headers(settings.texts(.header))
    options.userAgent = settings.text(.userAgent)
    options.referer = settings.text(.referer)
    options.bearerToken = secrets.bearerToken
    options.user = settings.text(.user)
    options.password = secrets.password
    options.usesNetrc = settings.isOn(.netrc) || settings.text(.netrcFile) != nil
    options.netrcFile = try file(.netrcFile)
    options.cookieFile = try file(.cookieFile)
    options.proxy = try NetworkFlags.proxy(settings.text(.proxy))
    options.caFile = try file(.cacert)
    options.certificateFile = try file(.cert)
    options.keyFile = try file(.key)
    options.isInsecure = settings.isOn(.insecure)
    options.allowsDowngrade = settings.isOn(.allowDowngrade)
    options.httpVersion = settings.isOn(.http1) ? .http1 : settings.isOn(.http2) ? .http2 : nil
    options.addressFamily = settings.isOn(.ipv4) ? .ipv4 : settings.isOn(.ipv6) ? .ipv6 : nil
    options.interface = settings.text(.interface)
    options.resolve = try NetworkFlags.resolve(settings.texts(.resolve))
    options.unixSocket = settings.text(.unixSocket).map { context.surroundings.absolute($0) }
    return options
  }
}
