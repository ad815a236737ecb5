/// What a command line of `hermes-gateway` asks for.
enum GatewayCommand: Equatable {
  case serve(GatewayOptions)
  case help
  case version

  /// - Parameter arguments: without the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    var options = GatewayOptions(mediaFolder: "")
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
    guard address.isLoopback || tokenFile != nil else {
      throw UsageError("cannot listen on \(listenAddress): \(ListenAddress.needsToken)")
    }
    return self
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
