/// Why a gateway can't start.
public enum GatewayError: Error, CustomStringConvertible {
  case address(String)
  case listen(String, cause: String)
  case mediaFolder(String, cause: String)
  case tokenFile(String, cause: String)

  /// One line, without the "cannot start" before it.
  public var description: String {
    switch self {
    case .address(let text): "'\(text)' is not a numeric address"
    case .listen(let place, let cause): "cannot listen on \(place): \(cause)"
    case .mediaFolder(let path, let cause): "cannot open media folder \(path): \(cause)"
    case .tokenFile(let path, let cause): "cannot read token file \(path): \(cause)"
    }
  }
}
