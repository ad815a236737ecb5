import FoundationEssentials
import Core

/// A request's options as the state keeps them: this part in the database, `RequestSecrets` in a file of their own.
struct RequestOptions: Codable, Sendable, Hashable {
  // Nil stands for the default: the usual record holds none of them.
  var connections: Int?
  var ifExists: IfExists?
  var onChange: OnChange?
  var checksum: Checksum?
  var waitsForDisk: Bool?
  var limits: TransferLimits?
  var userAgent: String?
  var referer: String?
  var user: String?
  var usesNetrc: Bool?
  var netrcFile: String?
  var cookieFile: String?
  var caFile: String?
  var certificateFile: String?
  var keyFile: String?
  var isInsecure: Bool?
  var httpVersion: NetworkOptions.HTTPVersion?
  var addressFamily: NetworkOptions.AddressFamily?
  var interface: String?
  var resolve: [String]?
  var unixSocket: String?
  var allowsDowngrade: Bool?
  var reach: Reach?
  var media: MediaOrigin?

  init(_ request: DownloadRequest) {
    connections = request.connections
    ifExists = request.ifExists == .rename ? nil : request.ifExists
    onChange = request.onChange == .restart ? nil : request.onChange
    checksum = request.checksum
    waitsForDisk = request.waitsForDisk ? true : nil
    limits = request.limits == TransferLimits() ? nil : request.limits
    let network = request.network
    userAgent = network.userAgent
    referer = network.referer
    user = network.user
    usesNetrc = network.usesNetrc ? true : nil
    netrcFile = network.netrcFile
    cookieFile = network.cookieFile
    caFile = network.caFile
    certificateFile = network.certificateFile
    keyFile = network.keyFile
    isInsecure = network.isInsecure ? true : nil
    httpVersion = network.httpVersion
    addressFamily = network.addressFamily
    interface = network.interface
    resolve = network.resolve.isEmpty ? nil : network.resolve
    unixSocket = network.unixSocket
    allowsDowngrade = network.allowsDowngrade ? true : nil
    reach = request.reach == Reach() ? nil : request.reach
    media = request.media
  }

  func apply(to request: inout DownloadRequest) {
    request.connections = connections
    request.ifExists = ifExists ?? .rename
    request.onChange = onChange ?? .restart
    request.checksum = checksum
    request.waitsForDisk = waitsForDisk ?? false
    request.limits = limits ?? TransferLimits()
    request.network.userAgent = userAgent
    request.network.referer = referer
    request.network.user = user
    request.network.usesNetrc = usesNetrc ?? false
    request.network.netrcFile = netrcFile
    request.network.cookieFile = cookieFile
    request.network.caFile = caFile
    request.network.certificateFile = certificateFile
    request.network.keyFile = keyFile
    request.network.isInsecure = isInsecure ?? false
    request.network.httpVersion = httpVersion
    request.network.addressFamily = addressFamily
    request.network.interface = interface
    request.network.resolve = resolve ?? []
    request.network.unixSocket = unixSocket
    request.network.allowsDowngrade = allowsDowngrade ?? false
    request.reach = reach ?? Reach()
    request.media = media
  }

  func json() -> String { text(of: self) }

  init?(json: String) {
    do { self = try JSONDecoder().decode(RequestOptions.self, from: Data(json.utf8)) } catch { return nil }
  }
}

/// What must not stand in the database: kept in a 0600 file while the transfer is there.
struct RequestSecrets: Codable, Sendable, Hashable {
  /// The whole URL, when it has a query, a user or a password.
  var url: String?
  var mirrors: [String]?
  var headers: [String]?
  var bearerToken: String?
  var password: String?
  var proxy: String?

  init(_ request: DownloadRequest, isURLSecret: Bool) {
    url = isURLSecret ? request.url : nil
    mirrors = request.mirrors.isEmpty ? nil : request.mirrors
    headers = request.network.headers.isEmpty ? nil : request.network.headers
    bearerToken = request.network.bearerToken
    password = request.network.password
    proxy = request.network.proxy
  }

  var isEmpty: Bool {
    url == nil && mirrors == nil && headers == nil && bearerToken == nil && password == nil && proxy == nil
  }

  func apply(to request: inout DownloadRequest) {
    if let url { request.url = url }
    request.mirrors = mirrors ?? []
    request.network.headers = headers ?? []
    request.network.bearerToken = bearerToken
    request.network.password = password
    request.network.proxy = proxy
  }

  func bytes() -> [UInt8] { Array(text(of: self).utf8) }

  init?(bytes: [UInt8]) {
    do { self = try JSONDecoder().decode(RequestSecrets.self, from: Data(bytes)) } catch { return nil }
  }
}

private func text(of value: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  // Encoding plain values of our own cannot fail; an infinite number, the one exception, is refused by the flags.
  do { return String(decoding: try encoder.encode(value), as: UTF8.self) } catch { return "{}" }
}
