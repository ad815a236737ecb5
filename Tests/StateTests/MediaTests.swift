import Core
import TestKit
import Testing

@testable import State

struct MediaTests {
  let folder = TemporaryFolder("state")

  private func store() throws -> Store { try Store(folder: folder.path) }

  @Test func `an upload comes back as it was written, as a transfer and as media`() throws {
    let uploads = [MediaUpload.sample(1), .full(2)]
    try store().insert(media: uploads)
    let store = try store()
    #expect(try store.records() == uploads.map(\.record))
    #expect(try store.media(of: .sample(2)) == uploads[1].media)
    #expect(try store.unfinishedMedia(of: .sample) == uploads)
    #expect(try store.media(of: .sample(3)) == nil)
  }

  @Test func `the unfinished uploads of a session are its own, in the order of acceptance`() throws {
    let store = try store()
    let states = TransferState.allCases
    try store.insert(media: states.indices.map { .sample(100 - $0, state: states[$0]) } + [.sample(1, .other)])
    try store.insert([.sample(2)])
    let expected = states.indices.filter { !states[$0].isFinal }.map { TransferID.sample(100 - $0) }
    #expect(try store.unfinishedMedia(of: .sample).map(\.record.id) == expected)
    #expect(try store.unfinishedMedia(of: .other).map(\.record.id) == [.sample(1)])
  }

  @Test func `of uploads of which one cannot be inserted none is`() throws {
    let store = try store()
    var twin = MediaUpload.sample(2)
    twin.media.wireID = "wire-1"
    #expect(throws: StateError.self) { try store.insert(media: [.sample(1), twin]) }
    #expect(try store.records() == [])
    #expect(try store.unfinishedMedia(of: .sample) == [])
  }

  @Test func `a checkpoint writes the parts and the bytes that they are`() throws {
    let store = try store()
    var upload = MediaUpload.sample(1)
    try store.insert(media: [upload])
    upload.media.partsAcknowledged = RangeSet([ByteRange(0, 1), ByteRange(3, 4)])
    upload.record.attempts = 3
    upload.record.bytesRefetched = 17
    try store.checkpoint(media: [upload])
    let kept = try #require(try store.unfinishedMedia(of: .sample).first)
    #expect(kept.media == upload.media)
    #expect(kept.record.attempts == 3 && kept.record.bytesRefetched == 17)
    // The last part of ten million bytes is short.
    #expect(kept.record.synced == RangeSet([ByteRange(0, 3_145_728), ByteRange(9_437_184, 10_000_000)]))
    #expect(kept.record.state == .queued)
  }

  @Test func `an update writes both rows, and does not bring back what was removed`() throws {
    let store = try store()
    try store.insert(media: [.sample(1), .sample(2)])
    var changed = MediaUpload.full(1)
    changed.record.state = .uncertain
    try store.update(media: [changed], durably: true)
    #expect(try store.record(.sample(1)) == changed.record)
    #expect(try store.media(of: .sample(1)) == changed.media)
    try store.remove([.sample(2)])
    try store.update(media: [.full(2)], durably: false)
    try store.checkpoint(media: [.full(2)])
    #expect(try store.record(.sample(2)) == nil)
    #expect(try store.media(of: .sample(2)) == nil)
  }

  @Test(arguments: [TransferState.sent, .delivered, .uncertain])
  func `an upload ends in its own states, durably`(state: TransferState) throws {
    let store = try store()
    var upload = MediaUpload.sample(1)
    try store.insert(media: [upload])
    upload.record.state = state
    upload.record.finishedAt = 5
    upload.record.sha256 = "ab"
    try store.conclude([upload.record], [], durably: true)
    #expect(try store.record(.sample(1)) == upload.record)
    #expect(try store.unfinishedMedia(of: .sample) == [])
  }

  @Test func `a value this program never writes is told, not guessed at`() throws {
    let store = try store()
    try store.insert(media: [.sample(1)])
    for change in ["parts_acknowledged = '9-5'", "part_byte_count = 0", "part_byte_count = -3"] {
      try withDatabase(folder.path("state.db")) { try $0.execute("UPDATE media_uploads SET \(change)") }
      #expect(throws: StateError.self) { try store.media(of: .sample(1)) }
      #expect(try store.integrityCheck().count == 1, "\(change)")
      try store.update(media: [.sample(1)], durably: false)
    }
    #expect(try store.integrityCheck() == [])
  }

  @Test func `a download knows for which media it is, as long as it is there`() throws {
    let store = try store()
    try store.insert([.sample(1), .sample(2), .sample(3)])
    func link(_ number: Int, _ session: SessionKey = .sample) -> MediaDownloadRecord {
      MediaDownloadRecord(
        transfer: .sample(number), session: session, idDigest: "digest", mediaID: "id", head: "{\"n\":\(number)}")
    }
    for record in [link(2), link(1), link(3, .other)] { try store.link(record) }
    #expect(try store.mediaDownloads(of: .sample, idDigest: "digest") == [link(2), link(1)])
    #expect(try store.mediaDownload(.sample(3)) == link(3, .other))
    #expect(try store.mediaDownloads(of: .sample, idDigest: "other") == [])
    try store.remove([.sample(2)])
    #expect(try store.mediaDownloads(of: .sample, idDigest: "digest") == [link(1)])
    try store.link(link(2))
    #expect(try store.mediaDownload(.sample(2)) == nil, "the transfer is gone")
  }
}

struct PartSizeTests {
  let folder = TemporaryFolder("state")

  @Test func `the size that a gateway took last is remembered`() throws {
    let store = try Store(folder: folder.path)
    #expect(try store.partByteCount(gateway: "ws://a:1/ws") == nil)
    try store.remember(gateway: "ws://a:1/ws", partByteCount: 1 << 20, at: 1)
    try store.remember(gateway: "ws://a:1/ws", partByteCount: 49_152, at: 2)
    #expect(try Store(folder: folder.path).partByteCount(gateway: "ws://a:1/ws") == 49_152)
    #expect(try store.partByteCount(gateway: "ws://b:1/ws") == nil)
  }

  @Test func `a thousand gateways are remembered, those learned last`() throws {
    let store = try Store(folder: folder.path)
    for number in 0..<1_003 { try store.remember(gateway: "g\(number)", partByteCount: 3, at: Double(number)) }
    #expect(try store.partByteCount(gateway: "g2") == nil)
    #expect(try store.partByteCount(gateway: "g3") == 3)
  }
}
