/// One way in which the gateway misbehaves on purpose, so that clients can be drilled.
enum Fault: Equatable, Sendable {
  /// Close the connection after so many bytes of body.
  case cut(afterByteCount: Int64)
  /// Send so many bytes of body, then nothing, and keep the connection open.
  case stall(afterByteCount: Int64)
  /// Refuse with a status and perhaps a Retry-After.
  case status(Int, retryAfter: String?)
  /// After so many bodies the file is another one of the same length, under another tag.
  case newTag(afterBodyCount: Int64)
  /// Always answer with the whole.
  case ignoreRange
  case noValidator
  case weakTag
  /// A partial answer starts so many bytes before what was asked; below zero, after it.
  case shiftRange(byteCount: Int64)
  /// Claim a content coding that the bytes do not have.
  case encoding(String)
  /// Chunked instead of a stated length.
  case noLength
  /// Something in a session.
  case session(SessionFault)
}

/// A fault with the number of answers it spoils.
public struct FaultSpec: Equatable, Sendable {
  let fault: Fault
  /// The first so many answers it applies to; nil for every one.
  var times: Int64?
}

/// A fault text that is none of the known ones.
public struct FaultSpecError: Error, Equatable, CustomStringConvertible {
  /// What was given.
  public let text: String

  public var description: String {
    "unknown fault '\(text)'; known: \(FaultSpec.knownForms.joined(separator: ", "))"
  }
}

extension FaultSpec {
  /// Every form that is understood, as help and errors show it.
  static let knownForms =
    [
      "cut=BYTES[:TIMES]", "stall=BYTES[:TIMES]", "status=CODE[:TIMES][:RETRY-AFTER]", "new-tag[=AFTER]",
      "ignore-range",
      "no-validator", "weak-tag", "shift-range=N", "encoding=CODING", "no-length",
    ] + SessionFault.knownForms

  /// Reads `NAME` or `NAME=VALUE`, such as `cut=70000:1`.
  public init(_ text: String) throws(FaultSpecError) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = halves.count == 2 ? String(halves[1]) : nil
    guard let spec = Self.parsed(String(halves[0]), value) else { throw FaultSpecError(text: text) }
    self = spec
  }

  private static func parsed(_ name: String, _ value: String?) -> FaultSpec? {
    switch (name, value) {
    case ("cut", let value?): counted(value) { .cut(afterByteCount: $0) }
    case ("stall", let value?): counted(value) { .stall(afterByteCount: $0) }
    case ("status", let value?): refusal(value)
    case ("new-tag", nil): FaultSpec(fault: .newTag(afterBodyCount: 1))
    case ("new-tag", let value?): value.decimalCount.map { FaultSpec(fault: .newTag(afterBodyCount: $0)) }
    case ("ignore-range", nil): FaultSpec(fault: .ignoreRange)
    case ("no-validator", nil): FaultSpec(fault: .noValidator)
    case ("weak-tag", nil): FaultSpec(fault: .weakTag)
    case ("shift-range", let value?): shift(value)
    case ("encoding", let value?): value.isToken ? FaultSpec(fault: .encoding(value)) : nil
    case ("no-length", nil): FaultSpec(fault: .noLength)
    default: SessionFault.parsed(name, value)
    }
  }

  /// `BYTES[:TIMES]`.
  private static func counted(_ value: String, _ fault: (Int64) -> Fault) -> FaultSpec? {
    let parts = value.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let byteCount = parts[0].decimalCount else { return nil }
    guard parts.count == 2 else { return FaultSpec(fault: fault(byteCount)) }
    return parts[1].decimalCount.map { FaultSpec(fault: fault(byteCount), times: $0) }
  }

  /// `CODE[:TIMES][:RETRY-AFTER]`; an empty TIMES is every time.
  static func refusal(
    _ value: String, _ fault: (Int, String?) -> Fault = { .status($0, retryAfter: $1) }
  ) -> FaultSpec? {
    let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts[0].utf8.count == 3, let code = parts[0].decimalCount, (300...599).contains(code) else { return nil }
    let times = parts.count > 1 ? parts[1].decimalCount : nil
    guard parts.count < 2 || times != nil || parts[1].isEmpty else { return nil }
    let wait = parts.count > 2 ? String(parts[2]) : nil
    guard wait?.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) ?? true, wait != "" else { return nil }
    return FaultSpec(fault: fault(Int(code), wait), times: times)
  }

  private static func shift(_ value: String) -> FaultSpec? {
    let isLater = value.hasPrefix("-")
    guard let byteCount = (isLater ? String(value.dropFirst()) : value).decimalCount,
      byteCount < 1 << 62  // added to an offset it must stay a number
    else { return nil }
    return FaultSpec(fault: .shiftRange(byteCount: isLater ? -byteCount : byteCount))
  }
}
