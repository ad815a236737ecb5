/// Every flag; the raw value is what follows the two hyphens.
enum FlagName: String, CaseIterable, Hashable, Sendable {
  case stateDir = "state-dir"
  case config, profile, json, quiet, verbose, color, progress, help, version

  case output, directory
  case inputFile = "input-file"
  case connections
  case noResume = "no-resume"
  case checksum
  case ifExists = "if-exists"
  case onChange = "on-change"
  case mirror
  case waitForDisk = "wait-for-disk"
  case priority

  case header
  case userAgent = "user-agent"
  case referer
  case bearerFile = "bearer-file"
  case user
  case passwordFile = "password-file"
  case netrc
  case netrcFile = "netrc-file"
  case cookieFile = "cookie-file"
  case proxy, cacert, cert, key, insecure
  case allowDowngrade = "allow-downgrade"
  case http1 = "http1.1"
  case http2, ipv4, ipv6, interface, resolve
  case unixSocket = "unix-socket"

  case limitRate = "limit-rate"
  case maxTransfers = "max-transfers"
  case maxPerHost = "max-per-host"
  case connectTimeout = "connect-timeout"
  case stallTimeout = "stall-timeout"
  case deadline
  case maxAttempts = "max-attempts"
  case retryMaxWait = "retry-max-wait"

  case url
  case tokenFile = "token-file"
  case tokenStdin = "token-stdin"
  case auth
  case mediaDir = "media-dir"
  case allowPlaintext = "allow-plaintext"

  case caption, kind, mime, name
  case partSize = "part-size"
  case atMostOnce = "at-most-once"
  case once, timeout, text
  case maxMessage = "max-message"
  case maxMedia = "max-media"
  case maxOpenMedia = "max-open-media"
  case maxAssembly = "max-assembly"

  case all, state
}
