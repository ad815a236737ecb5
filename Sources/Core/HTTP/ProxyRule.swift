/// Which proxy a request goes through, where that must be known before libcurl decides it: a proxy's address says nothing
/// of the host's.
public enum ProxyRule {
  /// - Parameters:
  ///   - given: the user's own choice; "" goes without.
  ///   - environment: the value of a variable.
  /// - Returns: nil when the host is connected to itself.
  public static func proxy(for url: WebURL, given: String?, environment: (String) -> String?) -> String? {
    guard let proxy = given ?? named(url.scheme, environment), !proxy.isEmpty else { return nil }
    let exceptions = environment("no_proxy") ?? environment("NO_PROXY") ?? ""
    return isExcepted(url.host, exceptions) ? nil : proxy
  }

  /// As in curl(1), "ENVIRONMENT": HTTP_PROXY in capitals is whatever a header "Proxy" made of it in a CGI program.
  private static func named(_ scheme: WebURL.Scheme, _ environment: (String) -> String?) -> String? {
    let names =
      scheme == .https
      ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
    for name in names { if let value = environment(name), !value.isEmpty { return value } }
    return nil
  }

  private static func isExcepted(_ host: String, _ list: String) -> Bool {
    if list == "*" { return true }
    let name = bare(host[...])
    return list.split { $0 == "," || $0 == " " }.contains { entry in
      let tail = bare(entry.drop { $0 == "." })
      return !tail.isEmpty && (name == tail || name.hasSuffix(".\(tail)"))
    }
  }

  private static func bare(_ host: Substring) -> String {
    host.filter { $0 != "[" && $0 != "]" }.lowercased()
  }
}
