internal import Core

/// How a `TransferRecord` stands in its row. The three lists below have one order.
extension TransferRecord {
  /// All columns but `owner`, which only claims and releases change.
  static let columns = [
    "id", "kind", "state", "url", "url_digest", "folder", "created_at",
    "reason", "next_try", "priority", "requested_name", "path", "part_name",
    "bytes_total", "entity_tag", "last_modified", "is_last_modified_strong",
    "synced", "bytes_refetched", "attempts", "restarts",
    "failure_code", "failure_message", "failure_hint",
    "sha256", "finished_at", "deadline_at", "file_byte_count", "file_modified_ns", "options", "has_secrets",
  ]

  func bind(to row: Statement) {
    bindRequest(to: row)
    bindProgress(to: row)
    bindOutcome(to: row)
  }

  /// The values of `Store.promise`'s statement.
  func bindPromise(to row: Statement) {
    row.bind(state.rawValue)
    row.bind(path)
    row.bind(partName)
    row.bind(bytesTotal)
    row.bind(entityTag)
    row.bind(lastModified)
    row.bind(isLastModifiedStrong)
    row.bind(synced.description)
    row.bind(attempts)
    row.bind(fileByteCount)
    row.bind(fileModifiedNanoseconds)
    row.bind(id.text)
  }

  /// The values of `Store.conclude`'s statement.
  func bindConclusion(to row: Statement) {
    row.bind(state.rawValue)
    row.bind(path)
    row.bind(partName)
    row.bind(synced.description)
    row.bind(sha256)
    row.bind(finishedAt)
    row.bind(failure?.code.rawValue)
    row.bind(failure?.message)
    row.bind(failure?.hint)
    row.bind(hasSecrets)
    row.bind(id.text)
  }

  private func bindRequest(to row: Statement) {
    row.bind(id.text)
    row.bind(kind.rawValue)
    row.bind(state.rawValue)
    row.bind(url)
    row.bind(urlDigest)
    row.bind(folder)
    row.bind(createdAt)
    row.bind(reason?.rawValue)
    row.bind(nextTry)
    row.bind(priority)
    row.bind(requestedName)
    row.bind(path)
    row.bind(partName)
  }

  private func bindProgress(to row: Statement) {
    row.bind(bytesTotal)
    row.bind(entityTag)
    row.bind(lastModified)
    row.bind(isLastModifiedStrong)
    row.bind(synced.description)
    row.bind(bytesRefetched)
    row.bind(attempts)
    row.bind(restarts)
  }

  private func bindOutcome(to row: Statement) {
    row.bind(failure?.code.rawValue)
    row.bind(failure?.message)
    row.bind(failure?.hint)
    row.bind(sha256)
    row.bind(finishedAt)
    row.bind(deadlineAt)
    row.bind(fileByteCount)
    row.bind(fileModifiedNanoseconds)
    row.bind(options)
    row.bind(hasSecrets)
  }

  /// Reads the columns above and then `owner`; throws `corrupt` for a value this program never writes.
  init(row: Statement, path: String) throws(StateError) {
    let id = row.text()
    do throws(UnknownValue) {
      try self.init(
        id: UnknownValue.check(TransferID(id), id), kind: row.word(), state: row.word(), url: row.text(),
        urlDigest: row.text(), folder: row.text(), createdAt: row.real())
      reason = try row.optionalWord()
      nextTry = row.optionalReal()
      priority = Int(row.integer())
      requestedName = row.optionalText()
      self.path = row.optionalText()
      partName = row.optionalText()
      try readProgress(row)
      try readOutcome(row)
    } catch {
      throw .corrupt(path: path, detail: "transfer \(id) has the unknown value '\(error.text)'")
    }
  }

  private mutating func readProgress(_ row: Statement) throws(UnknownValue) {
    bytesTotal = row.optionalInteger()
    entityTag = row.optionalText()
    lastModified = row.optionalText()
    isLastModifiedStrong = row.flag()
    let ranges = row.text()
    synced = try UnknownValue.check(RangeSet(ranges), ranges)
    bytesRefetched = row.integer()
    attempts = Int(row.integer())
    restarts = Int(row.integer())
  }

  private mutating func readOutcome(_ row: Statement) throws(UnknownValue) {
    let code: FailureCode? = try row.optionalWord()
    let message = row.text()
    let hint = row.optionalText()
    failure = code.map { TransferFailure($0, message, hint: hint) }
    sha256 = row.optionalText()
    finishedAt = row.optionalReal()
    deadlineAt = row.optionalReal()
    fileByteCount = row.optionalInteger()
    fileModifiedNanoseconds = row.optionalInteger()
    options = row.text()
    hasSecrets = row.flag()
    owner = row.optionalText()
  }
}

/// A text in a row that stands for nothing this program knows.
struct UnknownValue: Error {
  let text: String

  static func check<Value>(_ value: Value?, _ text: String) throws(UnknownValue) -> Value {
    guard let value else { throw UnknownValue(text: String(text.prefix(40))) }
    return value
  }
}

extension Statement {
  /// One of an enum's words.
  func word<Word: RawRepresentable<String>>() throws(UnknownValue) -> Word {
    let text = text()
    return try UnknownValue.check(Word(rawValue: text), text)
  }

  func optionalWord<Word: RawRepresentable<String>>() throws(UnknownValue) -> Word? {
    guard let text = optionalText() else { return nil }
    return try UnknownValue.check(Word(rawValue: text), text)
  }
}
