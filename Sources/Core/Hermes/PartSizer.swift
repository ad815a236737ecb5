/// How large the parts of a media are: as asked, or what the other side takes.
///
/// Always a multiple of 3, so that no padding falls inside the joined base64.
public struct PartSizer: Hashable, Sendable {
  public static let usualByteCount = 3_145_728
  /// A gateway that refuses messages of 64 KiB is none.
  public static let floorByteCount = 48 << 10
  /// What is tried after three quarters of the first size: the usual limits of servers lie between these.
  static let steps = [1 << 20, 512 << 10, 256 << 10, 128 << 10, floorByteCount]

  /// Raw bytes of a part.
  public private(set) var byteCount: Int
  /// Whether it was lowered because of a refusal; then it is worth remembering for this gateway.
  public private(set) var wasLowered = false

  /// - Parameters:
  ///   - wanted: what the user asked for, or the size that an upload was begun with.
  ///   - remembered: what this gateway took in the end, the last time it refused something.
  ///   - offered: what the gateway says it takes.
  public init(wanted: Int = usualByteCount, remembered: Int? = nil, offered: Int? = nil) {
    byteCount = Self.rounded(min(wanted, remembered ?? .max, offered ?? .max))
  }

  /// The gateway says what it takes; smaller than what is used now is obeyed.
  public mutating func offered(_ size: Int) { byteCount = min(byteCount, Self.rounded(size)) }

  /// A message that carried `refused` raw bytes was too big: true if there is a smaller size to try.
  public mutating func lower(below refused: Int) -> Bool {
    let used = min(byteCount, refused)
    guard used > Self.floorByteCount else { return false }
    // Three quarters only of what has not been lowered yet.
    let candidates = (wasLowered ? [] : [used / 4 * 3]) + Self.steps
    guard let next = candidates.first(where: { $0 < used && $0 >= Self.floorByteCount }) else { return false }
    byteCount = Self.rounded(next)
    wasLowered = true
    return true
  }

  private static func rounded(_ size: Int) -> Int { max(size / 3 * 3, 3) }
}
