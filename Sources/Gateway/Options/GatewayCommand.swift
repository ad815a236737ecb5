import Core

/// What a command line of `hermes-gateway` asks for.
enum GatewayCommand: Equatable {
  case serve(GatewayOptions)
  case help
  case version

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - token: what the environment says of it; a file comes before it.
  init(_ arguments: [String], token: String? = nil) throws(UsageError) {
    var options = GatewayOptions(mediaFolder: "")
    try options.take(token: token)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let (flag, inlineValue) = try Self.flag(argument)
      switch flag {
      case .help: self = .help
      case .version: self = .version
      default:
        try options.apply(flag, Self.value(of: flag, inlineValue, &rest))
        continue
      }
      return
    }
    self = .serve(try options.checked())
  }

  /// Splits `--name=value`.
  private static func flag(_ argument: String) throws(UsageError) -> (GatewayFlag, String?) {
    let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let flag = GatewayFlag.allCases.first(where: { $0.name == halves[0] }) else {
      throw UsageError("unknown argument '\(argument)'; see hermes-gateway --help")
    }
    return (flag, halves.count == 2 ? halves[1] : nil)
  }

  private static func value(
    of flag: GatewayFlag, _ inline: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let name = flag.valueName else {
      guard inline == nil else { throw UsageError("\(flag.name) takes no value") }
      return ""
    }
    guard let value = inline ?? rest.popFirst() else { throw UsageError("\(flag.name) needs a value: \(name)") }
    return value
  }
}

/// A command line that can't be followed, in one line.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension GatewayOptions {
  fileprivate mutating func apply(_ flag: GatewayFlag, _ value: String) throws(UsageError) {
    switch flag {
    case .listen: listenAddress = value
    case .port:
      guard let port = UInt16(value) else { throw UsageError("port '\(value)' is not a number from 0 to 65535") }
      self.port = port
    case .mediaDir: mediaFolder = value
    case .tokenFile: tokenFile = value
    case .limitRate: bytesPerSecond = try Self.rate(value)
    case .deviceTokens: deviceTokenFile = value
    case .share: sharesWithAll = true
    case .noEcho: echoes = false
    case .floor: speaksFloorOnly = true
    case .inlineMax: inlineByteCount = try Self.byteCount(value)
    case .partSize: partByteCount = try Self.partByteCount(value)
    case .maxMedia: limits.mediaByteCount = try Self.byteCount(value)
    case .baseURL: baseURL = try Self.baseURL(value)
    case .digest: sendsDigest = true
    case .fault:
      do { faults.append(try FaultSpec(value)) } catch { throw UsageError(error.description) }
    case .quiet: isQuiet = true
    case .help, .version: break  // the caller has answered these
    }
  }

  /// Refuses what must not be served: no folder, or strangers without a token.
  fileprivate func checked() throws(UsageError) -> GatewayOptions {
    guard !mediaFolder.isEmpty else { throw UsageError("--media-dir DIR is missing") }
    guard let address = ListenAddress(listenAddress, port: port) else {
      throw UsageError("'\(listenAddress)' is not a numeric address, such as 127.0.0.1 or ::1")
    }
    guard address.isLoopback || asksForToken else {
      throw UsageError("cannot listen on \(listenAddress): \(ListenAddress.needsToken)")
    }
    return self
  }

  fileprivate mutating func take(token text: String?) throws(UsageError) {
    guard let text, !text.isEmpty else { return }
    guard let token = BearerToken(text) else { throw UsageError("HERMES_GATEWAY_TOKEN is not a token") }
    self.token = token
  }

  private static func byteCount(_ text: String) throws(UsageError) -> Int64 {
    do { return try Quantity.byteCount(reading: text) } catch { throw UsageError("size '\(text)' is \(error.message)") }
  }

  /// A multiple of 3, so that no padding falls inside the joined base64, that fits into a message once encoded.
  private static func partByteCount(_ text: String) throws(UsageError) -> Int {
    let byteCount = try byteCount(text)
    guard (3...Int64(11 << 20)).contains(byteCount) else {
      throw UsageError("part size '\(text)' is not from 3 bytes to 11M")
    }
    return Int(byteCount / 3 * 3)
  }

  private static func baseURL(_ text: String) throws(UsageError) -> String {
    guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
      throw UsageError("base URL '\(text)' does not begin with http:// or https://")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// `500`, `64k`, `1.5M`, `2MB`, each perhaps with `/s`.
  private static func rate(_ text: String) throws(UsageError) -> Int64 {
    let units: [(String, Double)] = [
      ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("k", 0x1p10), ("M", 0x1p20), ("G", 0x1p30), ("", 1),
    ]
    let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
    let (suffix, factor) = units.first { size.hasSuffix($0.0) } ?? ("", 1)
    guard let number = Double(size.dropLast(suffix.utf8.count)), number * factor >= 1, number * factor < 0x1p50 else {
      throw UsageError("rate '\(text)' is not a number of bytes a second, such as 500k or 2MB")
    }
    return Int64(number * factor)
  }
}
