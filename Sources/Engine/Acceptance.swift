import Core
import Crypto
import Posix
import State

/// Turns requests, or IDs of earlier ones, into transfers of the state that this process owns. Runs on the store's
/// thread; all of it is durable before the caller hears of it.
struct Acceptance: Sendable {
  struct Accepted: Sendable {
    var transfers: [AcceptedTransfer] = []
    var waiting: [WaitingTransfer] = []
    var connectionLimits: [String: Int] = [:]

    mutating func add(_ other: Accepted) {
      transfers += other.transfers
      waiting += other.waiting
      connectionLimits = other.connectionLimits
    }
  }

  private enum Input: Sendable {
    case requests([DownloadRequest])
    case ids([TransferID])
  }

  private let input: Input
  private let owner: OwnerToken
  private let stateFolder: String

  init(requests: [DownloadRequest], core: EngineCore) {
    input = .requests(requests)
    owner = core.owner.token
    stateFolder = core.configuration.stateFolder
  }

  init(ids: [TransferID], core: EngineCore) {
    self.init(ids: ids, owner: core.owner.token, stateFolder: core.configuration.stateFolder)
  }

  init(ids: [TransferID], owner: OwnerToken, stateFolder: String) {
    input = .ids(ids)
    self.owner = owner
    self.stateFolder = stateFolder
  }

  func run(_ store: Store) -> Result<Accepted, TransferFailure> {
    do {
      var accepted: Accepted
      switch input {
      case .requests(let requests): accepted = try accept(requests, store)
      case .ids(let ids): accepted = try takeUp(ids, store)
      }
      accepted.connectionLimits = try store.connectionLimits(now: Clocks.wallClock())
      return .success(accepted)
    } catch {
      return .failure(TransferFailure(storing: error))
    }
  }

  // MARK: New requests

  private func accept(_ requests: [DownloadRequest], _ store: Store) throws -> Accepted {
    var accepted = Accepted()
    var fresh: [TransferRecord] = []
    var known: [TransferRecord] = []
    var taken: [TransferID] = []
    var generator = SecureRandom()
    var options: (value: RequestOptions, json: String)?
    var seen: Set<String> = []
    var places = Places()
    let digests = requests.map { Self.digest(of: $0.url) }
    // Most of a long list is new: that is asked once for all.
    let earlierDigests = try store.known(urlDigests: digests)
    do {
      for (request, digest) in zip(requests, digests) {
        let sources = try Self.sources(of: request)
        var place = try places.place(of: request)
        // A name given for the URL makes it another file, and another transfer.
        if place.name == nil { place.name = request.name.map { SafeFileName($0, fallback: "download").text } }
        // The same line twice in one list is one transfer.
        guard seen.insert("\(digest) \(place.folder) \(place.name ?? "")").inserted else { continue }
        let value = RequestOptions(request)
        if options?.value != value { options = (value, value.json()) }
        let earlier = earlierDigests.contains(digest) ? try latest(digest, place, store) : nil
        if let earlier, isOurs(earlier) {
          // At work in this process: asked for once more, it is the same one.
          accepted.transfers.append(
            AcceptedTransfer(id: earlier.id, outcome: .resumed(bytesHeld: earlier.synced.byteCount)))
          continue
        }
        let begun = try earlier.flatMap { try claimed($0.id, store) }
        if let begun { taken.append(begun.id) }
        if let begun, var folded = try fold(begun, request, sources) {
          folded.waiting.record.options = options?.json ?? "{}"
          try writeSecrets(of: request, sources[0], to: &folded.waiting.record)
          known.append(folded.waiting.record)
          accepted.transfers.append(folded.transfer)
          accepted.waiting.append(folded.waiting)
          continue
        }
        if let begun { try store.release([begun.id]) }
        var record = TransferRecord(
          id: .random(using: &generator), kind: .download, state: .queued, url: sources[0].redacted, urlDigest: digest,
          folder: place.folder, createdAt: Clocks.wallClock())
        record.requestedName = place.name
        record.options = options?.json ?? "{}"
        record.priority = request.priority
        record.deadlineAt = record.createdAt + request.limits.deadlineSeconds
        record.owner = owner.text
        try writeSecrets(of: request, sources[0], to: &record)
        fresh.append(record)
        accepted.transfers.append(AcceptedTransfer(id: record.id, outcome: .new))
        accepted.waiting.append(WaitingTransfer(record: record, request: request, sources: sources))
      }
      try store.update(known, durably: true)
      try store.insert(fresh)
    } catch {
      // All or none: what was taken is let go.
      try store.release(taken)
      throw error
    }
    return accepted
  }

  /// The record of an earlier run of the same command that may be gone on with.
  private func latest(_ digest: String, _ place: Place, _ store: Store) throws -> TransferRecord? {
    guard let record = try store.latest(urlDigest: digest, folder: place.folder, requestedName: place.name) else {
      return nil
    }
    if isOurs(record) { return record }
    // A finished one whose file is gone or another by now is history, whoever looks at it.
    if record.state == .completed {
      guard let path = record.path, try isUntouched(path, record) else { return nil }
    }
    return record.state == .cancelled ? nil : record
  }

  /// The record, ours from now on; read again once it is, so that what another process did to it until then is seen.
  private func claimed(_ id: TransferID, _ store: Store) throws -> TransferRecord? {
    try claim([id], store)
    return try store.record(id)
  }

  /// Whether this process works on it already: what it has ended it has let go of.
  func isOurs(_ record: TransferRecord) -> Bool { record.owner == owner.text }

  func writeSecrets(of request: DownloadRequest, _ url: WebURL, to record: inout TransferRecord) throws {
    let secrets = RequestSecrets(request, isURLSecret: url.text != url.redacted)
    if !secrets.isEmpty {
      try SecretFile.write(secrets.bytes(), folder: stateFolder, id: record.id)
    } else if record.hasSecrets {
      try SecretFile.remove(folder: stateFolder, id: record.id)
    }
    record.hasSecrets = !secrets.isEmpty
  }

  /// An earlier run of the same command: go on, or ask whether the finished file is still the server's.
  private func fold(
    _ record: TransferRecord, _ request: DownloadRequest, _ sources: [WebURL]
  ) throws -> (transfer: AcceptedTransfer, waiting: WaitingTransfer)? {
    var record = record
    if record.state == .verifying, let path = record.path, try isUntouched(path, record) {
      // It got its name, and the process ended before it could say so.
      record.state = .completed
      record.finishedAt = record.finishedAt ?? Clocks.wallClock()
    }
    if record.state == .completed {
      guard request.resumes, let path = record.path, try isUntouched(path, record) else { return nil }
      // Under another name than the one asked for now, it is not what is wanted.
      if let name = record.requestedName, Paths.lastName(path) != name { return nil }
      let validator = Validator(
        entityTag: record.entityTag, lastModified: record.lastModified,
        isLastModifiedStrong: record.isLastModifiedStrong)
      guard validator.entityTag != nil || validator.lastModified != nil else { return nil }
      record.deadlineAt = Clocks.wallClock() + request.limits.deadlineSeconds
      let waiting = WaitingTransfer(record: record, request: request, sources: sources, finished: validator)
      return (AcceptedTransfer(id: record.id, outcome: .alreadyComplete), waiting)
    }
    guard record.state != .cancelled else { return nil }
    let waiting = try begun(&record, request, sources)
    return (AcceptedTransfer(id: record.id, outcome: .resumed(bytesHeld: record.synced.byteCount)), waiting)
  }

  /// An unfinished record before its next life; bytes that failed their checksum, or that the user gave up, are
  /// forgotten first.
  func begun(
    _ record: inout TransferRecord, _ request: DownloadRequest, _ sources: [WebURL]
  ) throws -> WaitingTransfer {
    var request = request
    if record.failure?.code == .checksumMismatch { request.resumes = false }
    if !request.resumes {
      try WriteJournal.remove(folder: stateFolder, id: record.id)
      record.synced = RangeSet()
      record.bytesTotal = nil
      record.entityTag = nil
      record.lastModified = nil
      record.isLastModifiedStrong = false
    }
    record.state = .queued
    record.reason = nil
    record.nextTry = nil
    record.failure = nil
    record.finishedAt = nil
    record.deadlineAt = Clocks.wallClock() + request.limits.deadlineSeconds
    return WaitingTransfer(record: record, request: request, sources: sources)
  }

  private func isUntouched(_ path: String, _ record: TransferRecord) throws -> Bool {
    do throws(Errno) {
      let status = try Files.status(path)
      return status.byteCount == record.fileByteCount
        && status.modifiedNanoseconds == record.fileModifiedNanoseconds
    } catch {
      return false
    }
  }

  // MARK: Earlier ones

  private func takeUp(_ ids: [TransferID], _ store: Store) throws -> Accepted {
    var free: [TransferID] = []
    for id in ids {
      guard let record = try store.record(id) else { continue }
      try Self.checkIsDownload(record)
      if !isOurs(record) { free.append(id) }
    }
    try claim(free, store)
    do { return try begun(free, store) } catch {
      // All or none.
      try store.release(free)
      throw error
    }
  }

  /// Earlier ones that are ours by now.
  private func begun(_ ids: [TransferID], _ store: Store) throws -> Accepted {
    var accepted = Accepted()
    var records: [TransferRecord] = []
    for id in ids {
      guard var record = try store.record(id) else { continue }
      guard record.state != .completed else {
        try store.release([id])
        continue
      }
      if record.state == .verifying, let path = record.path, try isUntouched(path, record) {
        record.state = .completed
        record.finishedAt = Clocks.wallClock()
        try store.conclude([record], [])
        continue
      }
      let request = try storedRequest(of: record)
      let waiting = try begun(&record, request, Self.sources(of: request))
      records.append(record)
      accepted.transfers.append(AcceptedTransfer(id: id, outcome: .resumed(bytesHeld: record.synced.byteCount)))
      accepted.waiting.append(waiting)
    }
    try store.update(records, durably: true)
    return accepted
  }

  /// What a session sends is not fetched from anywhere.
  static func checkIsDownload(_ record: TransferRecord) throws(TransferFailure) {
    guard record.kind != .download else { return }
    throw TransferFailure(.usage, "\(record.id) is no download but \(record.kind.rawValue)")
  }

  func storedRequest(of record: TransferRecord) throws -> DownloadRequest {
    var request = DownloadRequest(url: record.url, folder: record.folder)
    if let name = record.requestedName { request.output = Paths.join(record.folder, name) }
    if let options = RequestOptions(json: record.options) { options.apply(to: &request) }
    if record.hasSecrets, let bytes = try SecretFile.read(folder: stateFolder, id: record.id),
      let secrets = RequestSecrets(bytes: bytes)
    {
      secrets.apply(to: &request)
    }
    return request
  }

  func claim(_ ids: [TransferID], _ store: Store) throws {
    guard !ids.isEmpty else { return }
    let held = try store.claim(ids, owner: owner)
    guard let (id, other) = held.min(by: { $0.key < $1.key }) else { return }
    throw TransferFailure(
      .inUse, "transfer \(id) is in use by process \(other.processID)",
      hint: "hermes-transfer watch \(id) shows it; hermes-transfer cancel \(id) ends it")
  }

  // MARK: Parts of a request

  /// By what a URL is found again: half of its SHA-256 is enough, and half the index.
  static func digest(of url: String) -> String { String(sha256Hexadecimal(of: url).prefix(32)) }

  /// The URL and its mirrors, or why one of them cannot be fetched.
  static func sources(of request: DownloadRequest) throws(TransferFailure) -> [WebURL] {
    var sources: [WebURL] = []
    for text in [request.url] + request.mirrors {
      do throws(WebURL.Invalid) {
        sources.append(try WebURL(text))
      } catch {
        throw error.failure
      }
    }
    return sources
  }

  /// Each folder is looked at once, however many files go there.
  private struct Places {
    private var known: [String: Place] = [:]

    mutating func place(of request: DownloadRequest) throws(TransferFailure) -> Place {
      guard request.output == nil else { return try Place(of: request) }
      if let place = known[request.folder] { return place }
      let place = try Place(of: request)
      known[request.folder] = place
      return place
    }
  }

  /// Where the file goes, split into folder and name; the folder is made when it is missing.
  struct Place {
    let folder: String
    var name: String?

    init(of request: DownloadRequest) throws(TransferFailure) {
      let path = request.output
      folder = path.map { Paths.folder($0) } ?? request.folder
      name = path.map { Paths.lastName($0) }
      let kinds: (target: FileStatus.Kind?, folder: FileStatus.Kind)
      do throws(Errno) {
        try Files.makeFolders(folder, mode: 0o777)
        kinds = (
          try path.flatMap { path throws(Errno) in try Files.statusIfThere(path) }?.kind, try Files.status(folder).kind
        )
      } catch {
        let place = error == .nameTooLong ? request.output ?? folder : folder
        throw TransferFailure(.localFile, "cannot use \(place): \(error)")
      }
      if let path, kinds.target == .folder {
        throw TransferFailure(.localFile, "\(path) is a folder", hint: "--directory \(path) puts the file into it")
      }
      guard kinds.folder == .folder else { throw TransferFailure(.localFile, "\(folder) is no folder") }
    }
  }
}
