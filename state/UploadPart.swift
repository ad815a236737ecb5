public import Core

/// One part of an upload in parts.
public struct UploadPart: Sendable, Hashable {
  public enum State: String, Sendable, CaseIterable {
    /// Bytes of it may be over there.
    case sending
    /// The server has it whole.
    case sent
  }

  /// As the protocol counts: S3 from 1.
  public var number: Int
  /// Where it stands in the source.
  public var range: ByteRange
  /// Of a part that can itself go on.
  public var bytesAcknowledged: Int64 = 0
  /// What the server calls its content, an ETag, as it came.
  public var tag: String?
  /// What we know of its content.
  public var checksum: String?
  public var state = State.sending

  public init(number: Int, range: ByteRange) {
    self.number = number
    self.range = range
  }
}

/// How it stands in its row.
extension UploadPart {
  static let columns = ["number", "start", "byte_count", "bytes_acknowledged", "tag", "checksum", "state"]

  func bind(to row: Statement) {
    row.bind(number)
    row.bind(range.start)
    row.bind(range.end - range.start)
    row.bind(bytesAcknowledged)
    row.bind(tag)
    row.bind(checksum)
    row.bind(state.rawValue)
  }

  init(row: Statement, path: String) throws(StateError) {
    let number = row.integer()
    do throws(UnknownValue) {
      let (start, byteCount) = (try row.count(), try row.count())
      let end = try UnknownValue.check(Self.sum(start, byteCount), "\(byteCount)")
      self.init(number: Int(number), range: ByteRange(start, end))
      bytesAcknowledged = try row.count()
      tag = row.optionalText()
      checksum = row.optionalText()
      state = try row.word()
    } catch {
      throw .corrupt(path: path, detail: "part \(number) of an upload has the unknown value '\(error.text)'")
    }
  }

  private static func sum(_ start: Int64, _ byteCount: Int64) -> Int64? {
    let (end, isTooFar) = start.addingReportingOverflow(byteCount)
    return isTooFar ? nil : end
  }
}
