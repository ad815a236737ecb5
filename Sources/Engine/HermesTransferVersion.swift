import Curl
import Magic
import State

/// The version of the engine and of the programs built on it.
public enum HermesTransferVersion {
  public static let text = "0.1.0"
  /// The libraries at work, with their versions.
  public static var libraries: String { "\(CurlVersion.text), SQLite \(Store.libraryVersion), \(MediaType.library)" }
}
