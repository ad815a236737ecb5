import Core

@testable import State

extension UploadTransfer {
  /// An upload with nothing but what it must have.
  static func sample(_ number: Int, state: TransferState = .queued) -> UploadTransfer {
    var record = TransferRecord.sample(number, state: state)
    record.kind = .upload
    let pin = SourcePin(
      path: "/home/someone/film-\(number).mkv", device: 1, inode: UInt64(number), byteCount: 10_000_000,
      modifiedNanoseconds: 1)
    let upload = UploadRecord(transfer: record.id, protocolName: "auto", source: pin, sourceChangedNanoseconds: 2)
    return UploadTransfer(record: record, upload: upload)
  }

  /// An upload with every field set, none to its default.
  static func full(_ number: Int) -> UploadTransfer {
    var both = sample(number, state: .running)
    both.upload.protocolName = "tus"
    both.upload.protocolVersion = "1.0.0"
    both.upload.phase = .sentAll
    both.upload.generation = 3
    both.upload.resource = "https://host.example/…cdef"
    both.upload.resourceCreatedAt = 1_700_000_100.5
    both.upload.resourceExpiresAt = 1_700_604_900.25
    both.upload.resultURL = "https://host.example/film.mkv"
    both.upload.source = SourcePin(
      path: "/home/someone/fïlm.mkv", device: .max, inode: .max - 1, byteCount: 1 << 40,
      modifiedNanoseconds: 1_700_000_200_123_456_789)
    both.upload.sourceChangedNanoseconds = 1_700_000_200_123_456_790
    both.upload.digest = "sha-256:ab"
    both.upload.prefixByteCount = 1 << 33
    both.upload.prefixDigest = "sha-256:cd"
    both.upload.bytesAcknowledged = 1 << 33
    both.upload.acknowledgedAt = 1_700_000_300.5
    both.upload.bytesSent = (1 << 33) + 17
    both.upload.isLengthKnown = true
    both.upload.partByteCount = 8 << 20
    both.upload.server = #"{"extensions":["creation"]}"#
    both.upload.metadata = #"{"filename":"fïlm.mkv"}"#
    both.upload.credential = "netrc"
    both.upload.lastStatus = 423
    both.upload.lastCurlCode = 55
    both.upload.lastAnswer = "locked\n'by' another"
    return both
  }
}

extension UploadPart {
  static func sample(_ number: Int) -> UploadPart {
    UploadPart(number: number, range: ByteRange(Int64(number) * 100, Int64(number) * 100 + 100))
  }

  static func full(_ number: Int) -> UploadPart {
    var part = sample(number)
    part.bytesAcknowledged = 99
    part.tag = "\"0123\""
    part.checksum = "sha-256:ef"
    part.state = .sent
    return part
  }
}
