/// What ties held bytes to one version of a remote file (RFC 9110 §8.8, §13).
public struct Validator: Hashable, Sendable {
  /// A strong ETag with its quotes; weak ones say nothing about bytes and are not kept.
  public var entityTag: String?
  public var lastModified: String?
  /// Whether the date is old enough against the answer's own Date to be strong (RFC 9110 §8.8.2.2).
  public var isLastModifiedStrong = false

  /// A file may change twice within the second that a date can tell; a minute of age rules that out.
  static let strongAgeSeconds: Int64 = 60

  public init() {}

  public init(entityTag: String?, lastModified: String?, isLastModifiedStrong: Bool) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isLastModifiedStrong = isLastModifiedStrong
  }

  public init(of head: ResponseHead) {
    if let text = head.entityTag, let tag = EntityTag(text), !tag.isWeak { entityTag = text }
    lastModified = head.lastModified
    if let modified = head.lastModifiedTime, let date = head.date {
      isLastModifiedStrong = date - modified >= Self.strongAgeSeconds
    }
  }

  /// What goes into If-Range; nil when nothing may.
  public var ifRange: String? { entityTag ?? (isLastModifiedStrong ? lastModified : nil) }
  public var isStrong: Bool { ifRange != nil }

  public enum Comparison: Sendable { case same, changed, unknown }

  /// Whether an answer speaks of the version that `self` was taken from.
  public func compare(with head: ResponseHead) -> Comparison {
    let other = Validator(of: head)
    if let entityTag, head.entityTag != nil { return other.entityTag == entityTag ? .same : .changed }
    if let lastModified, let otherDate = other.lastModified {
      if lastModified != otherDate { return .changed }
      return isLastModifiedStrong ? .same : .unknown
    }
    return .unknown
  }
}
