import Core
import TestKit

@testable import State

extension SessionKey {
  static let sample = SessionKey(gateway: "wss://agent.example:443/ws", device: "11111111-2222-4333-8444-555555555555")
  static let other = SessionKey(gateway: "ws://127.0.0.1:8787/ws", device: "11111111-2222-4333-8444-555555555555")
}

extension MediaUpload {
  /// An upload with nothing but what it must have.
  static func sample(_ number: Int, _ session: SessionKey = .sample, state: TransferState = .queued) -> MediaUpload {
    var record = TransferRecord.sample(number, state: state)
    record.kind = .media
    let pin = SourcePin(
      path: "/home/someone/photo-\(number).jpg", device: 1, inode: UInt64(number), byteCount: 10_000_000,
      modifiedNanoseconds: 1)
    let media = MediaUploadRecord(
      transfer: record.id, session: session, profile: "home", wireID: "wire-\(number)", mediaKind: "image",
      mime: "image/jpeg", source: pin, partByteCount: 3_145_728)
    return MediaUpload(record: record, media: media)
  }

  /// An upload with every field set, none to its default.
  static func full(_ number: Int) -> MediaUpload {
    var upload = sample(number, state: .running)
    upload.media.fileName = "phöto.jpg"
    upload.media.caption = "a 'caption'\n\u{1F600}"
    upload.media.source = SourcePin(
      path: "/home/someone/phöto.jpg", device: .max, inode: .max - 1, byteCount: 10_000_000,
      modifiedNanoseconds: 1_700_000_200_123_456_789)
    upload.media.partsAcknowledged = RangeSet([ByteRange(0, 1), ByteRange(3, 4)])
    upload.media.isAtMostOnce = true
    upload.media.isResent = true
    return upload
  }
}

extension OutboxRecord {
  static func sample(_ number: Int, _ session: SessionKey = .sample) -> OutboxRecord {
    OutboxRecord(
      id: "message-\(number)", session: session, kind: .text, payload: #"{"t":"text","text":"hello"}"#,
      createdAt: Double(number))
  }
}

extension ReceivedRecord {
  static func sample(_ number: Int, at moment: Double = 1_000) -> ReceivedRecord {
    ReceivedRecord(
      session: .sample, kind: .media, idDigest: "digest-\(number)", sha256: "content-\(number)", path: "/f/\(number)",
      receivedAt: moment)
  }
}

extension AssemblyRecord {
  static func sample(_ number: Int, _ session: SessionKey = .sample, at moment: Double = 1_000) -> AssemblyRecord {
    AssemblyRecord(
      session: session, idDigest: "digest-\(number)", mediaID: "id \(number)", head: #"{"kind":"image"}"#,
      partCount: 5, folder: "/home/someone", partName: ".x.\(number).hermes-part", bootID: "boot", startedAt: moment)
  }
}

extension HeldPart {
  static func sample(_ number: Int) -> HeldPart {
    HeldPart(part: number, start: Int64(number) * 100, byteCount: 100, tag: "part-\(number)")
  }
}
