extension GatewayURL {
  private static let wordsOfSecrets = [
    "token", "secret", "password", "passwd", "auth", "apikey", "api_key", "api-key", "signature",
  ]

  /// The name of a query's item that looks like a secret's; nil when none does. URLs stand in configurations, arguments
  /// and logs: a secret has no place in them.
  public var secretItemName: String? {
    for item in (web.query ?? "").split(separator: "&") {
      let name = String(decoding: PercentText.decoded(item.prefix { $0 != "=" }), as: UTF8.self).lowercased()
      if Self.wordsOfSecrets.contains(where: name.contains) || name == "key" || name == "sig" { return name }
    }
    return nil
  }
}
