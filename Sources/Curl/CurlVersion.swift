import CCurl

/// libcurl as it is loaded, for reports about the installation.
public enum CurlVersion {
  /// libcurl and what it is built on, as `curl_version` tells it: "libcurl/7.88.1 OpenSSL/3.0.17 …".
  public static var text: String {
    CurlGlobal.start()
    return unsafe String(cString: curl_version())
  }
}

/// What libcurl needs once in a process.
enum CurlGlobal {
  /// Swift runs a static's initialiser once, whatever the threads; curl_global_init(3) wants just that.
  private static let outcome: CURLcode = hermes_curl_start()

  static func start() {
    precondition(outcome == CURLE_OK, "libcurl cannot be initialised: code \(outcome.rawValue)")
  }
}
