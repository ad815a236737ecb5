/// A Repr-Digest or Content-Digest header (RFC 9530): digests by algorithm, in a dictionary of structured fields.
public enum DigestField {
  public struct Promised: Hashable, Sendable {
    /// `sha-512` or `sha-256`: the two that RFC 9530 §5 holds fit to guard against more than accidents.
    public let algorithm: String
    public let bytes: [UInt8]
  }

  static let byteCounts = [(algorithm: "sha-512", byteCount: 64), (algorithm: "sha-256", byteCount: 32)]

  /// The strongest digest of the right length; nil without one, or when the field is malformed and so void
  /// (RFC 8941 §4.2).
  public static func strongest(in field: String) -> Promised? {
    guard let members = StructuredDictionary(field)?.byteSequences else { return nil }
    for (algorithm, byteCount) in byteCounts {
      guard let bytes = members[algorithm], bytes.count == byteCount else { continue }
      return Promised(algorithm: algorithm, bytes: bytes)
    }
    return nil
  }
}
