/// What a session has to send, in its order.
struct SessionQueue {
  enum Content {
    /// A frame's whole text.
    case frame([UInt8])
    /// The frame that opens the session.
    case ready([UInt8])
    case media(Announcement)
  }

  private var items: [Item?] = []
  private var first = 0

  private struct Item {
    let content: Content
    /// Of `Clocks.monotonic()`; not before.
    let due: Int64
  }

  var count: Int { items.count - first }

  mutating func append(_ content: Content, due: Int64) { items.append(Item(content: content, due: due)) }

  /// When the next one may go.
  var nextDue: Int64? { first < items.count ? items[first]?.due : nil }

  /// Takes the next one if its time has come.
  mutating func popDue(now: Int64) -> Content? {
    guard let due = nextDue, due <= now, let item = items[first] else { return nil }
    // Taken out, so that what is sent does not stay in memory until the array is short again.
    items[first] = nil
    first += 1
    if first == items.count {
      items.removeAll(keepingCapacity: first < 64)
      first = 0
    } else if first > 1024 {
      items.removeFirst(first)
      first = 0
    }
    return item.content
  }

  /// The announcements that were not begun.
  var announcements: [Announcement] {
    items[first...].compactMap { if case .media(let announcement)? = $0?.content { announcement } else { nil } }
  }
}
