import Core
import TestKit
import Testing

@testable import State

struct UploadTests {
  let folder = TemporaryFolder("state")
  private let url = "https://host.example/files/0123456789abcdef"

  private func store() throws -> Store { try Store(folder: folder.path) }

  @Test func `an upload comes back as it was written, as a transfer and as an upload`() throws {
    let uploads = [UploadTransfer.sample(1), .full(2)]
    try store().insert(uploads: uploads)
    let store = try store()
    #expect(try store.records() == uploads.map(\.record))
    #expect(try uploads.map { try store.upload($0.record.id) } == uploads.map(\.upload))
    #expect(try store.upload(.sample(3)) == nil)
    #expect(try store.integrityCheck() == [])
  }

  @Test(arguments: UploadPhase.allCases) func `each phase is kept`(phase: UploadPhase) throws {
    let store = try store()
    var upload = UploadTransfer.sample(1)
    upload.upload.phase = phase
    try store.insert(uploads: [upload])
    #expect(try store.upload(.sample(1)) == upload.upload)
  }

  @Test func `of uploads of which one cannot be inserted none is`() throws {
    let store = try store()
    #expect(throws: StateError.self) { try store.insert(uploads: [.sample(1), .sample(2), .full(1)]) }
    #expect(try store.records() == [])
    #expect(try store.upload(.sample(1)) == nil)
  }

  @Test func `an update writes both rows, and does not bring back what was removed`() throws {
    let store = try store()
    try store.insert(uploads: [.sample(1), .sample(2)])
    var changed = UploadTransfer.full(1)
    changed.record.state = .uncertain
    try store.update(uploads: [changed], durably: true)
    #expect(try store.record(.sample(1)) == changed.record)
    #expect(try store.upload(.sample(1)) == changed.upload)
    try store.record([.sample(1)], of: .sample(2), durably: false)
    try store.remove([.sample(2)])
    try store.update(uploads: [.full(2)], durably: false)
    try store.checkpoint(uploads: [.full(2)])
    try store.record([.sample(1)], of: .sample(2), durably: false)
    #expect(try store.record(.sample(2)) == nil)
    #expect(try store.upload(.sample(2)) == nil)
    #expect(try store.uploadParts(.sample(2)) == [])
    #expect(try store.integrityCheck() == [])
  }

  @Test func `a checkpoint writes what the server has, and nothing of the state`() throws {
    let store = try store()
    var upload = UploadTransfer.sample(1)
    try store.insert(uploads: [upload])
    upload.upload.bytesAcknowledged = 70
    upload.upload.acknowledgedAt = 5.5
    upload.upload.bytesSent = 90
    upload.upload.prefixByteCount = 70
    upload.upload.prefixDigest = "sha-256:ab"
    upload.upload.resourceExpiresAt = 99
    upload.record.attempts = 3
    upload.record.bytesRefetched = 17
    upload.record.synced = RangeSet([ByteRange(0, 70)])
    var other = upload
    other.record.state = .failed
    other.upload.phase = .done
    try store.checkpoint(uploads: [other])
    #expect(try store.upload(.sample(1)) == upload.upload)
    #expect(try store.record(.sample(1)) == upload.record)
  }

  @Test func `the URL of an upload is a secret, and the row tells whose it is`() throws {
    let store = try store()
    var upload = UploadTransfer.sample(1)
    try store.insert(uploads: [upload])
    try SecretFile.write([1, 2, 3], folder: folder.path, id: .sample(1))
    try store.record([.full(4)], of: .sample(1), durably: false)
    let secrets = UploadSecrets(resource: url, parts: [1: "\(url)/1?a=b c", 12: "\(url)/12"])
    try store.adopt(secrets, for: &upload)
    #expect(upload.upload.resource == "https://host.example/…cdef")
    #expect(upload.record.hasSecrets && upload.upload.phase == .created)
    #expect(try store.upload(.sample(1)) == upload.upload)
    #expect(try store.record(.sample(1)) == upload.record)
    #expect(try store.uploadParts(.sample(1)) == [], "those of an earlier resource")
    #expect(try SecretFile.uploadSecrets(folder: folder.path, id: .sample(1)) == secrets)
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == [1, 2, 3])
    #expect(TestFiles.mode(folder.path("secrets/00000001.upload")) == 0o600)
    for name in TestFiles.names(in: folder.path) where name.hasPrefix("state.db") {
      let isThere = TestFiles.read(folder.path(name)).map {
        String(decoding: $0, as: UTF8.self).contains("0123456789")
      }
      #expect(isThere == false, "\(name)")
    }
  }

  @Test func `a resource that is gone is forgotten, and the other secrets are not`() throws {
    let store = try store()
    var upload = UploadTransfer.full(1)
    try store.insert(uploads: [upload])
    try SecretFile.write([1, 2, 3], folder: folder.path, id: .sample(1))
    try store.adopt(UploadSecrets(resource: url), for: &upload)
    try store.record([.full(1)], of: .sample(1), durably: true)
    try store.abandonResource(of: &upload)
    #expect(upload.upload.resource == nil && upload.upload.resourceExpiresAt == nil)
    #expect(upload.upload.phase == .planned && upload.upload.generation == 4)
    #expect(upload.upload.bytesAcknowledged == 0 && upload.upload.bytesSent == 0)
    #expect(try store.upload(.sample(1)) == upload.upload)
    #expect(try store.uploadParts(.sample(1)) == [])
    #expect(try SecretFile.uploadSecrets(folder: folder.path, id: .sample(1)).isEmpty)
    #expect(try SecretFile.read(folder: folder.path, id: .sample(1)) == [1, 2, 3])
  }

  @Test func `the URLs go with the other secrets of a transfer`() throws {
    let store = try store()
    var upload = UploadTransfer.sample(1)
    try store.insert(uploads: [upload])
    try store.adopt(UploadSecrets(resource: url), for: &upload)
    try SecretFile.remove(folder: folder.path, id: .sample(1))
    #expect(TestFiles.names(in: folder.path("secrets")) == [])
  }

  @Test func `parts are kept by number, each as it was last`() throws {
    let store = try store()
    try store.insert(uploads: [.sample(1), .sample(2)])
    try store.record([.sample(3), .sample(1)], of: .sample(1), durably: true)
    try store.record([.full(3)], of: .sample(1), durably: false)
    try store.record([.sample(1)], of: .sample(2), durably: false)
    #expect(try store.uploadParts(.sample(1)) == [.sample(1), .full(3)])
    #expect(try store.uploadParts(.sample(2)) == [.sample(1)])
  }

  @Test func `a value this program never writes is told, not guessed at`() throws {
    let store = try store()
    try store.insert(uploads: [.sample(1)])
    try store.record([.sample(1)], of: .sample(1), durably: true)
    for change in [
      "uploads SET phase = 'odd'", "uploads SET bytes_acknowledged = -1", "uploads SET bytes_sent = -1",
      "uploads SET part_byte_count = 0", "uploads SET prefix_byte_count = -5",
    ] {
      try withDatabase(folder.path("state.db")) { try $0.execute("UPDATE \(change)") }
      #expect(throws: StateError.self) { try store.upload(.sample(1)) }
      #expect(try store.integrityCheck().count == 1, "\(change)")
      try store.update(uploads: [.sample(1)], durably: false)
    }
    for change in ["start = -1", "byte_count = 9223372036854775807", "state = 'odd'", "bytes_acknowledged = -1"] {
      try withDatabase(folder.path("state.db")) { try $0.execute("UPDATE upload_parts SET \(change)") }
      #expect(throws: StateError.self) { try store.uploadParts(.sample(1)) }
      #expect(try store.integrityCheck().count == 1, "\(change)")
      try store.record([.sample(1)], of: .sample(1), durably: false)
    }
    #expect(try store.integrityCheck() == [])
  }

  @Test(arguments: [
    ("https://host.example/files/0123456789abcdef", "https://host.example/…cdef"),
    ("https://user:word@host.example:8443/files/0123456789abcdef", "https://host.example:8443/…cdef"),
    ("http://host.example/files/1", "http://host.example/…"),
    ("http://host.example/upload?upload_id=0123456789abcdef", "http://host.example/…"),
    ("http://host.example", "http://host.example/…"),
    ("http://[::1]:80/files/0123456789abcdef", "http://[::1]:80/…cdef"),
    ("nonsense", "…"), ("", "…"),
  ])
  func `a URL is shown without what makes it a secret`(url: String, shown: String) {
    #expect(UploadSecrets.redacted(url) == shown)
  }

  @Test func `a file of URLs that was not written here says what it can`() {
    let noise = "7\n-1 x\nx y\n0 http://a/b c\n 3 z\n99999999999999999999 a\n5 http://a/5\n\n"
    let expected = UploadSecrets(resource: "http://a/b c", parts: [3: "z", 5: "http://a/5"])
    #expect(UploadSecrets(bytes: Array(noise.utf8)) == expected)
    for seed in Seeds.fromEnvironment(count: 300) {
      var random = SeededRandom(seed: seed)
      let secrets = UploadSecrets(bytes: random.bytes(Int.random(in: 0...200, using: &random)))
      #expect(UploadSecrets(bytes: secrets.bytes) == secrets, "SEED=\(seed)")
    }
  }
}
