/// Where the file of a media frame with a `url` is fetched, and with what.
public enum MediaURLRule {
  public static let maxRedirects = 5

  public struct Download: Hashable, Sendable {
    public let url: WebURL
    /// Only to the gateway's own scheme, host and port; a redirect elsewhere goes without it.
    public let sendsToken: Bool
    /// If not, every address that a name turns out to stand for must be public, also behind redirects.
    public let allowsPrivateAddresses: Bool
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
    let allowsPrivate = isOwn || scope.isPrivate
    if !allowsPrivate, HostScope(host: target.host).isPrivate {
      return .failure(
        TransferFailure(
          .redirectRefused, "the media's link leads to the private address \(target.host), the gateway is none"))
    }
    return .success(Download(url: target, sendsToken: isOwn, allowsPrivateAddresses: allowsPrivate))
  }
}
