import Core
import FoundationEssentials
import HermesTransfer
import State
import TestKit
import Testing

@testable import CLI

@Suite struct MediaListingTests {
  private let folder = TemporaryFolder("listing")

  /// What the state gives back of an upload that ended so.
  private func kept(_ state: TransferState) throws -> (record: TransferRecord, media: MediaUploadRecord) {
    let id = try #require(TransferID("00000001"))
    var record = TransferRecord(
      id: id, kind: .media, state: state, url: "ws://127.0.0.1:8787/ws", urlDigest: "d", folder: "/home/somebody",
      createdAt: Samples.epoch)
    record.path = "/home/somebody/photo.jpg"
    record.bytesTotal = 10_000_000
    record.synced = RangeSet(ByteRange(0, 3_145_728))
    let pin = SourcePin(
      path: "/home/somebody/photo.jpg", device: 1, inode: 2, byteCount: 10_000_000, modifiedNanoseconds: 3)
    var media = MediaUploadRecord(
      transfer: id, session: SessionKey(gateway: record.url, device: "device"), profile: "home", wireID: "wire",
      mediaKind: "image", mime: "image/jpeg", source: pin, partByteCount: 3_145_728)
    media.partsAcknowledged = RangeSet(ByteRange(0, 1))
    let store = try Store(folder: folder.path)
    try store.insert(media: [MediaUpload(record: record, media: media)])
    return (try #require(try store.record(id)), try #require(try store.media(of: id)))
  }

  @Test(
    arguments: [
      (.running, "31 %", 3_145_728), (.sent, "100 %", 10_000_000), (.delivered, "100 %", 10_000_000),
      (.uncertain, "31 %", 3_145_728),
    ] as [(TransferState, String, Int64)])
  func `media are listed with their state and what was read of them`(
    state: TransferState, done: String, byteCount: Int64
  ) throws {
    let record = try kept(state).record
    for snapshot in [TransferSnapshot(record), TransferSnapshot(record: record)] {
      #expect(snapshot.kind == .media && snapshot.state == state && snapshot.bytesDone == byteCount)
      let fields = try #require(TransferTable.lines(of: [snapshot], columns: nil).last).split(separator: "  ")
      #expect(
        fields.map { $0.trimmingPrefix(" ") } == [
          "00000001", "\(state.rawValue)", "\(done)", "9.5 MiB", "/home/somebody/photo.jpg",
        ])
    }
  }

  @Test func `the object of media says what was sent and over which session`() throws {
    let (record, media) = try kept(.delivered)
    Golden.check(
      try JSONText.of(TransferObject(TransferSnapshot(record), attempts: [], media: media), isPretty: true), "media")
  }
}
