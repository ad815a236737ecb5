import Posix

/// Who may come in: with one token for all, and with tokens that are bound to a device each.
struct TokenBook: Sendable {
  private let common: BearerToken?
  private let ofDevices: [String: BearerToken]

  init(common: BearerToken? = nil, ofDevices: [String: BearerToken] = [:]) {
    self.common = common
    self.ofDevices = ofDevices
  }

  /// Reads the files that the options name.
  init(_ options: GatewayOptions) throws(GatewayError) {
    common = try options.tokenFile.map(BearerToken.init(file:)) ?? options.token
    ofDevices = try options.deviceTokenFile.map(Self.deviceTokens) ?? [:]
  }

  /// Nothing is asked for.
  var isOpen: Bool { common == nil && ofDevices.isEmpty }

  /// Whether some device or request may show this.
  func knows(_ shown: String) -> Bool {
    // Every token is compared, so that the time taken tells nothing about which came close.
    var isKnown = common?.equals(shown) ?? false
    for token in ofDevices.values where token.equals(shown) { isKnown = true }
    return isKnown
  }

  /// Whether a request for a file may be answered.
  func admits(_ head: RequestHead) -> Bool {
    let shown = head.shownTokens
    return isOpen || !shown.isEmpty && shown.allSatisfy(knows)
  }

  /// Whether a device may come in with what it has shown: a device that has its own token shows no other.
  func admits(device: String, showing shown: [String]) -> Bool {
    if isOpen { return true }
    guard let expected = ofDevices[device] ?? common else { return false }
    return !shown.isEmpty && shown.allSatisfy(expected.equals)
  }

  /// Reads `device_id=token` lines; blank ones and those that begin with `#` say nothing.
  private static func deviceTokens(_ path: String) throws(GatewayError) -> [String: BearerToken] {
    var tokens: [String: BearerToken] = [:]
    let lines = try privateText(path).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.map(\.withoutOuterSpace).enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, case let device = halves[0].withoutOuterSpace, !device.isEmpty,
        let token = BearerToken(halves[1].withoutOuterSpace)
      else { throw .tokenFile(path, cause: "line \(index + 1) is not device_id=token") }
      guard tokens.updateValue(token, forKey: device) == nil else {
        throw .tokenFile(path, cause: "line \(index + 1) names a device again")
      }
    }
    guard !tokens.isEmpty else { throw .tokenFile(path, cause: "it names no device") }
    return tokens
  }

  /// A file that only its owner may read.
  private static func privateText(_ path: String) throws(GatewayError) -> String {
    do {
      let file = try Files.openToRead(path)
      let status = try file.status()
      guard status.mode & 0o077 == 0, status.ownerID == Process.userID else {
        throw GatewayError.tokenFile(path, cause: "others may read it: make it yours, with mode 0600")
      }
      return String(decoding: try file.readAll(maxByteCount: 1 << 20), as: UTF8.self)
    } catch let error as Errno {
      throw .tokenFile(path, cause: error.description)
    } catch let error as GatewayError {
      throw error
    } catch {
      throw .tokenFile(path, cause: "\(error)")
    }
  }
}

extension RequestHead {
  /// The tokens that a request shows: as Authorization: Bearer and as the query item `token`.
  var shownTokens: [String] {
    [value("authorization").map { BearerToken.shown(in: $0) ?? "" }, queryItem("token")].compactMap(\.self)
  }
}
