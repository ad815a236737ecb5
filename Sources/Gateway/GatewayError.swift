/// Why a gateway can't start.
public enum GatewayError: Error, CustomStringConvertible {
  /// Not a numeric address.
  case address(String)
  /// The address or its port is not to be had.
  case listen(String, cause: String)
  /// The folder to serve can't be opened.
  case mediaFolder(String, cause: String)
  /// The file with the token can't be read or holds none.
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
