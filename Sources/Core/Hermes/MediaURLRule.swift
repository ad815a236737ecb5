/// Where the file of a media frame with a `url` is fetched, and with what.
public enum MediaURLRule {
  public static let maxRedirects = 5

  public struct Download: Hashable, Sendable {
    public let url: WebURL
    /// Only to the gateway's own scheme, host and port; a redirect elsewhere goes without it.
    public let sendsToken: Bool
    /// Unless the gateway is private, only its own origin may have a private address, also behind redirects.
    public let reach: Reach
  }

  /// - Parameters:
  ///   - text: absolute http or https, or relative to the session's origin.
  ///   - scope: of the address that the session is really connected to, where it is known.
  public static func resolve(
    _ text: String, gateway: GatewayURL, scope: HostScope? = nil
  ) -> Result<Download, TransferFailure> {
    do throws(WebURL.Invalid) {
      let origin = try WebURL("\(gateway.web.origin)/")
      return judge(try origin.resolve(text), gateway, scope ?? gateway.scope)
    } catch {
      return .failure(TransferFailure(.redirectRefused, "the media's link cannot be followed: \(error.message)"))
    }
  }

  private static func judge(
    _ target: WebURL, _ gateway: GatewayURL, _ scope: HostScope
  ) -> Result<Download, TransferFailure> {
    var target = target
    let isOwn = target.origin == gateway.web.origin
    // A user and password given in the gateway's URL are the user's: links do not repeat them.
    if isOwn { target.userInfo = target.userInfo ?? gateway.web.userInfo }
    var reach = Reach()
    reach.maxRedirects = maxRedirects
    reach.isPublicOnly = !scope.isPrivate
    reach.exemptOrigin = gateway.web.origin
    if let refusal = reach.refusal(of: target) { return .failure(refusal) }
    return .success(Download(url: target, sendsToken: isOwn, reach: reach))
  }
}
