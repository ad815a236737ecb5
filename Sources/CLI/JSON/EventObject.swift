import Core

/// One event of `--progress json`. What is not known is null, so that every object of a kind has the same keys.
struct EventObject: Encodable {
  private let event: TransferEvent
  private let time: Double

  init(_ event: TransferEvent, time: Double) {
    self.event = event
    self.time = time
  }

  private enum Key: String, CodingKey {
    case event, id, time, kind, url, name, path, bytes, sha256, connections, reason, error, message, attempts
    case bytesDone = "bytes_done"
    case bytesTotal = "bytes_total"
    case bytesPerSecond = "bytes_per_second"
    case etaSeconds = "eta_seconds"
    case nextTry = "next_try"
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    let snapshot = event.snapshot
    try object.encode(event.kind.rawValue, forKey: .event)
    try object.encode(snapshot.id.text, forKey: .id)
    try object.encode(Timestamp.precise(time), forKey: .time)
    switch event.kind {
    case .added:
      try object.encode(snapshot.kind.rawValue, forKey: .kind)
      try object.encode(snapshot.url, forKey: .url)
    case .started: try encodePlace(into: &object)
    case .progress: try encodeProgress(into: &object)
    case .waiting:
      try object.encode(snapshot.reason?.rawValue, forKey: .reason)
      try object.encode(snapshot.nextTry.map(Timestamp.precise), forKey: .nextTry)
      try object.encode(snapshot.attempts, forKey: .attempts)
      try object.encode(snapshot.failure.map(ErrorObject.init), forKey: .error)
    case .paused, .cancelled: try encodeAmount(into: &object)
    case .completed:
      try object.encode(snapshot.path, forKey: .path)
      try object.encode(snapshot.bytesDone, forKey: .bytes)
      try object.encode(snapshot.sha256, forKey: .sha256)
    case .failed:
      try encodeAmount(into: &object)
      try object.encode(snapshot.failure.map(ErrorObject.init), forKey: .error)
    case .note: try object.encode(event.note, forKey: .message)
    }
  }

  private func encodePlace(into object: inout KeyedEncodingContainer<Key>) throws {
    try object.encode(event.snapshot.name, forKey: .name)
    try object.encode(event.snapshot.path, forKey: .path)
    try encodeAmount(into: &object)
  }

  private func encodeAmount(into object: inout KeyedEncodingContainer<Key>) throws {
    try object.encode(event.snapshot.bytesDone, forKey: .bytesDone)
    try object.encode(event.snapshot.bytesTotal, forKey: .bytesTotal)
  }

  private func encodeProgress(into object: inout KeyedEncodingContainer<Key>) throws {
    try encodeAmount(into: &object)
    try object.encode(Self.finite(event.snapshot.bytesPerSecond) ?? 0, forKey: .bytesPerSecond)
    try object.encode(Self.finite(event.snapshot.etaSeconds), forKey: .etaSeconds)
    try object.encode(event.snapshot.connections, forKey: .connections)
  }

  /// Rounded to a thousandth: JSON knows no infinity, and more digits say nothing.
  private static func finite(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite ? ($0 * 1000).rounded() / 1000 : nil }
  }
}

/// `error` in every object: code, exit status, message.
struct ErrorObject: Encodable {
  let code: String
  let exit: Int32
  let message: String
  let hint: String?

  init(_ failure: TransferFailure) {
    code = failure.code.rawValue
    exit = failure.exitStatus.rawValue
    message = failure.message
    hint = failure.hint
  }
}
