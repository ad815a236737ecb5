import Core
import Crypto
import State

/// Tells messages that a gateway repeats after a reconnect from new ones: the same ID with the same words, on another
/// connection than before.
struct MessageInbox {
  static let maxCount = 10_000

  private struct Key: Hashable {
    let idDigest: String
    let sha256: String
  }

  private let session: SessionKey
  /// The connection on which each came first; 0 for an earlier life.
  private var known: [Key: Int] = [:]
  private var order: [Key] = []

  init(_ session: SessionKey) { self.session = session }

  mutating func restore(_ found: [(idDigest: String, sha256: String)]) {
    for one in found.reversed() { remember(Key(idDigest: one.idDigest, sha256: one.sha256), 0) }
  }

  /// The record of a message that is to be told; nil for one that was told already.
  mutating func take(_ message: MessageFrame, connection: Int, now: Double) -> ReceivedRecord? {
    let key = Key(idDigest: sha256Hexadecimal(of: message.id), sha256: sha256Hexadecimal(of: message.text))
    if let earlier = known[key], earlier != connection, !message.isEdit { return nil }
    remember(key, connection)
    return ReceivedRecord(
      session: session, kind: .message, idDigest: key.idDigest, sha256: key.sha256, receivedAt: now)
  }

  private mutating func remember(_ key: Key, _ connection: Int) {
    if known.updateValue(connection, forKey: key) == nil { order.append(key) }
    guard order.count > Self.maxCount * 2 else { return }
    for old in order.prefix(Self.maxCount) { known[old] = nil }
    order.removeFirst(Self.maxCount)
  }
}
