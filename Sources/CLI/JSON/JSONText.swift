import Core
import FoundationEssentials

/// JSON as every command prints it: keys sorted, so that the same thing is the same text.
enum JSONText {
  static func of(_ value: some Encodable, isPretty: Bool = false) throws(TransferFailure) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw TransferFailure(.internalError, "cannot write JSON: \(error)")
    }
  }
}
