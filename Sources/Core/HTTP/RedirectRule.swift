/// Where a redirect leads, and whether we go (RFC 9110 §15.4); requests are GETs, so all five statuses are alike.
public enum RedirectRule {
  public enum Verdict: Hashable, Sendable {
    /// Credentials and headers of the user's own go along only when `keepsCredentials` says so.
    case follow(WebURL, keepsCredentials: Bool)
    case refuse(TransferFailure)
  }

  /// As in curl's manual for --max-redirs browsers allow 20 or more; a file server that needs over ten is looping.
  public static let maxHops = 10

  /// - Parameters:
  ///   - from: the URL that was asked.
  ///   - hops: how many redirects were followed before this one.
  ///   - allowsDowngrade: whether https may lead to http.
  ///   - reach: how many redirects are followed at most, and to which addresses.
  public static func apply(
    from: WebURL, status: Int, location: String, hops: Int, allowsDowngrade: Bool, reach: Reach = Reach()
  ) -> Verdict {
    guard [301, 302, 303, 307, 308].contains(status) else {
      return refuse(.protocolViolation, "server answered \(status), which is no redirect")
    }
    guard !location.isEmpty else {
      return refuse(.protocolViolation, "server answered \(status) without saying where to go")
    }
    guard hops < reach.maxRedirects else {
      return refuse(
        .tooManyRedirects,
        "server redirected more than \(reach.maxRedirects) times, last to \(shown(location, from))")
    }
    do throws(WebURL.Invalid) {
      let target = try from.resolve(location)
      return reach.refusal(of: target).map { .refuse($0) } ?? judge(target, from, allowsDowngrade)
    } catch {
      return refuse(.redirectRefused, "server answered \(status) with a bad Location: \(error.message)")
    }
  }

  private static func judge(_ target: WebURL, _ from: WebURL, _ allowsDowngrade: Bool) -> Verdict {
    if from.scheme == .https, target.scheme == .http, !allowsDowngrade {
      return refuse(
        .redirectRefused, "server redirected from https to \(target.redacted)",
        hint: "what comes over http can be read and changed on the way")
    }
    guard target.origin == from.origin else { return .follow(target, keepsCredentials: false) }
    var target = target
    // A user and password given in the URL are the user's: an absolute Location does not repeat them.
    target.userInfo = target.userInfo ?? from.userInfo
    return .follow(target, keepsCredentials: true)
  }

  private static func refuse(_ code: FailureCode, _ message: String, hint: String? = nil) -> Verdict {
    .refuse(TransferFailure(code, message, hint: hint))
  }

  private static func shown(_ location: String, _ from: WebURL) -> String {
    do throws(WebURL.Invalid) {
      return try from.resolve(location).redacted
    } catch {
      return "no URL"
    }
  }
}
