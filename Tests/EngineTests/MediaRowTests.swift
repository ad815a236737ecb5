import Core
import HermesTransfer
import State
import TestKit
import Testing

/// Rows of media among those of downloads.
struct MediaRowTests {
  let folder = TemporaryFolder("media")

  @Test func `the download engine leaves media alone, whatever it is told`() async throws {
    let id = try #require(TransferID("00000001"))
    let source = folder.write("precious", to: "photo.jpg")
    var record = TransferRecord(
      id: id, kind: .media, state: .queued, url: "ws://127.0.0.1:8787/ws", urlDigest: "d", folder: folder.path,
      createdAt: 1)
    record.path = source
    let pin = SourcePin(path: source, device: 1, inode: 2, byteCount: 8, modifiedNanoseconds: 3)
    let upload = MediaUpload(
      record: record,
      media: MediaUploadRecord(
        transfer: id, session: SessionKey(gateway: record.url, device: "d"), profile: "p", wireID: "w",
        mediaKind: "image", mime: "image/jpeg", source: pin, partByteCount: 3))
    let state = folder.path("state")
    try Store(folder: state).insert(media: [upload])
    let engine = try TransferEngine(configuration: EngineConfiguration(stateFolder: state))
    let expected = TransferFailure(.usage, "00000001 is no download but media")
    await #expect(throws: expected) { try await engine.resume([id]) }
    await #expect(throws: expected) { try await engine.relink(id, to: "http://127.0.0.1:1/f") }
    await engine.stop()
    #expect(try Store(folder: state).unfinishedMedia(of: upload.media.session) == [upload])
    try Leftovers.remove(of: record, stateFolder: state)
    #expect(TestFiles.text(source) == "precious")
  }
}
