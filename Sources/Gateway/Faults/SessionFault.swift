import Core

/// One way in which a session goes wrong on purpose.
enum SessionFault: Equatable, Sendable {
  /// When a fault strikes that strikes once in a connection.
  enum Moment: Equatable, Sendable {
    /// In place of the answer to the hello.
    case hello
    /// Right after `ready`.
    case ready
    /// When so many parts of media have been taken on the connection, before the last of them is answered.
    case parts(Int64)
  }

  /// Answer the upgrade with a status and perhaps a Retry-After.
  case upgradeStatus(Int, retryAfter: String?)
  /// Answer an upgrade with a wrong token with this status instead of closing with 1008.
  case tokenStatus(Int)
  /// Drop the connection, with a reset.
  case drop(Moment)
  /// Drop the connection when so many bytes of it have come, in the middle of whatever that is.
  case dropAfterBytes(Int64)
  /// Close with this code.
  case close(UInt16, Moment)
  /// Neither read nor write any more, and keep the connection open.
  case blackhole(Moment)
  /// Answer each message so long after it came.
  case delay(milliseconds: Int64)
  /// Read no more than so many bytes a second.
  case slowRead(bytesPerSecond: Int64)
  /// Answer no ping.
  case noPong
  /// Refuse longer messages with 1009.
  case maxMessage(byteCount: Int64)
  /// Send the parts of media in another order, the same for one seed.
  case shuffleParts(seed: UInt64)
  /// Send each part of media twice.
  case duplicateParts
  /// Leave out the part with this index.
  case omitPart(Int64)
  /// Announced URLs answer so many requests and then 403; then the media is announced again, under another URL.
  case expiredURL(afterRequests: Int64)
}

extension SessionFault {
  /// Every form that is understood, as help and errors show it.
  static let knownForms = [
    "upgrade-status=CODE[:TIMES][:RETRY-AFTER]", "token-status=CODE", "drop=MOMENT[:TIMES]",
    "drop-after-part=N[:TIMES]", "drop-after-bytes=BYTES[:TIMES]", "close=CODE[:MOMENT][:TIMES]",
    "blackhole[=MOMENT][:TIMES]", "delay=DURATION[:TIMES]", "slow-read=RATE", "no-pong", "max-message=SIZE",
    "shuffle-parts[=SEED]",
    "duplicate-parts", "omit-part=INDEX[:TIMES]", "expired-url[=TIMES][:REQUESTS]",
  ]

  /// Reads the value of a fault of this name; nil when it is none.
  static func parsed(_ name: String, _ value: String?) -> FaultSpec? {
    let words = value?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    switch (name, words.count) {
    case ("upgrade-status", 1...):
      return value.flatMap { FaultSpec.refusal($0) { .session(.upgradeStatus($0, retryAfter: $1)) } }
    case ("token-status", 1): return status(words[0]).map { spec(.tokenStatus($0)) }
    case ("drop", 1...2): return moment(words[0]).flatMap { once(.drop($0), words.dropFirst()) }
    case ("drop-after-part", 1...2): return positive(words[0]).flatMap { once(.drop(.parts($0)), words.dropFirst()) }
    case ("drop-after-bytes", 1...2):
      return positive(words[0]).flatMap { once(.dropAfterBytes($0), words.dropFirst()) }
    case ("close", 1...3): return close(words)
    case ("blackhole", 0...2):
      return moment(words.first ?? "ready").flatMap { once(.blackhole($0), words.dropFirst()) }
    default: return parsedRest(name, words)
    }
  }

  private static func parsedRest(_ name: String, _ words: [String]) -> FaultSpec? {
    switch (name, words.count) {
    case ("delay", 1...2): delay(words)
    case ("slow-read", 1): bytesPerSecond(words[0]).map { spec(.slowRead(bytesPerSecond: $0)) }
    case ("no-pong", 0): spec(.noPong)
    case ("max-message", 1): byteCount(words[0]).map { spec(.maxMessage(byteCount: $0)) }
    case ("shuffle-parts", 0): spec(.shuffleParts(seed: 1))
    case ("shuffle-parts", 1): UInt64(words[0]).map { spec(.shuffleParts(seed: $0)) }
    case ("duplicate-parts", 0): spec(.duplicateParts)
    case ("omit-part", 1...2): words[0].decimalCount.flatMap { once(.omitPart($0), words.dropFirst()) }
    case ("expired-url", 0...2): expiredURL(words)
    default: nil
    }
  }

  private static func spec(_ fault: SessionFault, times: Int64? = nil) -> FaultSpec {
    FaultSpec(fault: .session(fault), times: times)
  }

  /// With `[TIMES]`; one time when nothing is said, every time for `all`.
  private static func once(_ fault: SessionFault, _ times: ArraySlice<String>) -> FaultSpec? {
    guard let text = times.first else { return spec(fault, times: 1) }
    if text == "all" { return spec(fault) }
    return positive(text).map { spec(fault, times: $0) }
  }

  private static func moment(_ text: String) -> Moment? {
    switch text {
    case "hello": .hello
    case "ready": .ready
    default: positive(text).map { .parts($0) }
    }
  }

  /// `CODE[:MOMENT][:TIMES]`.
  private static func close(_ words: [String]) -> FaultSpec? {
    // The codes that may stand in a close frame (RFC 6455 §7.4).
    guard let code = UInt16(words[0]), (1000...1014).contains(code) || (3000...4999).contains(code),
      ![1004, 1005, 1006].contains(code), let moment = moment(words.count > 1 ? words[1] : "ready")
    else { return nil }
    return once(.close(code, moment), words.dropFirst(2))
  }

  /// `DURATION[:TIMES]`; every time when nothing is said.
  private static func delay(_ words: [String]) -> FaultSpec? {
    do {
      let seconds = try Quantity.seconds(reading: words[0])
      let fault = SessionFault.delay(milliseconds: Int64(seconds * 1000))
      return words.count == 1 ? spec(fault) : once(fault, words.dropFirst())
    } catch { return nil }
  }

  /// `[TIMES][:REQUESTS]`.
  private static func expiredURL(_ words: [String]) -> FaultSpec? {
    guard let requests = words.count > 1 ? words[1].decimalCount : 0 else { return nil }
    return once(.expiredURL(afterRequests: requests), words.prefix(1))
  }

  private static func status(_ text: String) -> Int? {
    guard let code = text.decimalCount, (400...599).contains(code) else { return nil }
    return Int(code)
  }

  private static func byteCount(_ text: String) -> Int64? {
    do { return try Quantity.byteCount(reading: text) } catch { return nil }
  }

  private static func bytesPerSecond(_ text: String) -> Int64? {
    do { return try Quantity.bytesPerSecond(reading: text) } catch { return nil }
  }

  private static func positive(_ text: String) -> Int64? { text.decimalCount.flatMap { $0 > 0 ? $0 : nil } }
}
